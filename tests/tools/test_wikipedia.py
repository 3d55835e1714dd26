"""``wikipedia`` through the real library, to a MediaWiki API on loopback."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.config import Settings
from agent.tools.html_text import sections
from agent.tools.registry import ToolContext, get_tools
from agent.tools.result import ToolError, ToolResult
from tests.servers.mediawiki import Article, Wiki
from tests.servers.web import Reply, Request, WebServer

(WIKIPEDIA,) = get_tools("wikipedia")

SOSA = """<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">
<style>.infobox{float:right}</style><div class="hatnote navigation-not-searchable">Not Sosa.</div>
<table class="infobox vcard"><tbody>
<tr><th colspan="2" class="infobox-above">Mercedes Sosa</th></tr>
<tr><td colspan="2"><img alt="" src="x.jpg"><div>Sosa in 1972</div></td></tr>
<tr><th>Born</th><td>9 July 1935<br>Tucumán, Argentina</td></tr>
<tr><th>Genres</th><td><div class="hlist"><ul><li>Folk</li><li>Nueva canción</li></ul></div></td>
</tr>
</tbody></table>
<p><b>Mercedes Sosa</b> was an <a href="/wiki/Argentina">Argentine</a> singer<sup class="reference">
<a href="#n1">[1]</a></sup> whose mass<span class="mwe-math-element"><math alttext="m_0">m0m0</math>
</span> is known.</p>
<div class="toc"><h2>Contents</h2><ul><li>1 Life</li></ul></div>
<div class="mw-heading mw-heading2"><h2 id="Life">Life</h2><span class="mw-editsection">[edit]
</span></div>
<p>She grew up in Tucumán.</p>
<h2><span class="mw-headline" id="Discography">Discography</span></h2>
<p>She recorded many albums.</p>
<h3>Studio albums</h3>
<table class="wikitable"><caption>Albums</caption><tbody>
<tr><th>Year</th><th>Title</th><th>Label</th></tr>
<tr><td rowspan="2">1962</td><td>La Voz de la Zafra</td><td rowspan="2">RCA</td></tr>
<tr><td>Canciones con fundamento</td></tr>
<tr><td>2009</td><td colspan="2">Cantora 1 | 2</td></tr>
</tbody></table>
<h3>Live albums</h3>
<ul><li><i>En Argentina</i> (1982)<ul><li>reissued 2001</li></ul></li><li>Vivo (1985)</li></ul>
<dl><dt>Mono</dt><dd>until 1965</dd></dl>
<h2>External links</h2>
<ul><li><a class="external text" href="https://sosa.example/">Site</a></li></ul>
<div class="navbox"><table><tbody><tr><td>Latin Grammy winners</td></tr></tbody></table></div>
</div>"""

MERCURY = """<div class="mw-parser-output"><p><b>Mercury</b> may refer to:</p><ul>
<li class="toclevel-1 tocsection-1"><a href="#x">Science</a></li>
<li><a href="/wiki/Mercury_(planet)" title="Mercury (planet)">Mercury (planet)</a>, nearest</li>
<li><a href="/wiki/Mercury_(element)" title="Mercury (element)">Mercury (element)</a>, a metal</li>
</ul></div>"""


def wiki() -> Wiki:
    return Wiki(
        pages={
            "Mercedes Sosa": Article(SOSA),
            "Mercedes Benz": Article("<p>Cars, not Sosa</p>"),
            "Mercury": Article(MERCURY, is_choice=True),
            "Mercury (planet)": Article("<p>The planet nearest to the Sun.</p>"),
        },
        redirects={"La Negra": "Mercedes Sosa", "Loop A": "Loop B"},
    )


@pytest.fixture
def english() -> Wiki:
    return wiki()


@pytest.fixture
def server(english: Wiki) -> Iterator[WebServer]:
    german = Wiki({"Mercedes Sosa": Article("<p>Argentinische Sängerin</p>")})

    def answer(request: Request) -> Reply:
        return {"en": english, "de": german}[request.path.split("/")[1]](request)

    with WebServer(answer) as server:
        yield server


@pytest.fixture
def context(server: WebServer, tmp_path: Path) -> ToolContext:
    settings = Settings(
        _env_file=None,
        cache_dir=tmp_path,
        wikipedia_api_url=f"{server.origin}/{{lang}}/w/api.php",
        contact="https://contact.example",
    )
    return ToolContext(settings, tmp_path)


def read(context: ToolContext, query: str, **options: str) -> ToolResult:
    """The tool's own result, before passages are chosen from it."""
    return WIKIPEDIA.run(WIKIPEDIA.args(query=query, **options), context)


