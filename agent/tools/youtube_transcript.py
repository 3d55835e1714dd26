"""``youtube_transcript``: what is said in a video, by its subtitles."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from pydantic import BaseModel, Field

from agent.obs.events import Source
from agent.tools.cache import remember
from agent.tools.http import unreachable
from agent.tools.passages import bounded
from agent.tools.registry import ToolContext, tool
from agent.tools.result import ErrorKind, ToolResult

_VIDEO_ID = re.compile(r"[A-Za-z0-9_-]{11}")
_VIDEO_FOLDERS = {"shorts", "embed", "live", "v"}
_CONNECT_S, _SILENCE_S = 4.0, 8.0
_RESERVE_S = 0.5
"""Seconds kept back, so that this tool says itself that YouTube is silent."""
_PARAGRAPH_S = 30
"""Seconds of speech in one paragraph, each of which begins with its time."""

_REFUSALS: dict[str, tuple[ErrorKind, str]] = {
    "RequestBlocked": ("blocked", "YouTube blocks this address (usual for servers in a cloud)."),
    "IpBlocked": ("blocked", "YouTube blocks this address (usual for servers in a cloud)."),
    "PoTokenRequired": ("blocked", "YouTube wants a proof of a real browser for this video."),
    "FailedToCreateConsentCookie": ("blocked", "YouTube asks for consent and does not take it."),
    "AgeRestricted": ("blocked", "This video is only for people who are signed in (age limit)."),
    "TranscriptsDisabled": ("unsupported", "This video has no subtitles."),
    "VideoUnavailable": ("not_found", "There is no such video any more."),
    "InvalidVideoId": ("invalid_args", "This is not the id of a video."),
    "YouTubeDataUnparsable": ("unavailable", "YouTube's answer cannot be read."),
}
"""What each exception of youtube-transcript-api means, by its name."""


class YoutubeTranscriptArgs(BaseModel):
    """Arguments of ``youtube_transcript``."""

    video: str = Field(min_length=1, max_length=300, description="link or id of the video")
    language: str = Field("en", max_length=12, description="language code such as en")


@tool(
    "youtube_transcript",
    capability="video",
    args=YoutubeTranscriptArgs,
    description="Read what is said in a YouTube video (its subtitles).",
)
def youtube_transcript(args: YoutubeTranscriptArgs, context: ToolContext) -> ToolResult:
    """The subtitles in the wanted language, else in another, which is then said."""
    video_id = find_video_id(args.video)
    if video_id is None:
        return ToolResult.failure(
            "invalid_args", f"{args.video[:100]!r} is neither a link to a YouTube video nor an id."
        )
    language = args.language.strip().lower() or "en"
    what = {"tool": "youtube_transcript", "video": video_id, "language": language}
    return remember(what, context, lambda: _read(video_id, language, context))


def find_video_id(video: str) -> str | None:
    """The id in a link of any of YouTube's forms, or the id itself; None where there is none."""
    video = video.strip().strip("<>\"'")
    if _VIDEO_ID.fullmatch(video):
        return video
    try:
        parts = urlsplit(video if "://" in video else f"https://{video}")
        host = (parts.hostname or "").removeprefix("www.").removeprefix("m.")
    except ValueError:
        return None
    folders = [folder for folder in parts.path.split("/") if folder]
    if host == "youtu.be":
        candidate = folders[:1]
    elif host in ("youtube.com", "music.youtube.com", "youtube-nocookie.com"):
        below = folders[1:2] if folders and folders[0] in _VIDEO_FOLDERS else []
        candidate = parse_qs(parts.query).get("v", below)
    else:
        candidate = []
    return next((text for text in candidate if _VIDEO_ID.fullmatch(text)), None)


class _Session(requests.Session):
    """The library sets no time-outs. Silence ends before the tool's time does, to be named."""

    def __init__(self, context: ToolContext) -> None:
        super().__init__()
        self._context = context

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        left = max(self._context.remaining() - _RESERVE_S, 0.1)
        timeout = (min(_CONNECT_S, left), min(_SILENCE_S, left))
        return super().send(request, **options | {"timeout": timeout})


def _read(video_id: str, language: str, context: ToolContext) -> ToolResult:
    from xml.etree.ElementTree import ParseError

    from youtube_transcript_api import CouldNotRetrieveTranscript, YouTubeTranscriptApi

    url = f"https://www.youtube.com/watch?v={video_id}"
    if no_network := unreachable(url):
        return ToolResult.failure(no_network.kind, no_network.message)
    session = _Session(context)
    try:
        transcripts = list(YouTubeTranscriptApi(http_client=session).list(video_id))
        chosen = _choose(transcripts, language)
        snippets = chosen.fetch()
    except CouldNotRetrieveTranscript as error:
        return ToolResult.failure(*_refusal(error))
    except ParseError:
        return ToolResult.failure("blocked", "YouTube sends empty subtitles to this address.")
    except requests.Timeout:
        return ToolResult.failure("timeout", "YouTube took too long to answer.")
    except requests.RequestException:
        return ToolResult.failure("network", "No connection to YouTube.")
    heading = f"# Subtitles of {url}\n\n{_note(chosen, transcripts, language)}"
    source = Source(url=url)
    text = bounded(f"{heading}\n\n{_paragraphs(snippets)}")
    return ToolResult.success(text, sources=(source,), untrusted=True)


def _choose(transcripts: list[Any], language: str) -> Any:
    """Written by hand before automatic, the wanted language before English before any other."""
    preferred = [language, language.split("-")[0], "en"]

    def rank(transcript: Any) -> tuple[int, bool]:
        code = transcript.language_code.lower()
        codes = [code, code.split("-")[0]]
        places = [preferred.index(c) for c in codes if c in preferred]
        return min(places, default=len(preferred)), transcript.is_generated

    return min(transcripts, key=rank)


def _note(chosen: Any, transcripts: list[Any], language: str) -> str:
    """Which subtitles these are, and which others there are."""
    made = "made automatically" if chosen.is_generated else "written by hand"
    note = f"Language: {chosen.language_code}, {made}."
    others = sorted({t.language_code for t in transcripts} - {chosen.language_code})
    if not chosen.language_code.lower().startswith(language.split("-")[0]):
        note = f"There are none in {language!r}. {note}"
    return f"{note} Others: {', '.join(others)}." if others else note


def _paragraphs(snippets: Any) -> str:
    """Half a minute a paragraph, each with the time at which it begins."""
    paragraphs: dict[int, list[str]] = {}
    for snippet in snippets:
        spoken = " ".join(snippet.text.split())
        paragraphs.setdefault(int(snippet.start // _PARAGRAPH_S), []).append(spoken)
    return "\n\n".join(
        f"[{_clock(number * _PARAGRAPH_S)}] {' '.join(spoken)}"
        for number, spoken in paragraphs.items()
    )


def _clock(seconds: int) -> str:
    hours, minutes = divmod(seconds // 60, 60)
    clock = f"{minutes:02}:{seconds % 60:02}"
    return f"{hours}:{clock}" if hours else clock


def _refusal(error: Any) -> tuple[ErrorKind, str]:
    """What an exception of the library means, as an error of a tool."""
    name = type(error).__name__
    if name in _REFUSALS:
        return _REFUSALS[name]
    if name == "VideoUnplayable":
        said = " ".join([error.reason or "no reason given", *error.sub_reasons])
        return "blocked", f"YouTube does not play this video: {said.rstrip('.')}."
    if name == "YouTubeRequestFailed":
        return "unavailable", f"YouTube has an error of its own: {error.reason[:100]}."
    return "unavailable", f"YouTube gave no subtitles ({name})."
