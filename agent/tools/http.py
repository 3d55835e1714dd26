"""The guarded fetch: the one way in which an address that a model or a page names is opened.

Only http and https, only ports 80 and 443, only public addresses, checked and pinned after DNS and
again at every redirect, within a number of bytes and seconds. No cookie, proxy or credential.
"""

import re
import socket
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException
from urllib.parse import urljoin, urlsplit

import requests
import urllib3.exceptions

from agent.config import Settings
from agent.tools import content
from agent.tools.deadline import within
from agent.tools.guard import Refused, guarded_session, host_of
from agent.tools.registry import ToolContext
from agent.tools.result import ToolError

MAX_BYTES = 5_000_000
"""Bytes of a body after decompression."""
FETCH_S = 20.0
"""Wall-clock seconds from the look-up of the name to the last byte, all redirects included."""
CONNECT_S, READ_S, LOOKUP_S = 5.0, 10.0, 4.0
"""Seconds of one connection attempt, of one silent read, and of one look-up of a name."""
MAX_REDIRECTS = 5
_CHUNK = 65_536
_WITH_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)
_BARE_HOST = re.compile(r"[\w-]+(\.[\w-]+)+(:\d+)?([/?#]|$)")


@dataclass(frozen=True)
class Page:
    """A fetched document.

    ``url`` is where the redirects led, ``declared`` the Content-Type that the server claims;
    ``complete`` is False when the connection broke before the end.
    """

    url: str
    declared: str
    body: bytes
    complete: bool = True

    @cached_property
    def kind(self) -> content.Kind:
        """What the bytes are, whatever the server says."""
        return content.sniff(self.body, self.declared)

    @cached_property
    def text(self) -> str:
        """The bytes as text."""
        return content.decode(self.body, self.declared)


def fetch(
    url: str, context: ToolContext, *, accept: str = "text/html,application/pdf,text/*,*/*;q=0.5"
) -> Page | ToolError:
    """Fetch ``url`` (``https://`` is added where no scheme is given), or say why not.

    The origins of ``Settings.allowed_origins`` are let through although they are not public.
    """
    seconds = min(FETCH_S, context.remaining())
    sockets: list[socket.socket] = []
    try:
        with guarded_session(context.settings, sockets, accept) as session:
            return within(seconds, lambda: _follow(_normalised(url), session, context.settings))
    except Refused as refused:
        return refused.error
    except (TimeoutError, requests.Timeout, urllib3.exceptions.TimeoutError):
        return ToolError(kind="timeout", message=f"{host_of(url)} took too long to answer.")
    except requests.exceptions.SSLError:
        return ToolError(kind="blocked", message=f"The certificate of {host_of(url)} is not valid.")
    except ValueError:
        return ToolError(kind="invalid_args", message=f"{url[:200]!r} is not a web address.")
    except (requests.RequestException, urllib3.exceptions.HTTPError, HTTPException, OSError):
        return ToolError(kind="network", message=f"No connection to {host_of(url)}.")
    finally:
        _cut(sockets)


def unreachable(url: str) -> ToolError | None:
    """The error to return when the host of ``url`` cannot be looked up, else None.

    For libraries that would spend their whole time-out on a missing network. Where the environment
    names a proxy for ``url``, the look-up is the proxy's business.
    """
    proxies = requests.utils.get_environ_proxies(url)
    return None if requests.utils.select_proxy(url, proxies) else _look_up(host_of(url))


def _look_up(host: str) -> ToolError | None:
    try:
        within(LOOKUP_S, lambda: socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError):
        return ToolError(kind="network", message=f"The address of {host} cannot be looked up.")
    return None


def _follow(url: str, session: requests.Session, settings: Settings) -> Page:
    """Open ``url`` and what it redirects to; each step goes through the same checks."""
    for _ in range(MAX_REDIRECTS + 1):
        _check(url, settings)
        with session.get(
            url, stream=True, allow_redirects=False, timeout=(CONNECT_S, READ_S)
        ) as response:
            if response.is_redirect:
                url = urljoin(url, _location(response))
                continue
            _check_status(response)
            body, complete = _read(response)
            return Page(url, response.headers.get("Content-Type", ""), body, complete)
    raise Refused("blocked", f"{host_of(url)} redirects without end.")


def _location(response: requests.Response) -> str:
    """Where a redirect leads. Headers come as Latin-1 but are written in UTF-8 by many servers."""
    location = response.headers["Location"]
    with suppress(UnicodeError):
        return location.encode("latin-1").decode()
    return location


def _check(url: str, settings: Settings) -> None:
    """What can be said of an address before its name is looked up."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused("invalid_args", "Only http and https addresses can be opened.")
    if parts.username is not None or parts.password is not None:
        raise Refused("invalid_args", "Addresses with a user name or password are not opened.")
    if not _is_allowed(url, settings) and (error := _look_up(parts.hostname)):
        raise Refused(error.kind, error.message)


def _is_allowed(url: str, settings: Settings) -> bool:
    return any(
        url.lower().startswith(o.rstrip("/").lower() + "/") for o in settings.allowed_origins
    )


def _check_status(response: requests.Response) -> None:
    status, host = response.status_code, host_of(response.url)
    if status in (404, 410):
        raise Refused("not_found", f"{host} has no such page ({status}).")
    if status == 429:
        raise Refused("rate_limited", f"{host} refuses further requests for now (429).")
    if 400 <= status < 500:
        raise Refused("blocked", f"{host} refuses to show this page ({status}).")
    if status >= 500:
        raise Refused("unavailable", f"{host} has an error of its own ({status}).")


def _read(response: requests.Response) -> tuple[bytes, bool]:
    """The body, decompressed, and whether all of it came; what a broken connection left counts."""
    body = bytearray()
    try:
        # read1 hands over what has come; read would wait for a full chunk from a server that drips.
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            body += chunk
            if len(body) > MAX_BYTES:
                size = MAX_BYTES // 1_000_000
                raise Refused("too_large", f"The page is larger than {size} MB and was not read.")
    except (urllib3.exceptions.ProtocolError, urllib3.exceptions.DecodeError):
        if not body:
            raise
        return bytes(body), False
    return bytes(body), True


def _normalised(url: str) -> str:
    url = url.strip().strip("<>\"'")
    if "://" not in url and not _WITH_SCHEME.match(url) and _BARE_HOST.match(url):
        url = f"https://{url}"
    parts = urlsplit(url)
    return url if parts.path or not parts.netloc else parts._replace(path="/").geturl()


def _cut(sockets: list[socket.socket]) -> None:
    """Shut the sockets down: a thread that still waits for one of them ends at once."""
    for opened in sockets:
        with suppress(OSError):
            opened.shutdown(socket.SHUT_RDWR)
