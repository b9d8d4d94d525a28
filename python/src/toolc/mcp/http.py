"""The transport over HTTP ("streamable HTTP"): each message is a request, whose response has the answer or a stream of messages."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from http.client import HTTPException
from typing import IO, TYPE_CHECKING, Any, Final
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .protocol import entries_of, error_of, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_SESSION: Final = "Mcp-Session-Id"
# How long the end of a connection may take, in seconds.
_GRACE: Final = 2.0
# How much of a response with an error a message shows.
_MAX_EXCERPT: Final = 200


class _NoRedirection(HTTPRedirectHandler):
    """Another server must not get the headers."""

    def redirect_request(self, *args: Any, **named: Any) -> None:
        """Returns no request."""


class Http:
    """A server at an address. Each request runs on a thread of its own, and ends with its response."""

    def __init__(self, url: str, headers: Mapping[str, str], max_bytes: int) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"the address of a server begins with `http://` or `https://`, and this is `{url}`")
        self._url = url
        self._max_bytes = max_bytes
        self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
        self._opener = build_opener(_NoRedirection)
        self._notification: threading.Thread | None = None
        self._receive: Callable[[dict[str, Any]], None] = _ignore
        self._fail: Callable[[Exception, int | None], None] = _ignore

    def open(self, receive: Callable[[dict[str, Any]], None], fail: Callable[[Exception, int | None], None]) -> None:
        """Does not connect: each request does."""
        self._receive, self._fail = receive, fail

    def send(self, message: dict[str, Any], timeout: float) -> None:
        """Sends a message on a thread of its own. `timeout` is the time that the server may take to send each part of the response."""
        number = message["id"] if "method" in message and "id" in message else None
        args = message, number, timeout, self._notification
        thread = threading.Thread(target=self._exchange, args=args, name="toolc-mcp-request", daemon=True)
        if number is None:
            self._notification = thread
        thread.start()

    def use_version(self, version: str) -> None:
        """Names the version in all further requests."""
        self._headers["MCP-Protocol-Version"] = version

    def close(self) -> None:
        """Ends the session, if the server has one."""
        if self._notification is not None:
            self._notification.join(_GRACE)
        if _SESSION in self._headers:
            with suppress(OSError, HTTPException):
                self._opener.open(self._request(None, "DELETE"), timeout=_GRACE).close()

    def _exchange(self, message: dict[str, Any], number: int | None, timeout: float, before: threading.Thread | None) -> None:
        if before is not None:
            # The server must get a notification before what follows it.
            before.join(timeout)
        error: Exception
        try:
            self._post(json.dumps(message).encode(), timeout, number)
            error = ConnectionError("the server has ended its response without an answer")
        except HTTPError as raised:
            error = self._refusal(raised)
        except (OSError, ValueError, HTTPException) as raised:
            error = raised if isinstance(raised, ConnectionError) else ConnectionError(f"the server cannot be reached: {raised}")
        # The request has its answer by now, unless something has failed.
        if number is not None:
            self._fail(error, number)

    def _post(self, body: bytes, timeout: float, number: int | None) -> None:
        with self._opener.open(self._request(body, "POST"), timeout=timeout) as response:
            session = response.headers.get(_SESSION)
            if session is not None:
                self._headers[_SESSION] = session
            kind = response.headers.get_content_type()
            if kind == "text/event-stream":
                for data in _events(response, self._max_bytes):
                    message = parse(data)
                    self._receive(message)
                    if "method" not in message and message.get("id") == number:
                        return
            elif kind == "application/json" and response.status != 202:
                self._receive(parse(self._limited(response)))

    def _request(self, body: bytes | None, method: str) -> Request:
        # The address has been checked.
        return Request(self._url, body, dict(self._headers), method=method)  # noqa: S310

    def _limited(self, response: IO[bytes]) -> bytes:
        body = response.read(self._max_bytes + 1)
        if len(body) > self._max_bytes:
            raise _too_long(self._max_bytes)
        return body

    def _refusal(self, refused: HTTPError) -> Exception:
        with refused:
            body = b""
            with suppress(OSError, HTTPException):
                body = refused.read(1 << 16)
        with suppress(ConnectionError):
            error = parse(body).get("error")
            if entries_of(error):
                return error_of(error)
        excerpt = body.decode(errors="replace").strip()[:_MAX_EXCERPT]
        return ConnectionError(f"the server has answered with the status {refused.code}{': ' if excerpt else ''}{excerpt}")


def _events(response: IO[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yields the data of each event of a stream."""
    data: list[bytes] = []
    size = 0
    while line := response.readline(max_bytes + 1):
        size += len(line)
        if size > max_bytes:
            raise _too_long(max_bytes)
        line = line.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            data.append(line[len(b"data:") :].removeprefix(b" "))
        elif not line:
            # Some servers begin with an event without data.
            if any(data):
                yield b"\n".join(data)
            data, size = [], 0


def _too_long(max_bytes: int) -> ConnectionError:
    return ConnectionError(f"the server has sent a message of more than {max_bytes} bytes")


def _ignore(*_: object) -> None:
    """Receives messages before the client does."""
