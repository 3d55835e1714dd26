"""The guarded fetch, against servers that lie, drip and lead elsewhere."""

import gzip
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.config import Settings
from agent.tools import http
from agent.tools.guard import is_public
from agent.tools.http import Page, fetch
from agent.tools.registry import ToolContext
from agent.tools.result import ToolError
from tests.servers.web import Reply, Request, WebServer, redirect

_LOOK_UP = socket.getaddrinfo

LOOPBACK_HOSTS = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0x7F.0x0.0x0.0x1",
    "0177.0.0.1",
    "0177.1",
    "017700000001",
    "00000177.0.0.01",
    "0",
    "0.0.0.0",
    "localhost",
    "LOCALHOST",
    "LocalHost.",
    "ⓛocalhost",
    "ｌｏｃａｌｈｏｓｔ",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127%2e0%2e0%2e1",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:7f00:0001::1]",
    "[2001:0:7f00:1::80ff:fffe]",
]
"""Spellings of this machine, of which some are not even understood."""

PRIVATE_HOSTS = [
    "10.0.0.1",
    "10.255.255.255",
    "012.0.0.1",
    "0xa000001",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.1",
    "3232235521",
    "169.254.169.254",
    "169.254.43518",
    "2852039166",
    "0xA9FEA9FE",
    "0251.0376.0251.0376",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:a9fe:a9fe::]",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "[fe80::1]",
    "[fe80::1%25lo]",
    "[fec0::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fd12:3456:789a::1]",
    "[ff02::1]",
    "[ff05::2]",
    "[2001:db8::1]",
    "[2001:20::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[100::1]",
    "[4000::1]",
]
"""Other addresses that are not of the public internet."""

HOSTS = LOOPBACK_HOSTS + PRIVATE_HOSTS


