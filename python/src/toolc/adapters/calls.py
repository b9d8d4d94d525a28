"""What the adapters have in common: the calls in a response of a vendor."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..call import Response
    from ..turn import Arguments, Handlers, Turn


@dataclass(frozen=True)
class ToolCall:
    """A call in a response of a model."""

    id: str | None
    """What the vendor calls it. Some servers of Gemini send none."""
    name: str
    """The name that the model wrote."""
    arguments: Arguments
    """The arguments, or the text of a call with a text."""
    is_text: bool = False
    """Whether the model has sent a plain text instead of arguments."""
    repeated: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the result of the call must repeat."""

    def run(self, turn: Turn, handlers: Handlers) -> Response:
        """Runs the call, as `Turn.call` does."""
        return turn.call(self.name, self.arguments, handlers, is_text=self.is_text)

    async def run_async(self, turn: Turn, handlers: Handlers) -> Response:
        """Runs the call, as `Turn.call_async` does."""
        return await turn.call_async(self.name, self.arguments, handlers, is_text=self.is_text)


def run(turn: Turn, calls: Iterable[ToolCall], handlers: Handlers) -> list[tuple[ToolCall, Response]]:
    """Runs calls one after the other."""
    return [(call, call.run(turn, handlers)) for call in calls]


async def run_async(turn: Turn, calls: Iterable[ToolCall], handlers: Handlers) -> list[tuple[ToolCall, Response]]:
    """Runs calls one after the other, with handlers that may be asynchronous."""
    return [(call, await call.run_async(turn, handlers)) for call in calls]


def get(value: object, name: str) -> Any:
    """Returns a field of an object of an SDK or of a dictionary, or `None` without it."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)
    return getattr(value, name, None)


def text(value: object) -> str:
    """Returns a field that should be a string, such as a name. What else a server sends becomes a text that fits no tool."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def arguments(value: object) -> Arguments:
    """Returns the arguments of a call, which some servers send as an object instead of its text, and some leave out."""
    if value is None:
        return ""
    if isinstance(value, (str, Mapping)):
        return cast("Arguments", value)
    return json.dumps(value, default=str)


def definitions(turn: Turn, api: str, dialects: Sequence[str]) -> list[dict[str, Any]]:
    """Returns a copy of the definitions of a turn in one of these dialects.

    Raises `ValueError` if the turn is in another one.
    """
    if turn.dialect not in dialects:
        wanted = " or ".join(f"`{one}`" for one in dialects)
        raise ValueError(f"{api} needs definitions in the dialect {wanted}, and the turn is in `{turn.dialect}`")
    copied: list[dict[str, Any]] = json.loads(turn.text)
    return copied


def definition(turn: Turn, tool: str) -> dict[str, Any]:
    """Returns the definition of a shown tool, by the tool's own name.

    Raises `ValueError` if the turn does not show the tool.
    """
    if tool not in turn.tools:
        raise ValueError(f"the turn does not show the tool `{tool}`: it shows {', '.join(turn.tools) or 'none'}")
    return turn.definitions[turn.tools.index(tool)]


def schema(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the schema of the arguments in a definition."""
    holder: Mapping[str, Any] = definition.get("function") or definition
    for key in _SCHEMAS:
        if key in holder:
            return cast("dict[str, Any]", holder[key])
    # Such as that of Gemini for a tool without parameters.
    return {"type": "object", "properties": {}}


def name(definition: Mapping[str, Any]) -> str:
    """Returns the name in a definition, which is that of the tool in the dialect."""
    holder: Mapping[str, Any] = definition.get("function") or definition.get("custom") or definition
    return text(holder["name"])


# The keys of the schema of the arguments in definitions.
_SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")
