"""The transport over the standard streams of a program."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Final

from .protocol import parse

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

# How long a program may take to end after its input has ended, and after it was asked to end, in seconds.
_GRACE: Final = 5.0


class Stdio:
    """A program whose messages are lines. One thread writes and one reads, so that neither waits for the other."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None, cwd: str | os.PathLike[str] | None, max_bytes: int) -> None:
        self._command = list(command)
        self._env = None if env is None else dict(env)
        self._cwd = cwd
        self._max_bytes = max_bytes
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None

    def open(self, receive: Callable[[dict[str, Any]], None], fail: Callable[[Exception, int | None], None]) -> None:
        """Starts the program. Its standard error is that of this process."""
        # The program is what the caller names.
        pipe, command = subprocess.PIPE, self._command
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=self._env, cwd=self._cwd)  # noqa: S603
        source, sink = self._process.stdout, self._process.stdin
        if source is None or sink is None:
            raise ConnectionError("the program has no streams")
        process = self._process
        _start(lambda: self._write(sink), "toolc-mcp-requests")
        self._reader = _start(lambda: self._read(process, source, receive, fail), "toolc-mcp-answers")

    def send(self, message: dict[str, Any], timeout: float) -> None:
        """Sends a message. A program that does not read it answers nothing, so `timeout` limits only the answer."""
        del timeout
        self._lines.put(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def use_version(self, version: str) -> None:
        """The streams are the same in every version."""

    def close(self) -> None:
        """Ends the input of the program, and the program itself if it does not."""
        self._lines.put(None)
        process, reader = self._process, self._reader
        if process is None or reader is None:
            return
        for end in (process.terminate, process.kill):
            try:
                process.wait(_GRACE)
                break
            except subprocess.TimeoutExpired:
                end()
        process.wait()
        # What it says about the end is not about the next connection. A program that was left behind may keep the stream open.
        reader.join(_GRACE)

    def _write(self, sink: IO[bytes]) -> None:
        # The program may have ended. Who reads its output says so.
        with suppress(OSError), sink:
            while (line := self._lines.get()) is not None:
                sink.write(line)
                sink.flush()

    def _read(
        self,
        process: subprocess.Popen[bytes],
        source: IO[bytes],
        receive: Callable[[dict[str, Any]], None],
        fail: Callable[[Exception, int | None], None],
    ) -> None:
        try:
            with source:
                while line := source.readline(self._max_bytes + 1):
                    if len(line) > self._max_bytes:
                        raise ConnectionError(f"the server has sent a message of more than {self._max_bytes} bytes")
                    if line.strip():
                        receive(parse(line))
            error = ConnectionError(f"the server has ended{self._status(process)}")
        except (OSError, ValueError) as raised:
            error = raised if isinstance(raised, ConnectionError) else ConnectionError(str(raised))
            process.kill()
        fail(error, None)

    def _status(self, process: subprocess.Popen[bytes]) -> str:
        try:
            return f", with the exit status {process.wait(1.0)}"
        except subprocess.TimeoutExpired:
            return ""


def _start(run: Callable[[], None], name: str) -> threading.Thread:
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread
