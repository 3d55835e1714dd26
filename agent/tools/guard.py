"""Connections of the guarded fetch: to public addresses and the web's ports, and cut when told."""

import ipaddress
import socket
from contextlib import suppress
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests_hardened.ip_filter import InvalidIPAddress
from requests_hardened.ip_filter_adapter import IPFilterAdapter

from agent.config import Settings
from agent.tools.result import ErrorKind, ToolError

_PORTS = (80, 443)
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
"""The only block of IPv6 from which public addresses are assigned (RFC 4291; IANA registry)."""


class Refused(Exception):
    """Carries the error of a fetch out of requests and the redirect loop."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.error = ToolError(kind=kind, message=message)


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet's, and of no tunnel into another one."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        return ip in _GLOBAL_UNICAST and ip.is_global and not (ip.sixtofour or ip.teredo)
    return ip.is_global and not ip.is_multicast


def host_of(url: str) -> str:
    """The host of an address, for messages."""
    with suppress(ValueError):
        return urlsplit(url if "://" in url else f"//{url}").hostname or "this address"
    return "this address"


class _Session(requests.Session):
    """Leaves redirects to the caller; requests would read their bodies without bound."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


class _TrackedAdapter(HTTPAdapter):
    """Remembers its sockets, so that a fetch can be cut while a server drips."""

    def __init__(self, sockets: list[socket.socket], **options: Any) -> None:
        super().__init__(**options)
        self._sockets = sockets

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        connection_class = pool.ConnectionCls

        class Tracked(connection_class):  # type: ignore[misc, valid-type]
            def connect(connection) -> None:
                super().connect()
                self._sockets.append(connection.sock)

        pool.ConnectionCls = Tracked
        return pool


class _PublicAdapter(_TrackedAdapter, IPFilterAdapter):  # type: ignore[misc]
    """Connects to public addresses on the web's ports and to nothing else."""

    def build_connection_pool_key_attributes(
        self, request: requests.PreparedRequest, *args: Any, **kwargs: Any
    ) -> Any:
        private = Refused("blocked", f"{host_of(request.url or '')} is not a public address.")
        try:
            host, pool = super().build_connection_pool_key_attributes(request, *args, **kwargs)
        except InvalidIPAddress as error:
            raise private from error
        # host["host"] is now the very IP address that will be connected to.
        if not is_public(host["host"].strip("[]")):
            raise private
        if host["port"] not in (None, *_PORTS):
            raise Refused("blocked", "Only the ports 80 and 443 may be opened.")
        return host, pool


def guarded_session(
    settings: Settings, sockets: list[socket.socket], accept: str
) -> requests.Session:
    """A session that keeps no cookies and uses no proxy; its sockets are added to ``sockets``.

    The origins of ``Settings.allowed_origins`` are let through although they are not public.
    """
    session = _Session()
    session.trust_env = False  # no proxy that would resolve the name itself, no .netrc
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    session.headers.update(
        {
            "User-Agent": f"Mozilla/5.0 (compatible; ten-call-agent/0.1; +{settings.contact})",
            "Accept": accept,
            "Accept-Language": "en,*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        }
    )
    session.mount("http://", _PublicAdapter(sockets, is_https_proto=False))
    session.mount("https://", _PublicAdapter(sockets, is_https_proto=True))
    for origin in settings.allowed_origins:
        session.mount(origin.rstrip("/").lower() + "/", _TrackedAdapter(sockets))
    return session
