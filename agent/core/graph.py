"""The graph: supervisor, one node a specialist, finalizer. Nodes are made from the specs."""

from collections.abc import Sequence

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.agents.base import SpecialistSpec
from agent.agents.loop import run_specialist
from agent.agents.work import Work
from agent.core.finalizer import finalize
from agent.core.state import FINISH, QuestionState
from agent.core.supervisor import supervise

Builder = StateGraph[QuestionState, Work, QuestionState, QuestionState]
Graph = CompiledStateGraph[QuestionState, Work, QuestionState, QuestionState]


def build_graph(specs: Sequence[SpecialistSpec]) -> Graph:
    """START → supervisor → specialist → supervisor → … → finalizer → END."""

    def supervisor(state: QuestionState, runtime: Runtime[Work]) -> QuestionState:
        chosen, task = supervise(runtime.context, specs)
        return {"next": chosen, "task": task}

    def finalizer(state: QuestionState, runtime: Runtime[Work]) -> QuestionState:
        work = runtime.context
        return {"answer": finalize(work, work.question_budget)}

    graph: Builder = StateGraph(QuestionState, context_schema=Work)
    graph.add_node("supervisor", supervisor)
    graph.add_node("finalizer", finalizer)
    for spec in specs:
        _add_specialist(graph, spec)
    graph.add_edge(START, "supervisor")
    graph.add_conditional_edges(
        "supervisor",
        lambda state: state["next"],
        {**{spec.name: spec.name for spec in specs}, FINISH: "finalizer"},
    )
    graph.add_edge("finalizer", END)
    return graph.compile()


def _add_specialist(graph: Builder, spec: SpecialistSpec) -> None:
    def specialist(state: QuestionState, runtime: Runtime[Work]) -> QuestionState:
        run_specialist(spec, state["task"], runtime.context)
        return {}

    graph.add_node(spec.name, specialist)
    graph.add_edge(spec.name, "supervisor")
