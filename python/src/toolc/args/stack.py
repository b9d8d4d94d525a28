"""Room on the stack for hostile arguments, whatever the depth of the program's own calls and its recursion limit."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Final, TypeVar

_T = TypeVar("_T")

# The limits of values, alternatives and parts allow fewer nested calls.
_MAX_CALLS: Final = 20_000
_STACK_BYTES: Final = 256 << 20
_LOCK: Final = threading.Lock()


def with_room(work: Callable[[], _T]) -> _T:
    """Calls `work`, which must have no effect besides its result. If it needs more room than the program has left, it runs again in a
    thread of its own. Raises `RecursionError` if no thread can be started."""
    try:
        return work()
    except RecursionError:
        return _in_thread(work)


def _in_thread(work: Callable[[], _T]) -> _T:
    outcome: list[_T | BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001
            outcome.append(error)

    with _LOCK:
        limit = sys.getrecursionlimit()
        size = threading.stack_size(_STACK_BYTES)
        sys.setrecursionlimit(max(limit, _MAX_CALLS))
        try:
            thread = threading.Thread(target=run, name="toolc-arguments")
            try:
                thread.start()
            except RuntimeError as error:
                raise RecursionError(str(error)) from None
            thread.join()
        finally:
            sys.setrecursionlimit(limit)
            threading.stack_size(size)
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]
