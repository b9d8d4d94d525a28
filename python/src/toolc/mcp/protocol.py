"""The messages of the protocol: JSON-RPC, errors and results of calls."""

from __future__ import annotations

import json
from typing import Any, Final, cast

from ..result.error import ErrorKind, Problem, ToolError

PROTOCOL_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The versions of the protocol that the client knows, the newest first."""

MAX_BYTES: Final = 64 << 20
"""The maximum length of a message of a server."""

METHOD_NOT_FOUND: Final = -32601


class McpError(Exception):
    """The server has answered a request with an error of the protocol, such as for a tool that it does not have."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        """The code, as JSON-RPC defines it."""
        self.message = message
        """The message of the server."""
        self.data = data
        """What the server adds to the message, or `None`."""


def parse(text: bytes) -> dict[str, Any]:
    """Reads a message.

    Raises `ConnectionError` for a text that is none.
    """
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConnectionError(f"the server has sent a message that is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise ConnectionError("the server has sent a message that is not a JSON object")
    return cast("dict[str, Any]", message)


def error_of(error: object) -> McpError:
    """Reads the error in a message."""
    entries = entries_of(error)
    code = entries.get("code")
    return McpError(code if isinstance(code, int) else 0, str(entries.get("message", "no message")), entries.get("data"))


def value_of(result: dict[str, Any]) -> Any:
    """Returns what the result of a call contains: the structured result, or the text, or all parts if one is not a text.

    Raises `ToolError` if the call has failed.
    """
    content = result.get("content")
    parts = [entries_of(one) for one in cast("list[object]", content)] if isinstance(content, list) else []
    texts = [one["text"] for one in parts if one.get("type") == "text" and isinstance(one.get("text"), str)]
    if result.get("isError") is True:
        raise _tool_error("\n".join(texts))
    if "structuredContent" in result:
        return result["structuredContent"]
    return "\n".join(texts) if len(texts) == len(parts) else parts


def entries_of(value: object) -> dict[str, Any]:
    """Returns the entries of an object. Anything else has none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _tool_error(text: str) -> ToolError:
    """Returns the error that a text says. The text may be the JSON of an error, as this runtime and toolc write it."""
    try:
        entries = entries_of(json.loads(text))
    except (ValueError, RecursionError):
        entries = {}
    message, kind = entries.get("error"), entries.get("kind")
    if not isinstance(message, str):
        return ToolError(text or "the tool failed without a message")
    listed = entries.get("problems")
    problems = [_problem(entries_of(one)) for one in cast("list[object]", listed)] if isinstance(listed, list) else []
    # Servers may have further kinds.
    known = kind if kind in [one.value for one in ErrorKind] else ErrorKind.FAILED
    fields = {key: value for key, value in entries.items() if key not in ("error", "kind", "problems")}
    return ToolError(message, kind=ErrorKind(known), problems=problems, fields=fields)


def _problem(entries: dict[str, Any]) -> Problem:
    return Problem(*(str(entries.get(key, "")) for key in ("path", "expected", "got")))
