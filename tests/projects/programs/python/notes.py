"""The handlers of the toolset `notes`."""

from __future__ import annotations

import asyncio
import os
from typing import Any, cast

from toolc import ErrorKind, ToolError
from toolc.plugin import current_call, serve
from tools import AddNoteArguments, AddNoteResult, FailNoteArguments, WaitNoteArguments, notes_handlers


class Notes:
    """Keeps its notes as long as the program runs."""

    def __init__(self) -> None:
        self._count = 0
        self._waited = 0

    def add_note(self, arguments: AddNoteArguments) -> AddNoteResult:
        self._count += 1
        return {"number": self._count, "kept": {**arguments}}

    def fail_note(self, arguments: FailNoteArguments) -> list[int]:
        how = arguments["how"]
        if how == "error":
            raise ToolError("there is no such note", kind=ErrorKind.NOT_FOUND, fields={"number": 7, "log": ["a", "b"]})
        if how == "exception":
            raise ValueError("the file is broken")
        if how == "key":
            key = os.environ["NOTES_KEY"]
            raise ToolError(f"the key {key} is wrong", fields={"key": key})
        if how == "exit":
            os._exit(7)
        return [1] * 200_000 if how == "large" else cast("Any", [1, "two"])

    async def wait_note(self, arguments: WaitNoteArguments) -> dict[str, object]:
        await asyncio.sleep(arguments["seconds"])
        self._waited += 1
        return {"process": os.getpid(), "waited": self._waited, "task": current_call().task}


if __name__ == "__main__":
    serve(notes_handlers(Notes()), max_reply_bytes=200_000)