@pytest.fixture(autouse=True)
def numeric_hosts(no_network: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers in any spelling and names of this machine are looked up; nothing else is asked."""

    def look_up(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        flags = 0 if "localhost" in name.lower() else socket.AI_NUMERICHOST
        return _LOOK_UP(host, port, type=socket.SOCK_STREAM, flags=flags)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def context(*origins: str, seconds: float = 25) -> ToolContext:
    settings = Settings(_env_file=None, allowed_origins=origins, tool_timeout_s=seconds)
    return ToolContext(settings, Path())


@pytest.fixture(scope="module")
def shared_site() -> Iterator[WebServer]:
    with WebServer(lambda request: Reply()) as server:
        yield server


@pytest.fixture
def site(shared_site: WebServer) -> WebServer:
    """A server whose ``answer`` each test sets; its origin is the only one that is let through."""
    shared_site.requests.clear()
    shared_site.cut.clear()
    return shared_site


def fetched(site: WebServer, answer: Callable[[Request], Reply]) -> Page | ToolError:
    site.answer = answer
    return fetch(f"{site.origin}/", context(site.origin))


def page(site: WebServer, reply: Reply) -> Page:
    result = fetched(site, lambda request: reply)
    assert isinstance(result, Page), result
    return result


def refusal(site: WebServer, reply: Reply) -> str:
    result = fetched(site, lambda request: reply)
    assert isinstance(result, ToolError), result
    return result.kind


class Watch:
    """Counts connections to a server; ``made`` connects once more, to be sure that it has all."""

    def __init__(self, server: WebServer) -> None:
        self._server, self._before = server, server.connections

    def made(self) -> int:
        assert isinstance(page(self._server, Reply("counted")), Page)
        return self._server.connections - self._before - 1


@pytest.fixture(scope="module")
def inside() -> Iterator[WebServer]:
    """Another server of this machine, which nothing may reach."""
    with WebServer(lambda request: Reply("secret")) as server:
        yield server


# Where it may go


@pytest.mark.parametrize("host", HOSTS)
def test_no_address_that_is_not_public_is_connected_to(host: str, site: WebServer) -> None:
    connections = Watch(site)
    result = fetch(f"http://{host}:{site.port}/", context())
    assert isinstance(result, ToolError)
    assert result.kind in ("blocked", "invalid_args", "network")
    assert connections.made() == 0


@pytest.mark.parametrize("host", HOSTS)
def test_no_redirect_leads_to_an_address_that_is_not_public(
    host: str, site: WebServer, inside: WebServer
) -> None:
    connections = Watch(inside)
    far = f"http://{host}:{inside.port}/"
    result = fetched(site, lambda request: redirect("/on" if request.path == "/" else far))
    assert isinstance(result, ToolError)
    assert result.kind in ("blocked", "invalid_args", "network")
    assert connections.made() == 0


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "[::ffff:127.0.0.1]",
        "[::7f00:1]",
        "[::ffff:0:7f00:1]",
        "[fec0::1]",
        "[4000::1]",
    ],
)
def test_what_is_understood_is_refused_by_its_address(host: str) -> None:
    result = fetch(f"http://{host}/", context())
    assert result == ToolError(
        kind="blocked", message=f"{host.strip('[]')} is not a public address."
    )


@pytest.mark.parametrize(
    "url",
    [
        "http://{host}:{port}\\@example.org/",
        "http://example.org@{host}:{port}/",
        "http://example.org:80@{host}:{port}/",
        "http://user:secret@{host}:{port}/",
        "http://{host}:{port}#@example.org/",
        "http://{host}:{port}?@example.org/",
        "http:{host}:{port}/",
        "http:/{host}:{port}/",
        "http:///{host}:{port}/",
        "http://{host}:{port} .example.org/",
        "http://{host}\t:{port}/",
        "http://{host}%00.example.org:{port}/",
        "https://{host}:{port}/",
        "HTTP://{host}:{port}/",
        "//{host}:{port}/",
        "{host}:{port}",
        "ftp://{host}:{port}/",
        "gopher://{host}:{port}/_x",
        "file:///etc/passwd",
        "file://{host}:{port}/etc/passwd",
        "data:text/html,secret",
        "javascript:alert(1)",
        "jar:http://{host}:{port}!/",
        "view-source:http://{host}:{port}/",
        "",
        " ",
        "http://",
        "http://[::1",
        "http://[]/",
        "http://:80/",
        "http://.../",
        "not an address",
        "\x00",
    ],
)
def test_crooked_addresses_connect_to_nothing(url: str, site: WebServer) -> None:
    connections = Watch(site)
    result = fetch(url.format(host="127.0.0.1", port=site.port), context())
    assert isinstance(result, ToolError)
    assert result.kind in ("blocked", "invalid_args", "network")
    assert connections.made() == 0


@pytest.mark.parametrize("port", [1, 22, 25, 81, 8080, 11434, 65535])
def test_only_the_ports_of_the_web_are_opened(port: int) -> None:
    result = fetch(f"http://192.0.1.1:{port}/", context())
    assert result == ToolError(kind="blocked", message="Only the ports 80 and 443 may be opened.")


def test_a_name_that_changes_its_address_after_the_check_is_not_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = iter(["192.0.1.1", "127.0.0.1", "127.0.0.1", "127.0.0.1"])

    def look_up(host: str, port: int, *args: Any, **kwargs: Any) -> Any:
        return _LOOK_UP(next(answers), port, type=socket.SOCK_STREAM)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    result = fetch("http://rebind.example/", context())
    assert result == ToolError(kind="blocked", message="rebind.example is not a public address.")


def test_the_address_that_was_checked_is_the_one_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The name resolves to a public address once; whoever asks again is led to this machine."""
    connected: list[Any] = []

    def look_up(host: str, port: int, *args: Any, **kwargs: Any) -> Any:
        literal = host.replace(".", "").isdigit()
        return _LOOK_UP(host if literal else "192.0.1.1", port, type=socket.SOCK_STREAM)

    def connect(sock: socket.socket, address: Any) -> None:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket.socket, "connect", connect)
    result = fetch("http://pinned.example/", context())
    assert isinstance(result, ToolError)
    assert result.kind == "network"
    assert connected == [("192.0.1.1", 80)]


def test_allowed_origins_are_exact(site: WebServer, inside: WebServer) -> None:
    site.answer = lambda request: Reply("here")
    allowed = context(site.origin)
    connections = Watch(inside)
    assert isinstance(fetch(site.origin, allowed), Page)
    assert isinstance(fetch(f"{site.origin}?q=1", allowed), Page)
    for near in (
        site.origin.replace("http:", "https:"),
        site.origin.replace("127.0.0.1", "localhost"),
        f"{site.origin}0",
        f"{site.origin}@127.0.0.1:{inside.port}/",
        inside.origin,
    ):
        assert isinstance(fetch(near, allowed), ToolError), near
    assert connections.made() == 0


@settings(deadline=None)
@given(st.ip_addresses())
def test_a_public_address_is_global_by_the_registries(address: Any) -> None:
    if is_public(str(address)):
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_loopback


@settings(deadline=None)
@given(st.ip_addresses(v=4))
def test_no_address_of_version_6_wraps_one_of_version_4(address: Any) -> None:
    number = int(address)
    for prefix in ("::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::"):
        assert not is_public(str(ipaddress.IPv6Address(prefix) + number))
    assert not is_public(str(ipaddress.IPv6Address("2002::") + (number << 80)))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "8.8.8.8", "192.0.1.1", "2606:4700::1111", "2a00:1450::8a"]
)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


