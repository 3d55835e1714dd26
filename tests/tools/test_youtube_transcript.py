"""``youtube_transcript`` through the real library, to a YouTube that is played behind a proxy."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.config import Settings
from agent.tools.registry import ToolContext, get_tools
from agent.tools.result import ToolError, ToolResult
from agent.tools.youtube_transcript import find_video_id
from tests.servers.web import Reply, Request, WebServer
from tests.servers.youtube import YouTube

(TRANSCRIPT,) = get_tools("video")
VIDEO = "dQw4w9WgXcQ"
ENGLISH = [
    (0.0, "Hello &amp; welcome."),
    (12.5, "Three\nbirds"),
    (31.0, "are here."),
    (3700.0, "Bye."),
]


@pytest.fixture
def youtube() -> YouTube:
    return YouTube({"en": ENGLISH})


@pytest.fixture
def server(
    youtube: YouTube, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WebServer]:
    with WebServer(youtube) as server:
        monkeypatch.setenv("HTTPS_PROXY", server.origin)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", server.trust_file(tmp_path))
        yield server


@pytest.fixture
def context(server: WebServer, tmp_path: Path) -> ToolContext:
    return ToolContext(Settings(_env_file=None, cache_dir=tmp_path), tmp_path)


def read(context: ToolContext, video: str = VIDEO, **options: str) -> ToolResult:
    return TRANSCRIPT.run(TRANSCRIPT.args(video=video, **options), context)


def error(context: ToolContext, **options: str) -> ToolError:
    result = read(context, **options)
    assert result.error is not None, result.text
    return result.error


# The video


@pytest.mark.parametrize(
    "video",
    [
        VIDEO,
        f"  {VIDEO} ",
        f"https://www.youtube.com/watch?v={VIDEO}",
        f"https://www.youtube.com/watch?app=desktop&v={VIDEO}&t=10s#x",
        f"http://m.youtube.com/watch?v={VIDEO}",
        f"youtube.com/watch?v={VIDEO}",
        f"https://music.youtube.com/watch?v={VIDEO}",
        f"https://youtu.be/{VIDEO}?si=abc",
        f"youtu.be/{VIDEO}",
        f"<https://www.youtube.com/shorts/{VIDEO}>",
        f"https://www.youtube.com/embed/{VIDEO}?rel=0",
        f"https://www.youtube.com/live/{VIDEO}",
        f"https://www.youtube-nocookie.com/embed/{VIDEO}",
        f"https://www.youtube.com/v/{VIDEO}",
    ],
)
def test_a_video_is_found_in_any_form_of_link(video: str) -> None:
    assert find_video_id(video) == VIDEO


@pytest.mark.parametrize(
    "video",
    [
        "a video about birds",
        "https://vimeo.com/123456789",
        "https://www.youtube.com/@channel",
        "https://www.youtube.com/watch?v=short",
        "https://www.youtube.com/playlist?list=PL123",
        f"https://evil.example/watch?v={VIDEO}",
        f"https://youtube.com.evil.example/watch?v={VIDEO}",
        "https://youtu.be/",
        "http://[::1",
    ],
)
def test_what_is_no_video_is_refused_without_a_request(
    video: str, context: ToolContext, server: WebServer
) -> None:
    assert error(context, video=video).kind == "invalid_args"
    assert not server.requests


# Its subtitles


def test_subtitles_come_in_paragraphs_with_their_time(context: ToolContext) -> None:
    result = read(context)
    assert result.text == (
        f"# Subtitles of https://www.youtube.com/watch?v={VIDEO}\n\n"
        "Language: en, written by hand.\n\n"
        "[00:00] Hello & welcome. Three birds\n\n[00:30] are here.\n\n[1:01:30] Bye."
    )
    assert result.untrusted
    assert result.sources[0].url.endswith(VIDEO)


@pytest.mark.parametrize(
    ("wanted", "there", "given"),
    [
        ("de", ["en", "de"], "Language: de, written by hand. Others: en."),
        ("en", ["asr-en", "en-GB"], "Language: en-GB, written by hand. Others: en."),
        ("en", ["asr-en", "fr"], "Language: en, made automatically. Others: fr."),
        ("en", ["asr-en", "en"], "Language: en, written by hand."),
        ("en-US", ["fr", "en"], "Language: en, written by hand. Others: fr."),
        ("pt", ["pt-BR", "en"], "Language: pt-BR, written by hand. Others: en."),
        ("ja", ["fr", "en"], "There are none in 'ja'. Language: en, written by hand. Others: fr."),
        ("ja", ["fr"], "There are none in 'ja'. Language: fr, written by hand."),
        ("", ["en"], "Language: en, written by hand."),
    ],
)
def test_the_best_language_is_chosen_and_named(
    wanted: str, there: list[str], given: str, youtube: YouTube, context: ToolContext
) -> None:
    youtube.subtitles = dict.fromkeys(there, ENGLISH)
    assert read(context, language=wanted).text.split("\n\n")[1] == given


def test_they_are_kept(context: ToolContext, server: WebServer) -> None:
    read(context)
    assert read(context, video=f"https://youtu.be/{VIDEO}").cached
    assert len(server.requests) == 3


# Refusals


@pytest.mark.parametrize(
    ("playability", "kind", "said"),
    [
        (
            {"status": "LOGIN_REQUIRED", "reason": "Sign in to confirm you’re not a bot"},
            "blocked",
            "blocks this address",
        ),
        (
            {
                "status": "LOGIN_REQUIRED",
                "reason": "This video may be inappropriate for some users.",
            },
            "blocked",
            "age limit",
        ),
        ({"status": "ERROR", "reason": "This video is unavailable"}, "not_found", "no such video"),
        ({"status": "UNPLAYABLE", "reason": "Private video."}, "blocked", "Private video."),
        ({"status": "UNPLAYABLE"}, "blocked", "no reason given"),
    ],
)
def test_what_youtube_refuses_is_named(
    playability: dict[str, str], kind: str, said: str, youtube: YouTube, context: ToolContext
) -> None:
    youtube.playability = playability
    failure = error(context)
    assert failure.kind == kind
    assert said in failure.message


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (Reply("slow down", status=429), "blocked"),
        (Reply('<div class="g-recaptcha"></div>'), "blocked"),
        (Reply('<form action="https://consent.youtube.com/s">'), "blocked"),
        (Reply("<html>something new</html>"), "unavailable"),
        (Reply("no", status=500), "unavailable"),
        (Reply(raw=[]), "network"),
    ],
)
def test_a_watch_page_that_is_none_is_named(
    page: Reply, kind: str, youtube: YouTube, context: ToolContext
) -> None:
    youtube.watch_page = page
    assert error(context).kind == kind


def test_a_block_is_said_at_once(youtube: YouTube, context: ToolContext, server: WebServer) -> None:
    youtube.watch_page = Reply("slow down", status=429)
    error(context)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("track", "kind"),
    [
        (Reply(""), "blocked"),
        (Reply("<html>not xml"), "blocked"),
        (Reply("no", status=404), "unavailable"),
        (Reply("no", status=429), "blocked"),
    ],
)
def test_subtitles_that_are_withheld_are_named(
    track: Reply, kind: str, youtube: YouTube, context: ToolContext
) -> None:
    youtube.track = track
    assert error(context).kind == kind


def test_a_video_without_subtitles_is_named(youtube: YouTube, context: ToolContext) -> None:
    youtube.subtitles = {}
    failure = error(context)
    assert failure.kind == "unsupported"
    assert failure.message == "This video has no subtitles."


def test_a_proof_of_a_browser_is_named(youtube: YouTube, context: ToolContext) -> None:
    youtube.track_url = "https://www.youtube.com/api/timedtext?v=x&exp=xpe&lang="
    assert error(context).kind == "blocked"


def test_every_refusal_of_the_library_has_words_of_its_own() -> None:
    from youtube_transcript_api import _errors as library

    from agent.tools.youtube_transcript import _REFUSALS

    raised = {
        name
        for name, kind in vars(library).items()
        if isinstance(kind, type) and issubclass(kind, library.CouldNotRetrieveTranscript)
    }
    told_with_their_reason = {"VideoUnplayable", "YouTubeRequestFailed"}
    never_asked_for = {
        "CouldNotRetrieveTranscript",  # the base class
        "NoTranscriptFound",  # the choice of a language is our own
        "NotTranslatable",
        "TranslationLanguageNotAvailable",
    }
    assert raised - told_with_their_reason - never_asked_for == set(_REFUSALS)


def test_without_a_network_it_says_so(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HTTPS_PROXY")
    assert error(context).kind == "network"


def test_a_silent_youtube_is_named_before_the_tool_s_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak = threading.Event()

    def silent(request: Request) -> Reply:
        speak.wait(60)
        return Reply("too late")

    with WebServer(silent) as server:
        monkeypatch.setenv("HTTPS_PROXY", server.origin)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", server.trust_file(tmp_path))
        settings = Settings(_env_file=None, cache_dir=tmp_path, tool_timeout_s=2)
        said = error(ToolContext(settings, tmp_path))
        speak.set()
    assert (said.kind, said.message) == ("timeout", "YouTube took too long to answer.")
