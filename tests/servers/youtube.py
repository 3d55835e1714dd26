"""YouTube as youtube-transcript-api sees it: watch page, player data, subtitles."""

import json
from dataclasses import dataclass, field
from html import escape
from typing import Any

from tests.servers.web import Reply, Request

Snippets = list[tuple[float, str]]
"""Start in seconds, and what is said."""

WATCH_PAGE = Reply('<html><script>"INNERTUBE_API_KEY":"key"</script></html>')


@dataclass
class YouTube:
    """One video's subtitles by language code; ``asr-en`` are those made automatically."""

    subtitles: dict[str, Snippets] = field(default_factory=dict)
    playability: dict[str, Any] = field(default_factory=lambda: {"status": "OK"})
    watch_page: Reply = WATCH_PAGE
    track: Reply | None = None
    """Given in place of any subtitles."""
    track_url: str = "https://www.youtube.com/api/timedtext?v=x&lang="

    def __call__(self, request: Request) -> Reply:
        if request.path == "/watch":
            return self.watch_page
        if request.path == "/youtubei/v1/player":
            return Reply(json.dumps(self._player()), type="application/json")
        return self.track or Reply(_timed_text(self.subtitles[request.form["lang"]]))

    def _player(self) -> dict[str, Any]:
        tracks = [
            {
                "baseUrl": f"{self.track_url}{code}",
                "name": {"runs": [{"text": code}]},
                "languageCode": code.removeprefix("asr-"),
                "kind": "asr" if code.startswith("asr-") else "",
            }
            for code in self.subtitles
        ]
        captions = {"playerCaptionsTracklistRenderer": {"captionTracks": tracks}}
        return {
            "playabilityStatus": self.playability,
            "captions": captions if tracks else {},
        }


def _timed_text(snippets: Snippets) -> str:
    lines = (f'<text start="{at}" dur="2">{escape(said)}</text>' for at, said in snippets)
    return f'<?xml version="1.0" encoding="utf-8" ?><transcript>{"".join(lines)}</transcript>'
