"""A question that is worked out, answered with a program, written the way that models know best.

Asked for a program in a block of its own, a small code model writes one that runs; asked for it
within JSON it ends after the first line (``docs/measurements.md``). So this one call is made beside
the conversation, without a schema, after a few examples of what is wanted.
"""

import ast
import re
from typing import TYPE_CHECKING

from agent.agents.steps import THOUGHT_CHARS, ProgressCheck, Step
from agent.agents.work import Work
from agent.budget import Budget
from agent.llm.errors import ModelError
from agent.tools.python_repl import PythonArgs

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_ORDER = (
    "You write short Python programs. Reply with one ```python block that prints the answer and "
    "nothing else."
)
_EXAMPLES = (
    (
        "Sort the words pear, fig, lime, date by the alphabet. Which is the second?",
        "words = sorted('pear, fig, lime, date'.split(', '))\nprint(words[1])",
    ),
    (
        "How many times does the letter t occur in 'To the tent'?",
        "text = 'To the tent'\nprint(text.lower().count('t'))",
    ),
    (
        "Which word do the last letters of 'cub shoe pat' give?",
        "words = 'cub shoe pat'.split()\nprint(''.join(word[-1] for word in words))",
    ),
    (
        "A shift begins at 22:15 and lasts 9 hours and 30 minutes. When does it end? HH:MM",
        "from datetime import datetime, timedelta\n"
        "start = datetime.strptime('22:15', '%H:%M')\n"
        "print((start + timedelta(hours=9, minutes=30)).strftime('%H:%M'))",
    ),
    ("What is the opposite of up?", "print('down')"),
    (
        "How many hours does a tap with 12 litres a minute need for a tank of 5.4 cubic metres?",
        "litres_a_minute = 12\ntank_in_litres = 5.4 * 1000\n"
        "minutes = tank_in_litres / litres_a_minute\nprint(minutes / 60)",
    ),
    (
        "A choir has 150 members and 36 percent of them are men. How many are women?",
        "members = 150\nmen = members * 36 / 100\nprint(round(members - men))",
    ),
    (
        "3 crates of 40 eggs are bought at 0.25 an egg and 20 percent are taken off. What is paid?",
        "crates = 3\neggs_in_a_crate = 40\nprice_of_an_egg = 0.25\n"
        "full_price = crates * eggs_in_a_crate * price_of_an_egg\n"
        "print(full_price * (1 - 20 / 100))",
    ),
)
_BLOCK = re.compile(r"```(?P<language>\w*)[ \t]*\n(?P<code>.*?)(?:\n\s*```|\Z)", re.DOTALL)


class Author:
    """Writes programs for one question, and learns from those that failed."""

    def __init__(self, work: Work, role: str, budget: Budget) -> None:
        self._work, self._role, self._budget = work, role, budget
        self._messages = _request(work.question)

    def write(self) -> Step | None:
        """The next program, in one call; None where the reply held none.

        Raises:
            ModelError: the model cannot be used any more.
            BudgetExceededError, RunStopped: see ``Conversation.aside``.
        """
        from langchain_core.messages import AIMessage

        try:
            reply = self._work.conversation.aside(self._messages, self._role, self._budget)
        except ModelError as error:
            if error.fatal:
                raise
            return None
        self._messages.append(AIMessage(reply))
        code = code_in(reply)
        return _step(code, reply) if code else None

    def learn(self, error: str) -> None:
        """Take in why the last program failed."""
        from langchain_core.messages import HumanMessage

        self._messages.append(HumanMessage(f"{error} Reply with the corrected program."))


def _request(question: str) -> "list[BaseMessage]":
    """The same messages for every question but for the last, so that a server keeps them."""
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    messages: list[BaseMessage] = [SystemMessage(_ORDER)]
    for task, code in _EXAMPLES:
        messages += [HumanMessage(task), AIMessage(f"```python\n{code}\n```")]
    return [*messages, HumanMessage(question)]


def _step(code: str, reply: str) -> Step:
    thought = reply.partition("```")[0].strip() or "A program works this out."
    check = ProgressCheck(evidence="nothing tried yet", verdict="progress")
    return Step(
        thought=thought[:THOUGHT_CHARS],
        progress_check=check,
        action="python_repl",
        args=PythonArgs(code=code),
    )


def code_in(reply: str) -> str:
    """The program in a reply; empty where it holds none."""
    block = _BLOCK.search(reply)
    if block is None:
        return reply.strip("\n") if "print(" in reply else ""
    is_python = block["language"].lower() in {"", "py", "python", "python3"}
    return block["code"].strip("\n") if is_python else ""


def only_states(code: str) -> bool:
    """Whether a program works nothing out, but prints what its author wrote into it."""
    try:
        tree = ast.parse(code)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    work = (ast.BinOp, ast.Subscript, ast.Attribute, ast.Compare, ast.For, ast.comprehension)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    prints = all(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls)
    return prints and not any(isinstance(node, work) for node in ast.walk(tree))
