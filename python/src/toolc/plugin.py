"""Handlers as the program of a plugin: a host in Rust sends calls as lines of JSON, and gets the results as lines."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
import re
import sys
import threading
import traceback
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from .args.tree import is_nested_deeper
from .result.error import ErrorKind, ToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from .turn import Handlers

MAX_LINE_BYTES: Final = 32 << 20
"""The maximum length of a request. A host sends at most 4 MiB of arguments, whose escapes can make them longer."""

MAX_THREADS: Final = 32
"""The maximum number of handlers without `async` that run at the same time."""

MAX_REPLY_BYTES: Final = 4 << 20
"""The default of `max_output_bytes` in `plugin.toml`."""

# A host reads 127 levels.
_MAX_DEPTH: Final = 127
# A host reads numbers of up to about 1.8e308.
_MAX_DIGITS: Final = 308
_LONG_NUMBER: Final = re.compile(f"[0-9]{{{_MAX_DIGITS + 1}}}")


@dataclass(frozen=True)
class PluginCall:
    """The call that a handler runs for."""

    tool: str
    """The name of the tool."""
    call_id: str
    """The id of the call."""
    task: str
    """The task of the session, which has a state of its own."""
    home: str | None
    """The home folder of the session, if the host shows it."""
    cancelled: threading.Event = field(default_factory=threading.Event, repr=False, compare=False)
    """Is set when the host no longer waits for the result. A handler with `async` is cancelled; every other one runs to its end, unless
    it looks here."""


_current: ContextVar[PluginCall] = ContextVar("toolc_plugin_call")


def current_call() -> PluginCall:
    """Returns the call that the current handler runs for.

    Raises `LookupError` outside of a handler.
    """
    return _current.get()


def serve(handlers: Handlers, *, max_reply_bytes: int = MAX_REPLY_BYTES) -> None:
    """Runs the calls that the host sends to standard input, until the input ends and all calls are answered.

    Handlers with `async` share one event loop. Each other handler runs on a thread of its own. What a handler and the programs that it
    starts print goes to standard error, because the host reads only replies. An exception of a handler is an error for the model, whose
    text is the exception's. The traceback is printed to standard error, unless it is a `ToolError`.

    The program answers one request, or stays running with `resident = true` in `plugin.toml`.

    Args:
        handlers: The handlers, such as those that the function `handlers` of a generated module returns.
        max_reply_bytes: The maximum length of a reply. The host ends a program that exceeds `max_output_bytes` of `plugin.toml`, so it
            must be the same. A longer result becomes an error.

    Raises `ValueError` if the input has a line that is not a request.
    """
    with _own_streams() as (source, sink):
        asyncio.run(_Server(handlers, sink, max_reply_bytes).run(source))


@contextlib.contextmanager
def _own_streams() -> Generator[tuple[BinaryIO, BinaryIO]]:
    """Takes standard input and output away from handlers and from the programs that they start. These read nothing, and print to
    standard error."""
    sys.stdout.flush()
    with os.fdopen(os.dup(0), "rb") as source, os.fdopen(os.dup(1), "wb") as sink:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                yield source, sink
        finally:
            os.dup2(source.fileno(), 0)
            os.dup2(sink.fileno(), 1)


class _Server:
    def __init__(self, handlers: Handlers, sink: BinaryIO, max_reply_bytes: int) -> None:
        self._handlers = handlers
        self._sink = sink
        self._max_reply_bytes = max_reply_bytes
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: dict[int | None, tuple[asyncio.Task[None], PluginCall]] = {}
        self._threads = asyncio.Semaphore(MAX_THREADS)

    async def run(self, source: BinaryIO) -> None:
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        # The end of the program must not wait for a line.
        _start(partial(_read, source, partial(_send, loop, lines.put_nowait)), "toolc-requests")
        while (line := await lines.get()) is not None:
            if isinstance(line, Exception):
                raise line
            self._accept(line)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, line: bytes) -> None:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"a request is not JSON: {error}") from None
        if not isinstance(request, dict):
            raise ValueError("a request is not a JSON object")
        self._open_request(cast("dict[str, Any]", request))

    def _open_request(self, request: dict[str, Any]) -> None:
        if "cancel" in request:
            self._cancel(request["cancel"])
            return
        number = request.get("id")
        call = PluginCall(str(request.get("tool")), request.get("call_id", ""), request.get("task", ""), request.get("home"))
        task = asyncio.get_running_loop().create_task(self._answer(number, call, request))
        self._tasks.add(task)
        self._open[number] = task, call
        task.add_done_callback(partial(self._close, number))

    def _cancel(self, number: object) -> None:
        # The reply may already be on its way.
        found = self._open.get(number) if isinstance(number, int) else None
        if found is not None:
            task, call = found
            call.cancelled.set()
            task.cancel()

    def _close(self, number: int | None, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._open.pop(number, None)
        if task.cancelled():
            # The host waits for an answer, which it does not use.
            self._print(number, {"error": "cancelled"})

    async def _answer(self, number: int | None, call: PluginCall, request: dict[str, Any]) -> None:
        try:
            reply = {"result": await self._run(call, request)}
        except ToolError as error:
            reply = _error_reply(error)
        except (Exception, SystemExit) as error:  # noqa: BLE001 A handler must not end the program, in which other calls run.
            traceback.print_exc()
            reply = {"error": _text(error)}
        self._print(number, reply)

    async def _run(self, call: PluginCall, request: dict[str, Any]) -> object:
        if "tool" not in request or "hook" in request or "memory" in request:
            raise ToolError("this program only runs tools: remove the hooks and `memory` from plugin.toml")
        handler = self._handlers.get(call.tool)
        if handler is None:
            raise ToolError(f"this program has no handler for the tool `{call.tool}`: generate its module again")
        _current.set(call)
        context, arguments = copy_context(), request.get("arguments", {})
        if inspect.iscoroutinefunction(handler):
            return await handler(arguments)
        result = await self._on_thread(lambda: context.run(handler, arguments))
        return await result if inspect.isawaitable(result) else result

    async def _on_thread(self, run: Callable[[], object]) -> Any:
        """Runs a function on a thread, for which neither a cancelled call nor the end of the program waits."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()

        def settle(set_outcome: Callable[[Any], None], outcome: object) -> None:
            self._threads.release()
            if not done.cancelled():
                set_outcome(outcome)

        def work() -> None:
            try:
                result = run()
            except BaseException as error:  # noqa: BLE001 It is raised where the result is awaited.
                # A future takes no `StopIteration`.
                raised = RuntimeError("StopIteration") if isinstance(error, StopIteration) else error
                _send(loop, partial(settle, done.set_exception), raised)
            else:
                _send(loop, partial(settle, done.set_result), result)

        await self._threads.acquire()
        try:
            _start(work, "toolc-handler")
        except RuntimeError:
            self._threads.release()
            raise
        return await done

    def _print(self, number: int | None, reply: dict[str, Any]) -> None:
        try:
            line = _line(number, reply)
            if len(line) > self._max_reply_bytes:
                raise ValueError(f"it has {len(line)} bytes, and at most {self._max_reply_bytes} are allowed")
        except (TypeError, ValueError, RecursionError) as error:
            line = _line(number, {"error": f"the result cannot be sent: {_text(error)}"})
        self._sink.write(line)
        self._sink.flush()


