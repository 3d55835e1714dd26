"""The calculator: arithmetic as people write it, worked out exactly, refused at once."""

from pydantic import BaseModel, Field

from agent.tools.arithmetic.evaluator import evaluate
from agent.tools.arithmetic.notation import read
from agent.tools.arithmetic.numbers import ExpressionError, show
from agent.tools.registry import ToolContext, tool
from agent.tools.result import ToolResult


class CalculatorArgs(BaseModel):
    """What the model passes."""

    expression: str = Field(description="Numbers and operators, for example 12.5% of (3 + 4)^2")


@tool(
    "calculator",
    capability="python",
    args=CalculatorArgs,
    description="Work out one arithmetic expression exactly.",
)
def calculator(args: CalculatorArgs, context: ToolContext) -> ToolResult:
    """The value alone on the first line; a second line says how it was understood, if in doubt.

    See ``agent.tools.arithmetic`` for what may be written and how results are rounded.
    """
    try:
        expression = read(args.expression)
        value, remarks = evaluate(expression.python)
        text, remark = show(value)
    except ExpressionError as error:
        return ToolResult.failure(error.kind, str(error))
    understood = [f"understood as {expression.shown}"] if expression.reworded else []
    second_line = "; ".join(filter(None, [*understood, *remarks, remark]))
    return ToolResult.success("\n".join(filter(None, [text, second_line])))
