"""The client: requests, their answers and their time limits, over any transport."""

from __future__ import annotations

import asyncio
import itertools
import threading
from concurrent import futures
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from .http import Http
from .protocol import MAX_BYTES, METHOD_NOT_FOUND, PROTOCOL_VERSIONS, entries_of, error_of, value_of
from .stdio import Stdio

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from typing_extensions import Self

# The maximum number of pages of a list, and of tools in it.
_MAX_PAGES: Final = 1_000
_MAX_TOOLS: Final = 10_000


class Transport(Protocol):
    """How messages reach the server. Its methods do not wait for the server."""

    def open(self, receive: Callable[[dict[str, Any]], None], fail: Callable[[Exception, int | None], None]) -> None:
        """Connects. `receive` gets every message, and `fail` the end of the connection, or the failure of a single request."""

    def send(self, message: dict[str, Any], timeout: float) -> None:
        """Sends a message."""

    def use_version(self, version: str) -> None:
        """Is called when both sides have agreed on the version of the protocol."""

    def close(self) -> None:
        """Ends the connection."""


class Client:
    """A client of one server. It is connected within `with` or `async with`, and can be shared by threads and by tasks.

    A server that asks something, such as for an approval, gets the answer that this client cannot be asked.
    """

    def __init__(self, transport: Transport, *, timeout: float = 60.0) -> None:
        """Use `Client.stdio` or `Client.http`. `timeout` is the maximum duration of each request, in seconds."""
        self.server: Mapping[str, Any] = {}
        """What the server says about itself: `serverInfo`, `capabilities`, `instructions` and `protocolVersion`."""
        self._transport = transport
        self._timeout = timeout
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._pending: dict[int, futures.Future[dict[str, Any]]] = {}
        self._failure: Exception | None = ConnectionError("the client is not connected: use it within `with`")

    @classmethod
    def stdio(
        cls,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float = 60.0,
        max_bytes: int = MAX_BYTES,
    ) -> Self:
        """Returns a client of a program that it starts. The program ends with the connection.

        Args:
            command: The program and its arguments.
            env: The environment of the program. By default, that of this process.
            cwd: The folder in which the program runs.
            timeout: The maximum duration of each request, in seconds.
            max_bytes: The maximum length of a message of the server. A longer one ends the connection.
        """
        return cls(Stdio(command, env, cwd, max_bytes), timeout=timeout)

    @classmethod
    def http(cls, url: str, *, headers: Mapping[str, str] | None = None, timeout: float = 60.0, max_bytes: int = MAX_BYTES) -> Self:
        """Returns a client of a server at an address.

        Args:
            url: The address, such as `http://127.0.0.1:8931/mcp`.
            headers: Further headers of each request, such as `{"Authorization": "Bearer ..."}`. No redirection is followed, so they
                reach no other server.
            timeout: The maximum duration of each request, in seconds.
            max_bytes: The maximum length of a message of the server.
        """
        return cls(Http(url, headers or {}, max_bytes), timeout=timeout)

    def tools(self) -> list[dict[str, Any]]:
        """Returns the definitions of all tools, from all pages.

        Raises `McpError`, `ConnectionError` or `TimeoutError`.
        """
        pages = _Pages()
        for params in pages:
            pages.add(self.request("tools/list", params))
        return pages.tools

    async def tools_async(self) -> list[dict[str, Any]]:
        """Does the same as `tools`."""
        pages = _Pages()
        for params in pages:
            pages.add(await self.request_async("tools/list", params))
        return pages.tools

    def call(self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None) -> Any:
        """Calls a tool. Returns the structured result if there is one, or else the text, or the list of all parts if one is not a text.

        Raises `ToolError` if the call has failed, `McpError` if the server does not run it, `ConnectionError`, or `TimeoutError`. After
        the time limit, it asks the server to cancel the call.
        """
        return value_of(self.request("tools/call", _call(name, arguments), timeout=timeout))

    async def call_async(self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None) -> Any:
        """Does the same as `call`. If the task is cancelled, it asks the server to cancel the call."""
        return value_of(await self.request_async("tools/call", _call(name, arguments), timeout=timeout))

    def request(self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float | None = None) -> dict[str, Any]:
        """Sends any request of the protocol, and returns its result."""
        limit = self._timeout if timeout is None else timeout
        number, answer = self._begin(method, params or {}, limit)
        try:
            return answer.result(limit)
        except futures.TimeoutError:
            self._cancel(number)
            raise _too_slow(method, limit) from None
        except KeyboardInterrupt:
            self._cancel(number)
            raise

    async def request_async(self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float | None = None) -> dict[str, Any]:
        """Does the same as `request`."""
        limit = self._timeout if timeout is None else timeout
        number, answer = self._begin(method, params or {}, limit)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(answer), limit)
        except asyncio.TimeoutError:
            self._cancel(number)
            raise _too_slow(method, limit) from None
        except asyncio.CancelledError:
            self._cancel(number)
            raise

    def close(self) -> None:
        """Ends the connection. Open requests fail."""
        self._fail(ConnectionError("the connection was closed"))
        self._transport.close()

    def __enter__(self) -> Self:
        try:
            self._open()
            self._use(self.request("initialize", _INITIALIZE))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        try:
            await asyncio.to_thread(self._open)
            self._use(await self.request_async("initialize", _INITIALIZE))
        except BaseException:
            await asyncio.to_thread(self.close)
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)

    def _open(self) -> None:
        self._failure = None
        self._transport.open(self._receive, self._fail)

    def _use(self, server: dict[str, Any]) -> None:
        version = server.get("protocolVersion")
        if version not in PROTOCOL_VERSIONS:
            known = ", ".join(PROTOCOL_VERSIONS)
            raise ConnectionError(f"the server uses the version {version!r} of the protocol, and the client knows {known}")
        self.server = server
        self._transport.use_version(version)
        self._notify("notifications/initialized", {})

    def _begin(self, method: str, params: Mapping[str, Any], timeout: float) -> tuple[int, futures.Future[dict[str, Any]]]:
        number = next(self._numbers)
        answer: futures.Future[dict[str, Any]] = futures.Future()
        # It ends only with an answer: who waits for it may stop to wait.
        answer.set_running_or_notify_cancel()
        with self._lock:
            if self._failure is not None:
                raise self._failure
            self._pending[number] = answer
        self._transport.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, timeout)
        return number, answer

    def _notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._transport.send({"jsonrpc": "2.0", "method": method, "params": params}, self._timeout)

    def _cancel(self, number: int) -> None:
        with self._lock:
            is_open = self._pending.pop(number, None) is not None and self._failure is None
        if is_open:
            self._notify("notifications/cancelled", {"requestId": number, "reason": "the result is no longer needed"})

    def _receive(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if "method" in message:
            if number is not None:
                self._answer(number, message["method"])
            return
        with self._lock:
            answer = self._pending.pop(number, None) if isinstance(number, int) else None
        if answer is None:
            # The answer to a request that was cancelled.
            return
        if isinstance(message.get("result"), dict):
            answer.set_result(message["result"])
        else:
            answer.set_exception(error_of(message.get("error")))

    def _answer(self, number: object, method: object) -> None:
        """Answers a request of the server."""
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
        if method == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": METHOD_NOT_FOUND, "message": "this client answers no such request"}
        self._transport.send(reply, self._timeout)

    def _fail(self, error: Exception, number: int | None = None) -> None:
        """Ends a request, or without a number all of them."""
        with self._lock:
            if number is None:
                self._failure = self._failure or error
                failed, self._pending = list(self._pending.values()), {}
            else:
                found = self._pending.pop(number, None)
                failed = [] if found is None else [found]
        for answer in failed:
            answer.set_exception(error)


class _Pages:
    """The pages of a list of tools: yields the parameters of each request."""

    def __init__(self) -> None:
        self.tools: list[dict[str, Any]] = []
        self._cursor: object = None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield {}
        for _ in range(_MAX_PAGES - 1):
            if self._cursor is None:
                return
            yield {"cursor": self._cursor}
        if self._cursor is not None:
            raise ConnectionError(f"the server has sent more than {_MAX_PAGES} pages of tools")

    def add(self, page: dict[str, Any]) -> None:
        tools = page.get("tools")
        if not isinstance(tools, list):
            raise ConnectionError("the server has sent a list of tools without `tools`")
        self.tools.extend(map(entries_of, cast("list[object]", tools)))
        if len(self.tools) > _MAX_TOOLS:
            raise ConnectionError(f"the server has sent more than {_MAX_TOOLS} tools")
        self._cursor = page.get("nextCursor")


def _call(name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"name": name, "arguments": arguments or {}}


def _too_slow(method: str, limit: float) -> TimeoutError:
    return TimeoutError(f"the server has not answered `{method}` within {limit:g} s")


_INITIALIZE: Final = {
    "protocolVersion": PROTOCOL_VERSIONS[0],
    "capabilities": {},
    "clientInfo": {"name": "toolc-runtime", "version": "0.1.0"},
}