# What it brings back


@pytest.mark.parametrize("sent", ["/b/c?d=é#top", "/b/c?d=é#top".encode().decode("latin-1")])
def test_a_redirect_is_followed_and_its_end_reported(sent: str, site: WebServer) -> None:
    def answer(request: Request) -> Reply:
        return redirect(sent) if request.path == "/" else Reply(request.form["d"])

    result = fetched(site, answer)
    assert isinstance(result, Page)
    assert result.text == "é"
    assert result.url.endswith("/b/c?d=é#top")


def test_the_body_of_a_redirect_is_not_read(site: WebServer) -> None:
    endless = chain([b"HTTP/1.1 302 Found\r\nLocation: /end\r\n\r\n"], repeat(b"x" * 10_000))

    def answer(request: Request) -> Reply:
        return Reply(raw=endless) if request.path == "/" else Reply("end")

    result = fetched(site, answer)
    assert isinstance(result, Page)
    assert result.text == "end"


def test_redirects_without_end_are_given_up(site: WebServer) -> None:
    result = fetched(site, lambda request: redirect("/again"))
    assert isinstance(result, ToolError)
    assert result.kind == "blocked"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "blocked"),
        (403, "blocked"),
        (404, "not_found"),
        (410, "not_found"),
        (429, "rate_limited"),
        (451, "blocked"),
        (500, "unavailable"),
        (503, "unavailable"),
    ],
)
def test_a_refusal_keeps_its_meaning(status: int, kind: str, site: WebServer) -> None:
    assert refusal(site, Reply("no", status=status)) == kind


def test_no_cookie_and_no_credential_is_sent() -> None:
    def answer(request: Request) -> Reply:
        if request.path == "/":
            return Reply(status=302, headers={"Location": "/next", "Set-Cookie": "id=1; Path=/"})
        return Reply("end")

    with WebServer(answer) as server:
        assert isinstance(fetch(f"{server.origin}/", context(server.origin)), Page)
        for request in server.requests:
            assert "cookie" not in request.headers
            assert "authorization" not in request.headers
            assert "ten-call-agent" in request.headers["user-agent"]


def test_a_body_beyond_the_limit_is_refused_whatever_its_length_claims(site: WebServer) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    assert refusal(site, Reply(raw=chain([head], repeat(b"x" * 100_000)))) == "too_large"


def test_a_compressed_body_is_measured_after_decompression(site: WebServer) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    assert len(bomb) < 100_000
    assert refusal(site, Reply(bomb, headers={"Content-Encoding": "gzip"})) == "too_large"


def test_a_compressed_page_is_decompressed(site: WebServer) -> None:
    reply = Reply(gzip.compress(b"<html>packed</html>"), headers={"Content-Encoding": "gzip"})
    assert page(site, reply).text == "<html>packed</html>"


def test_less_than_the_length_that_was_promised_is_kept_and_said(site: WebServer) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 900\r\n\r\n"
    result = page(site, Reply(raw=[head, b"<html>half a page"]))
    assert result.text == "<html>half a page"
    assert not result.complete


def test_a_broken_chunk_keeps_what_came_before_it(site: WebServer) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    result = page(site, Reply(raw=[head, b"5\r\n<html\r\n", b"not a length\r\n"]))
    assert result.text.startswith("<html")
    assert not result.complete


