"""Handlers as the program of a plugin: a host in Rust sends calls as lines of JSON, and gets the results as lines."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from typing import Any, BinaryIO, Optional

Handlers = Mapping[str, Callable[[Any], Any]]

MAX_LINE_BYTES = 32 << 20
"""The maximum length of a request. A host sends at most 4 MiB of arguments, whose escapes can make them longer."""

MAX_THREADS = 32
"""The maximum number of handlers without `async` that run at the same time."""


@dataclass(frozen=True)
class PluginCall:
    """The call that a handler runs for."""

    tool: str
    call_id: str
    task: str
    home: Optional[str]
    """The home folder of the session, if the host shows it."""


_current: ContextVar[PluginCall] = ContextVar("toolc_plugin_call")


def current_call() -> PluginCall:
    """Returns the call that the current handler runs for.

    Raises `LookupError` outside of a handler.
    """
    return _current.get()


def serve(handlers: Handlers) -> None:
    """Runs the calls that the host sends to standard input, until the input ends.

    Handlers with `async` share one event loop. Each other handler runs on a thread of its own. What a handler prints goes to standard
    error, because the host reads only replies. An exception of a handler is an error for the model, whose text is the exception's; the
    traceback is printed to standard error.

    The program answers one request, or stays running with `resident = true` in `plugin.toml`.
    """
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.redirect_stdout(sys.stderr):
        asyncio.run(_Server(handlers, sink).run(source))


class _Server:
    def __init__(self, handlers: Handlers, sink: BinaryIO) -> None:
        self._handlers = handlers
        self._sink = sink
        self._open: dict[Optional[int], asyncio.Task[None]] = {}
        self._threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="toolc-handler")

    async def run(self, source: BinaryIO) -> None:
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[Optional[bytes]] = asyncio.Queue()

        def read() -> None:
            for line in _lines(source):
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, None)

        # A daemon, because the end of the program must not wait for a line.
        threading.Thread(target=read, name="toolc-requests", daemon=True).start()
        while (line := await lines.get()) is not None:
            self._accept(line)
        await asyncio.gather(*self._open.values(), return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _accept(self, line: bytes) -> None:
        request = json.loads(line)
        if "cancel" in request:
            task = self._open.get(request["cancel"])
            if task is not None:
                task.cancel()
            return
        number = request.get("id")
        task = asyncio.get_running_loop().create_task(self._answer(number, request))
        self._open[number] = task
        task.add_done_callback(lambda task: self._close(number, task))

    def _close(self, number: Optional[int], task: asyncio.Task[None]) -> None:
        self._open.pop(number, None)
        if task.cancelled():
            # The host waits for an answer, which it does not use.
            self._print({"id": number, "error": "cancelled"})

    async def _answer(self, number: Optional[int], request: dict[str, Any]) -> None:
        reply: dict[str, Any]
        try:
            reply = {"result": await self._run(request)}
        except Exception as error:
            traceback.print_exc()
            reply = {"error": str(error) or type(error).__name__}
        if number is not None:
            reply = {"id": number, **reply}
        self._print(reply)

    async def _run(self, request: dict[str, Any]) -> Any:
        if "tool" not in request or "hook" in request or "memory" in request:
            raise ValueError("this program only runs tools: remove the hooks and `memory` from plugin.toml")
        name = request["tool"]
        handler = self._handlers.get(name)
        if handler is None:
            raise LookupError(f"this program has no handler for the tool `{name}`: generate its module again")
        _current.set(PluginCall(name, request.get("call_id", ""), request.get("task", ""), request.get("home")))
        if inspect.iscoroutinefunction(handler):
            return await handler(request["arguments"])
        context, loop = copy_context(), asyncio.get_running_loop()
        result = await loop.run_in_executor(self._threads, context.run, handler, request["arguments"])
        return await result if inspect.isawaitable(result) else result

    def _print(self, reply: dict[str, Any]) -> None:
        try:
            text = json.dumps(reply, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError) as error:
            reply = {**{key: reply[key] for key in ("id",) if key in reply}, "error": f"the result is not JSON: {error}"}
            text = json.dumps(reply, separators=(",", ":"))
        # One call for the whole line. A lone surrogate, which is not Unicode, becomes a question mark.
        self._sink.write(text.encode("utf-8", "replace") + b"\n")
        self._sink.flush()


def _lines(source: BinaryIO) -> Iterator[bytes]:
    while line := source.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            raise ValueError(f"a request is longer than {MAX_LINE_BYTES} bytes")
        if line.strip():
            yield line
