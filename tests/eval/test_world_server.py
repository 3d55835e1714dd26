"""The offline world as the ordinary tools meet it, over real sockets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from agent.config import Settings
from agent.eval.scoring_api import ScoringAPI, ScoringError
from agent.eval.world.measure import settings_in
from agent.eval.world.outcome import missed
from agent.eval.world.search import Index, snippet
from agent.eval.world.server import serve
from agent.eval.world.world import World, read_world
from agent.tools.registry import ToolContext, get_tools
from agent.tools.result import ToolResult
from tests.eval.tiny_world import QUESTIONS, tiny_world
from tests.servers.web import Reply, WebServer

TOOLS = {tool.name: tool for tool in get_tools()}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return read_world(tiny_world(tmp_path_factory.mktemp("world")))


@pytest.fixture(scope="module")
def origin(world: World) -> Iterator[str]:
    with serve(world) as origin:
        yield origin


@pytest.fixture
def settings(origin: str, tmp_path: Path) -> Settings:
    return settings_in(Settings(_env_file=None), origin, tmp_path)


@pytest.fixture
def context(settings: Settings, tmp_path: Path) -> ToolContext:
    return ToolContext(settings, tmp_path / "files" / "papers", task_id="papers")


def call(context: ToolContext, tool: str, /, **args: Any) -> ToolResult:
    result = TOOLS[tool].invoke(args, context)
    assert result.ok, result.for_model()
    return result


def test_a_search_finds_the_page_and_shows_its_best_words(
    context: ToolContext, origin: str
) -> None:
    found = call(context, "web_search", query="deepest point of the lake in metres")
    assert found.sources[0].url == f"{origin}/wiki/harrow-lake"
    assert "Sallow Pit" in found.text
    nothing = TOOLS["web_search"].invoke({"query": "zzyzx"}, context)
    assert nothing.error and nothing.error.kind == "empty"


def test_results_are_searxngs_json(origin: str) -> None:
    asked = {"q": "Brunt weir", "format": "json"}
    answer = requests.get(f"{origin}/search", params=asked, timeout=5).json()
    assert (answer["query"], answer["unresponsive_engines"]) == ("Brunt weir", [])
    first = answer["results"][0]
    assert first["title"] == "Brunt weir" and first["url"].endswith("/wiki/brunt-weir")
    assert 0 < len(first["content"]) <= 200
    html = requests.get(f"{origin}/search", params={"q": "Brunt weir"}, timeout=5)
    assert html.status_code == 403


def test_names_and_text_are_searched_and_a_snippet_is_the_sentence_that_matches(
    world: World,
) -> None:
    index = Index(world.pages.values())
    assert index.find("the harrow")[0].slug == "harrow-lake"
    assert [page.slug for page in index.find("Quíllport!")] == ["edda-morn"]
    assert snippet(world.pages["edda-morn"], "when was she born") == (
        "She was born on 3 May 1841 and died in Bramhold in 1902. Her papers are in a list."
    )


def test_the_wikipedia_library_reads_an_article_with_its_table(
    context: ToolContext, origin: str
) -> None:
    by_title = call(context, "wikipedia", query="Harrow Lake")
    assert (
        "| Curlew | 1933 | 120 |" in by_title.text and "Sections: Depth; Ferries" in by_title.text
    )
    assert by_title.sources[0].url == f"{origin}/wiki/harrow-lake"
    assert "212 metres" in call(context, "wikipedia", query="Harrow Lake", section="depth").text
    assert call(context, "wikipedia", query="The Harrow").text == by_title.text
    by_words = call(context, "wikipedia", query="surveyor who wrote a book on sounding")
    assert by_words.sources[0].title == "Edda Morn"


def test_a_page_is_read_with_its_table_and_links_and_leads_on(
    context: ToolContext, origin: str
) -> None:
    lake = call(context, "scrape_webpage", url=f"{origin}/wiki/harrow-lake").text
    assert missed(["Curlew | 1933 | 120", "the Sallow Pit, is 212 metres"], [lake]) == ()
    assert f"({origin}/wiki/edda-morn)" in lake
    edda = call(context, "scrape_webpage", url=f"{origin}/wiki/edda-morn").text
    assert f"({origin}/files/papers.csv)" in edda
    assert (
        "| maps | 1891 |" in call(context, "scrape_webpage", url=f"{origin}/files/papers.csv").text
    )
    gone = TOOLS["scrape_webpage"].invoke({"url": f"{origin}/wiki/nothing"}, context)
    assert gone.error and gone.error.kind == "not_found"


def test_a_tasks_file_is_downloaded_and_read(context: ToolContext) -> None:
    assert "'papers.csv'" in call(context, "download_task_file").text
    assert "| maps | 1891 |" in call(context, "read_file", name="papers.csv").text


def test_every_other_loopback_origin_stays_blocked(context: ToolContext) -> None:
    with WebServer(lambda request: Reply("secret")) as other:
        refused = TOOLS["scrape_webpage"].invoke({"url": f"{other.origin}/"}, context)
    assert refused.error and refused.error.kind == "blocked"
    assert other.connections == 0


def test_nothing_is_remembered_and_nothing_ordinary_is_touched(
    context: ToolContext, tmp_path: Path
) -> None:
    assert not call(context, "web_search", query="weir").cached
    assert not call(context, "web_search", query="weir").cached
    assert not (tmp_path / "tools").exists()
    assert context.settings.models_dir == Settings(_env_file=None).models_dir


def test_the_scoring_api_keeps_its_contract(settings: Settings, origin: str) -> None:
    api = ScoringAPI(settings)
    questions = api.questions()
    assert [q["task_id"] for q in questions] == [q["task_id"] for q in QUESTIONS]
    assert set(questions[2]) == {"task_id", "question", "Level", "file_name"}
    assert (questions[2]["Level"], questions[2]["file_name"]) == ("easy", "papers.csv")
    assert api.random_question() in questions
    answers = [
        {"task_id": "depth", "submitted_answer": " 212 "},
        {"task_id": "seats", "submitted_answer": "Plover"},
        {"task_id": "nobody", "submitted_answer": 1},
    ]
    code = "https://example.org/code"
    score = api.submit({"username": "me", "agent_code": code, "answers": answers})
    assert (score.score, score.correct_count, score.total_attempted) == (20.0, 1, 2)
    with pytest.raises(ScoringError, match=r"body\.agent_code"):
        api.submit({"username": "me", "agent_code": "short", "answers": answers})
    missing = requests.get(f"{origin}/files/depth", timeout=5)
    assert missing.status_code == 404 and "depth" in missing.json()["detail"]