@pytest.mark.parametrize("raw", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 abc\r\n\r\n"])
def test_what_is_no_answer_is_an_error_of_the_network(raw: bytes, site: WebServer) -> None:
    assert refusal(site, Reply(raw=[raw])) == "network"


def drip(server_stopped: threading.Event, first: bytes) -> Iterator[bytes]:
    yield first
    while not server_stopped.wait(0.02):
        yield b"a"


@pytest.mark.parametrize(
    "first",
    [
        b"H",
        b"HTTP/1.1 200 OK\r\nX-Long: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ],
    ids=["status", "header", "body", "endless body"],
)
def test_a_server_that_drips_is_cut(first: bytes) -> None:
    stopped = threading.Event()
    with WebServer(lambda request: Reply(raw=drip(stopped, first))) as server:
        result = fetch(f"{server.origin}/", context(server.origin, seconds=0.4))
        assert isinstance(result, ToolError)
        assert result.kind == "timeout"
        assert server.cut.wait(10), "the connection was left open"
        stopped.set()


def test_a_server_that_is_silent_is_given_up() -> None:
    with WebServer(lambda request: Reply(raw=iter(server.stopped.wait, True))) as server:
        result = fetch(f"{server.origin}/", context(server.origin, seconds=0.4))
    assert isinstance(result, ToolError)
    assert result.kind == "timeout"


def test_a_certificate_that_nobody_signed_is_not_accepted() -> None:
    with WebServer(lambda request: Reply("forged"), tls=True) as server:
        result = fetch(server.origin, context(server.origin))
    assert result == ToolError(kind="blocked", message="The certificate of 127.0.0.1 is not valid.")


def test_a_closed_port_is_an_error_of_the_network() -> None:
    with WebServer(lambda request: Reply()) as server:
        origin = server.origin
    result = fetch(origin, context(origin))
    assert isinstance(result, ToolError)
    assert result.kind == "network"


def test_a_look_up_that_hangs_is_an_error_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: hanging.wait())
    monkeypatch.setattr(http, "LOOKUP_S", 0.2)
    result = fetch("https://example.org/", context())
    hanging.set()
    assert isinstance(result, ToolError)
    assert result.kind == "network"


# What the bytes are


@pytest.mark.parametrize(
    ("body", "declared", "text"),
    [
        ("naïve Ünïcödé".encode(), "text/html", "naïve Ünïcödé"),
        ("naïve Ünïcödé".encode(), "text/html; charset=iso-8859-1", "naïve Ünïcödé"),
        ("naïve – “q”".encode("cp1252"), "text/html; charset=ISO-8859-1", "naïve – “q”"),
        (
            "Привет, как дела".encode("cp1251"),
            "text/html; charset=windows-1251",
            "Привет, как дела",
        ),
        ("Привет".encode("koi8-r"), "text/plain; charset='koi8-r'", "Привет"),
        (
            "漢字かな交じり文".encode("shift_jis"),
            "text/html; charset=Shift_JIS",
            "漢字かな交じり文",
        ),
        ("漢字かな".encode("iso-2022-jp"), "text/html; charset=iso-2022-jp", "漢字かな"),
        ("中文網頁".encode("gb18030"), "text/html; charset=gb2312", "中文網頁"),
        ("한국어".encode("euc-kr"), "text/html; charset=EUC-KR", "한국어"),
        ("mit BOM ü".encode("utf-8-sig"), "text/html; charset=latin-1", "mit BOM ü"),
        ("weit ü".encode("utf-16"), "text/html; charset=utf-8", "weit ü"),
        ("weit ü".encode("utf-16-le"), "text/html; charset=utf-16le", "weit ü"),
        (b"<meta charset='windows-1251'>\xcf\xf0\xe8\xe2\xe5\xf2", "text/html", None),
        (b"plain", "text/html; charset=no-such-charset", "plain"),
        (b"caf\xe9", "text/html; charset=utf-8", "café"),
        (b"", "text/html", ""),
    ],
)
def test_the_charset_is_found(
    body: bytes, declared: str, text: str | None, site: WebServer
) -> None:
    decoded = page(site, Reply(body, type=declared)).text
    assert decoded == text if text is not None else decoded.endswith("Привет")


@pytest.mark.parametrize(
    ("body", "declared", "kind"),
    [
        (b"%PDF-1.7 ...", "text/html", "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "text/html", "binary"),
        (b"PK\x03\x04\x14\0", "text/plain", "binary"),
        (b"<!DOCTYPE html><p>x", "application/pdf", "html"),
        (b"<html><body>x", "application/json", "html"),
        (b"\n\n <p>a fragment</p>", "text/plain", "html"),
        (b"words, then <b>bold</b>", "text/html", "html"),
        (b"words, then a < b", "text/plain", "text"),
        (b'{"a": [1, 2]}', "text/html", "json"),
        (b"[1, 2", "application/json", "text"),
        (b"<?xml version='1.0'?><rss><channel/></rss>", "text/html; charset=utf-8", "html"),
        (b"<?xml version='1.0'?><rss><channel/></rss>", "application/xml", "text"),
        (b"<?xml version='1.0'?><html xmlns='x'>", "application/xml", "html"),
        (b"a,b\n1,2\n", "text/csv", "text"),
        ("<html>weit".encode("utf-16"), "text/plain", "html"),
    ],
)
def test_the_kind_is_read_from_the_bytes(
    body: bytes, declared: str, kind: str, site: WebServer
) -> None:
    assert page(site, Reply(body, type=declared)).kind == kind


@settings(deadline=None)
@given(st.binary(max_size=300), st.text(max_size=40))
def test_no_bytes_and_no_header_are_too_much(body: bytes, declared: str) -> None:
    found = Page("https://example.org/", declared, body)
    assert isinstance(found.text, str)
    assert found.kind in ("html", "json", "text", "binary")