def text(context: ToolContext, query: str, **options: str) -> str:
    result = read(context, query, **options)
    assert result.ok, result.for_model()
    return result.text


def error(context: ToolContext, query: str = "Mercedes Sosa", **options: str) -> ToolError:
    result = read(context, query, **options)
    assert result.error is not None, result.text
    return result.error


# The article


def test_an_article_is_read_with_infobox_tables_and_lists(context: ToolContext) -> None:
    result = read(context, "Mercedes Sosa")
    assert result.text == (
        "# Mercedes Sosa\n\n"
        "Sections: Life; Discography; External links\n\n"
        "Mercedes Sosa\nSosa in 1972\nBorn: 9 July 1935 Tucumán, Argentina\n"
        "Genres: Folk; Nueva canción\n\n"
        "Mercedes Sosa was an Argentine singer whose massm_0 is known.\n\n"
        "## Life\n\nShe grew up in Tucumán.\n\n"
        "## Discography\n\nShe recorded many albums.\n\n"
        "### Studio albums\n\nAlbums\n\n"
        "| Year | Title | Label |\n|---|---|---|\n"
        "| 1962 | La Voz de la Zafra | RCA |\n"
        "| 1962 | Canciones con fundamento | RCA |\n"
        "| 2009 | Cantora 1 / 2 | Cantora 1 / 2 |\n\n"
        "### Live albums\n\n"
        "- En Argentina (1982)\n  - reissued 2001\n- Vivo (1985)\n\n- Mono\n- until 1965\n\n"
        "## External links\n\n- Site (https://sosa.example/)"
    )
    assert result.untrusted
    (source,) = result.sources
    assert source.url == "https://wiki.example/wiki/Mercedes_Sosa"
    assert source.title == "Mercedes Sosa"


@pytest.mark.parametrize(
    "query",
    [
        "mercedes Sosa",
        "Mercedes_Sosa",
        "  Mercedes   Sosa ",
        "La Negra",
        "https://en.wikipedia.org/wiki/Mercedes_Sosa#Life",
        "en.m.wikipedia.org/wiki/Mercedes%20Sosa?action=raw",
    ],
)
def test_a_title_is_understood_in_any_spelling(query: str, context: ToolContext) -> None:
    assert text(context, query).startswith("# Mercedes Sosa\n\nSections:")


def test_no_other_article_is_passed_off_as_the_one_asked_for(context: ToolContext) -> None:
    opening = text(context, "sosa mercedes").splitlines()[2]
    assert opening == (
        'No article is named "sosa mercedes"; this is the first search hit. Others: Mercedes Benz.'
    )


def test_a_title_with_several_meanings_gives_the_choices(context: ToolContext) -> None:
    result = read(context, "Mercury")
    assert result.text.endswith(":\n- Mercury (planet)\n- Mercury (element)")
    assert result.untrusted
    assert "nearest to the Sun" in text(context, "Mercury (planet)")


@pytest.mark.parametrize("query", ["Qqqq", "a|b", "<html>", "[[x]]", "Loop A"])
def test_what_there_is_not_is_not_found(query: str, context: ToolContext) -> None:
    assert error(context, query).kind == "not_found"


def test_another_language_is_another_wikipedia(context: ToolContext) -> None:
    assert "Argentinische" in text(context, "Mercedes Sosa", language="de")
    assert "Argentinische" in text(context, "https://de.wikipedia.org/wiki/Mercedes_Sosa")
    assert "Argentine" in text(context, "Mercedes Sosa", language="en-US")


@pytest.mark.parametrize("language", ["English", "e", "../en", "en/x", "en.evil", "x" * 12])
def test_what_is_no_language_is_refused_before_any_request(
    language: str, context: ToolContext, server: WebServer
) -> None:
    assert error(context, language=language).kind == "invalid_args"
    assert not server.requests


# Sections


@pytest.mark.parametrize("name", ["Discography", "discography ", "Discografy", "disco"])
def test_a_section_comes_with_its_subsections_and_no_others(
    name: str, context: ToolContext
) -> None:
    section = text(context, "Mercedes Sosa", section=name)
    assert section.startswith("# Mercedes Sosa\n\n## Discography\n\nShe recorded")
    assert "### Studio albums" in section
    assert section.endswith("until 1965")


def test_a_subsection_can_be_asked_for(context: ToolContext) -> None:
    section = text(context, "Mercedes Sosa", section="Live albums")
    assert "En Argentina" in section
    assert "La Voz" not in section


def test_a_section_that_there_is_not_lists_those_that_there_are(context: ToolContext) -> None:
    failure = error(context, section="Awards")
    assert failure.kind == "not_found"
    assert "Life; Discography; Studio albums; Live albums; External links" in failure.message


