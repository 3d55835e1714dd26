"""``scrape_webpage``: the text of one address, whatever it serves: a page, a PDF, a table."""

import mimetypes
import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, ConfigDict, Field

from agent.obs.events import Source
from agent.tools.blocklist import is_blocked
from agent.tools.cache import remember
from agent.tools.html_tables import unfold_spans
from agent.tools.html_text import sections
from agent.tools.http import Page, fetch
from agent.tools.passages import bounded
from agent.tools.readers.model import Ask, File, Unreadable
from agent.tools.readers.process import read_in_child
from agent.tools.registry import ToolContext, tool
from agent.tools.result import ToolResult

_EXTRACTED_CHARS = 1_000_000
"""Larger pages are taken whole: trafilatura takes some 5 s for 1 MB and over a minute for 5 MB."""
_SHORT_CHARS = 300
"""An extract as short as this may have missed the text, and a page as short may need scripts."""
_ASKS_FOR_SCRIPTS = re.compile(
    r"(?:enable|requires?|needs?|turn on|activate|without)\b[^<]{0,40}\bjavascript"
    r"|javascript\b[^<]{0,60}\b(?:enabled?|required|disabled|turned off|not available)",
    re.IGNORECASE,
)


class ScrapeWebpageArgs(BaseModel):
    """Arguments of ``scrape_webpage``."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    url: str = Field(min_length=1, max_length=2000, description="address of the page")
    query: str = Field("", max_length=300, description="what to look for on it")
    page: str = Field("", max_length=20, description="page of a PDF, such as 3 or 2-5")


@tool(
    "scrape_webpage",
    capability="scrape",
    args=ScrapeWebpageArgs,
    description="Read a web page or a PDF at an address, with its tables and links.",
)
def scrape_webpage(args: ScrapeWebpageArgs, context: ToolContext) -> ToolResult:
    """The text behind ``url``. ``query`` matters only when passages are chosen from it."""
    what = {"tool": "scrape_webpage", "url": args.url.strip(), "page": args.page}
    return remember(what, context, lambda: _scrape(args, context))


def _scrape(args: ScrapeWebpageArgs, context: ToolContext) -> ToolResult:
    patterns = context.settings.blocked_domains
    if is_blocked(args.url, patterns) or is_blocked(f"https://{args.url}", patterns):
        return _blocked()
    page = fetch(args.url, context)
    if not isinstance(page, Page):
        return ToolResult.failure(page.kind, page.message)
    if is_blocked(page.url, patterns):
        return _blocked()
    return _html(page) if page.kind == "html" else _file(page, args.page, context)


def _blocked() -> ToolResult:
    return ToolResult.failure("blocked", "This site is on the list of those not to be used.")


def _html(page: Page) -> ToolResult:
    """The page's main text as Markdown, or all of its text where that is not found."""
    title, text = _extracted(page)
    if len(text) < _SHORT_CHARS and _needs_scripts(page.text, text):
        return ToolResult.failure(
            "unsupported", "This page shows its text only with JavaScript, which is not run here."
        )
    if not text.strip():
        return ToolResult.failure("empty", "This page has no text.")
    heading = "" if text.startswith(f"# {title}") else f"# {title}\n\n"
    note = "" if page.complete else "\n\n[The connection broke: only the first part is here.]"
    source = Source(url=page.url, title=title)
    return ToolResult.success(bounded(heading + text + note), sources=(source,), untrusted=True)


def _extracted(page: Page) -> tuple[str, str]:
    """Title and text. Spans of tables are unfolded before, since trafilatura leaves gaps."""
    import trafilatura

    tree = trafilatura.load_html(page.text)
    if tree is None:
        return _name(page), ""
    title = " ".join((tree.findtext(".//title") or "").split())[:200] or _name(page)
    extract = ""
    if len(page.text) <= _EXTRACTED_CHARS:
        for table in [t for t in tree.iter("table") if t.find(".//table") is None]:
            unfold_spans(table)
        found = trafilatura.extract(
            tree,
            url=page.url,
            output_format="markdown",
            include_links=True,
            include_tables=True,
            favor_recall=True,
            fast=True,
        )
        extract = found or ""
    if len(extract) >= _SHORT_CHARS:
        return title, extract
    parts = sections(title, page.text)
    whole = "\n\n".join(map(str, parts)) if any(part.text for part in parts) else ""
    return title, whole if len(whole) > 2 * len(extract) else extract


def _needs_scripts(html: str, text: str) -> bool:
    asks = _ASKS_FOR_SCRIPTS.search(html) is not None
    return asks or ("<script" in html.lower() and len(text) < _SHORT_CHARS / 4)


def _file(page: Page, wanted: str, context: ToolContext) -> ToolResult:
    """Anything but HTML, by the readers of attachments, in a process of its own."""
    data = page.text.encode() if page.kind in ("text", "json") else page.body
    file = File(_name(page), data)
    try:
        text = read_in_child(file, Ask(page=wanted), context.remaining(), context.stop)
    except Unreadable as error:
        return ToolResult.failure(error.kind, f"'{file.name}' {error.message}")
    source = Source(url=page.url, title=file.name)
    return ToolResult.success(bounded(text), sources=(source,), untrusted=True)


def _name(page: Page) -> str:
    """A file name for what was fetched, with a suffix that says what the server calls it."""
    parts = urlsplit(page.url)
    name = PurePosixPath(unquote(parts.path)).name or parts.hostname or "page"
    declared = page.declared.partition(";")[0].strip().lower()
    suffix = ".json" if page.kind == "json" else mimetypes.guess_extension(declared) or ""
    return name if PurePosixPath(name).suffix else name + suffix