def _error_reply(error: ToolError) -> dict[str, Any]:
    """Returns the reply for an error, with what is not the default: a host that knows only the message refuses other keys."""
    kind = {} if error.kind is ErrorKind.FAILED else {"kind": error.kind.value}
    fields = {"fields": error.fields} if error.fields else {}
    return {"error": error.message, **kind, **fields}


def _line(number: int | None, reply: dict[str, Any]) -> bytes:
    answer = reply if number is None else {"id": number, **reply}
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # The reply itself is a level.
    if is_nested_deeper(text, _MAX_DEPTH):
        raise ValueError(f"it has more than {_MAX_DEPTH - 1} levels")
    if _LONG_NUMBER.search(text):
        json.loads(text, parse_int=_check_integer)
    # A lone surrogate, which is not Unicode, becomes a question mark.
    return text.encode("utf-8", "replace") + b"\n"


def _check_integer(digits: str) -> None:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"it has an integer of {len(digits)} digits")


def _text(error: BaseException) -> str:
    """Returns the text of an exception for the model."""
    kind = type(error).__name__
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 The text of an exception is code of the handler's.
        return kind
    # The text of a `KeyError` is only the key.
    return f"{kind}: {text}" if isinstance(error, KeyError) else text or kind


def _start(run: Callable[[], None], name: str) -> None:
    threading.Thread(target=run, name=name, daemon=True).start()


def _send(loop: asyncio.AbstractEventLoop, receive: Callable[[Any], object], value: object) -> None:
    """Calls a function in the event loop, unless it has ended."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(receive, value)


def _read(source: BinaryIO, send: Callable[[bytes | Exception | None], None]) -> None:
    """Sends the lines of the input, and then `None` or the error."""
    try:
        while line := source.readline(MAX_LINE_BYTES + 1):
            if len(line) > MAX_LINE_BYTES:
                raise ValueError(f"a request is longer than {MAX_LINE_BYTES} bytes")
            if line.strip():
                send(line)
    except (OSError, ValueError) as error:
        send(error)
    else:
        send(None)