# Manners and failures


def test_it_says_who_asks_and_asks_for_nothing_else(
    context: ToolContext, server: WebServer
) -> None:
    text(context, "Mercedes Sosa")
    agents = {request.headers["user-agent"] for request in server.requests}
    assert agents == {"ten-call-agent/0.1 (https://contact.example)"}
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (Reply("no", status=403), "blocked", "AGENT_CONTACT"),
        (Reply("slow", status=429), "rate_limited", "429"),
        (Reply("slow", status=429, headers={"Retry-After": "600"}), "rate_limited", "429"),
        (Reply("<html>maintenance", status=503), "unavailable", "503"),
        (Reply("<html>not json"), "unavailable", "not JSON"),
        (Reply('{"error": {"code": "x", "info": "Database is locked"}}'), "unavailable", "locked"),
        (Reply("{}"), "unavailable", "cannot be read"),
        (Reply("[]"), "unavailable", "cannot be read"),
        (Reply(raw=[]), "network", "No connection"),
    ],
)
def test_a_refusal_keeps_its_meaning(
    reply: Reply, kind: str, said: str, english: Wiki, context: ToolContext
) -> None:
    english.refusals += [reply] * 9
    failure = error(context)
    assert failure.kind == kind
    assert said in failure.message


def test_a_short_wait_that_is_asked_for_is_waited(english: Wiki, context: ToolContext) -> None:
    english.refusals.append(Reply("slow", status=429, headers={"Retry-After": "1"}))
    assert "Argentine" in text(context, "Mercedes Sosa")


def test_without_a_network_it_says_so(context: ToolContext) -> None:
    settings = Settings(_env_file=None, cache_dir=context.settings.cache_dir)
    assert error(ToolContext(settings, Path())).kind == "network"


def test_languages_do_not_mix_between_threads(context: ToolContext, english: Wiki) -> None:
    uncached = replace(context, settings=context.settings.model_copy(update={"tool_cache": False}))
    answers: dict[tuple[str, int], str] = {}

    def ask(language: str, number: int) -> None:
        answers[language, number] = text(uncached, "Mercedes Sosa", language=language)

    asked = [(language, number) for number in range(8) for language in ("en", "de")]
    threads = [threading.Thread(target=ask, args=pair) for pair in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(("Argentinische" in answers[pair]) == (pair[0] == "de") for pair in asked)


def test_the_cache_answers_again_but_not_for_another_wiki(
    context: ToolContext, server: WebServer
) -> None:
    text(context, "Mercedes Sosa")
    requests = len(server.requests)
    assert read(context, "Mercedes Sosa").cached
    assert len(server.requests) == requests
    assert not read(context, "Mercedes Sosa", language="de").cached
    assert not read(context, "Mercedes Sosa", section="Live albums").cached


def test_the_library_keeps_nothing(context: ToolContext, server: WebServer) -> None:
    """Its own caches never forget and do not tell one language from another."""
    import wikipedia

    read(context, "nothing like this")
    assert not wikipedia.search._cache
    assert wikipedia.wikipedia.API_URL == "http://en.wikipedia.org/w/api.php"


# The text of any HTML


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", ""),
        ("loose <b>text</b>", "loose text"),
        ("<div>a<p>b</p>c</div>", "a\n\nb\n\nc"),
        ("<!-- no --><p>yes</p>", "yes"),
        ("<p>a<!-- no -->b</p>", "ab"),
        ("<p>H<sub>2</sub>O</p>", "H2O"),
        ("<table><tr><td rowspan=99999999999>a<td>b<tr><td>c</table>", None),
        ("<table><tr><td colspan='x' rowspan='-1'>a</table>", "| a |\n|---|"),
        ("<table></table>", ""),
        ("<table><tr><td><table><tr><td>in</table><td>out</table>", "| in | out |\n|---|---|"),
        ("<table role=presentation><tr><td><p>a</p><ul><li>b</ul></table>", "a\n\n- b"),
        ("<ul><li></li></ul>", ""),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("<" * 5000, None),
        ("<div>" * 5000, None),
        ("<ul><li>" * 2000, None),
        ("<table><tr><td>" * 500, None),
        ("\x00\x01<p>x</p>", None),
    ],
)
def test_any_html_gives_text(html: str, expected: str | None) -> None:
    (opening, *_) = sections("T", html)
    assert expected is None or opening.text.strip() == expected


def test_spans_without_measure_stay_small() -> None:
    cell = '<td colspan="65534" rowspan="65534">x</td>'
    rows = f"<tr>{cell * 50}</tr>" * 200
    assert len(sections("T", f"<table>{rows}</table>")[0].text) < 2_000_000
