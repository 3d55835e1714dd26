"""The graph is made from the specs, and the documentation shows the graph that there is."""

from pathlib import Path

from agent.agents import SPEC_BUILDERS
from agent.agents.base import SpecialistSpec
from agent.config import Settings
from agent.core.graph import build_graph
from agent.core.prompts import system_prompt

PROJECT = Path(__file__).resolve().parents[2]
SETTINGS = Settings(_env_file=None)


def test_the_documentation_shows_the_graph_as_langgraph_draws_it() -> None:
    graph = build_graph([build(SETTINGS) for build in SPEC_BUILDERS])
    drawn = graph.get_graph().draw_mermaid().strip()
    assert drawn in (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_a_specialist_more_is_one_entry_more() -> None:
    extra = SpecialistSpec("poet", "writes verse", "Rhyme.", ("python",), 2)
    specs = [*(build(SETTINGS) for build in SPEC_BUILDERS), extra]
    edges = {(edge.source, edge.target) for edge in build_graph(specs).get_graph().edges}
    assert {("supervisor", "poet"), ("poet", "supervisor")} <= edges
    assert "- poet: writes verse" in system_prompt(specs, [])
