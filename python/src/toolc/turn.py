"""Turns: what one request to a model shows, and the calls in its response."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Final, Union, cast

from .args import read
from .args.limits import Limits
from .args.repairs import Repair, find, of_name
from .args.stack import with_room
from .call import Call, Response
from .data import condition, definition
from .data.condition import FactValue
from .data.table import Table
from .data.tool import Tool
from .dispatch.misnamed import ToolNames
from .dispatch.text_call import with_arguments
from .dispatch.unknown_tool import unknown_tool
from .result.error import ToolError

Handlers = Mapping[str, Callable[[Any], Any]]
"""The handlers, by the own names of their tools. A handler gets the arguments as an object, and returns a text, any other JSON value, or
an awaitable of either."""

Arguments = Union[str, Mapping[str, Any]]
"""The arguments of a call: the JSON text that the model wrote, or the object that a client has already parsed from it."""

# The maximum length of a name that a repair shows, in characters.
_MAX_NAME_CHARS: Final = 64


class Turn:
    """What one request to a model shows, and the only tools that the model can call in its response. See `Catalog.turn`."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        dialect: str,
        shown: Sequence[str],
        hidden: Mapping[str, str],
        facts: Mapping[str, FactValue],
        limits: Limits,
    ) -> None:
        """Makes a turn. Use `Catalog.turn`."""
        self.dialect = dialect
        """The dialect of the definitions."""
        self.tools = tuple(shown)
        """The own names of the shown tools, sorted."""
        self.hidden: Mapping[str, str] = MappingProxyType(dict(hidden))
        """The granted tools that are not shown, each with the reason, such as "needs the program `git`"."""
        self.facts: Mapping[str, FactValue] = MappingProxyType(dict(facts))
        """The facts of the turn."""
        self._declarations = tools
        self._names = ToolNames(tools, dialect, self.tools, self.hidden)
        self._shown = frozenset(self.tools)
        self._limits = limits
        self._tables: dict[str, Table] = {}

    @cached_property
    def text(self) -> str:
        """The definitions of the shown tools, sorted by the tools' own names: one JSON array, or declarations in the dialect
        `typescript`. Turns with the same tools and facts have the same text, which keeps prompt caches valid."""
        is_json = self.dialect != "typescript"
        rendered = [
            definition.render(self._declarations[name].definitions[self.dialect], self._shown, self.facts, is_json) for name in self.tools
        ]
        return f"[{','.join(rendered)}]" if is_json else "\n".join(rendered)

    @cached_property
    def definitions(self) -> list[dict[str, Any]]:
        """The definitions of the shown tools, for the request to the model. The list belongs to the turn: it can be changed.

        Raises `ValueError` in the dialect `typescript`, whose definitions are only a `text`.
        """
        if self.dialect == "typescript":
            raise ValueError("definitions in the dialect `typescript` are not JSON: use `text`")
        definitions: list[dict[str, Any]] = json.loads(self.text)
        return definitions

    def tool_called(self, name: str) -> str | None:
        """Returns the own name of the shown tool that the model calls `name`, also if the name must be corrected."""
        return self._names.resolve(name)

    def read(self, name: str, arguments: Arguments, *, is_text: bool = False) -> Call:
        """Reads a call of the model: finds the tool, and parses, repairs and validates its arguments.

        Args:
            name: The name that the model wrote.
            arguments: The arguments that the model wrote.
            is_text: The model has sent a plain text instead of arguments. It becomes the only required parameter.

        Raises `ToolError`, whose `to_json()` is for the model.
        """
        tool = self._names.resolve(name)
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        if tool is None:
            raise unknown_tool(self._names, name)
        table = self._table(tool)
        if is_text:
            text = with_arguments(text, table)
        value, is_repaired = read(text, table, self._limits)
        is_corrected = name != self._names.name_in_dialect(tool)
        return Call(tool, value, partial(self._repairs, name if is_corrected else None, tool, text if is_repaired else None))

    def call(self, name: str, arguments: Arguments, handlers: Handlers, *, is_text: bool = False) -> Response:
        """Runs a call of the model, and returns the response for it. Every failure, also of the handler, becomes an error response.

        Raises `LookupError` if the tool has no handler, and `TypeError` if the handler is asynchronous: then use `call_async`.
        """
        call = self._read(name, arguments, is_text)
        if isinstance(call, Response):
            return call
        handler = _handler(handlers, call)
        try:
            result: object = handler(call.arguments)
        except Exception as raised:  # noqa: BLE001
            return _failed(call, raised)
        if isinstance(result, Awaitable):
            if isinstance(result, Coroutine):
                # Otherwise, Python warns that nothing awaits it.
                cast("Coroutine[object, object, object]", result).close()
            raise TypeError(f"the handler of the tool `{call.tool}` is asynchronous: use `await turn.call_async(...)`")
        return _succeeded(call, result)

    async def call_async(self, name: str, arguments: Arguments, handlers: Handlers, *, is_text: bool = False) -> Response:
        """Runs a call like `call`, with handlers that may be asynchronous.

        Raises `LookupError` if the tool has no handler.
        """
        call = self._read(name, arguments, is_text)
        if isinstance(call, Response):
            return call
        handler = _handler(handlers, call)
        try:
            result: object = handler(call.arguments)
            if isinstance(result, Awaitable):
                result = await cast("Awaitable[object]", result)
        except Exception as raised:  # noqa: BLE001
            return _failed(call, raised)
        return _succeeded(call, result)

    def _read(self, name: str, arguments: Arguments, is_text: bool) -> Call | Response:
        try:
            return self.read(name, arguments, is_text=is_text)
        except ToolError as error:
            return Response(error.to_json(), error)

    def _table(self, tool: str) -> Table:
        """Returns the table of a tool's arguments in this turn."""
        table = self._tables.get(tool)
        if table is None:
            holds = partial(condition.holds, tools=self._shown, facts=self.facts)
            table = self._tables[tool] = self._declarations[tool].table.in_turn(holds)
        return table

    def _repairs(self, called_as: str | None, tool: str, text: str | None) -> list[Repair]:
        repairs = [] if called_as is None else [of_name(called_as[:_MAX_NAME_CHARS], tool)]
        if text is not None:
            repairs.extend(with_room(partial(find, text, self._table(tool), self._limits)))
        return repairs

    def __repr__(self) -> str:
        return f"<Turn in {self.dialect} with {len(self.tools)} tools>"


def _handler(handlers: Handlers, call: Call) -> Callable[[Any], Any]:
    handler = handlers.get(call.tool)
    if handler is None:
        raise LookupError(f"the tool `{call.tool}` has no handler")
    return handler


def _succeeded(call: Call, result: object) -> Response:
    if isinstance(result, str):
        return Response(result, None, call)
    try:
        text = json.dumps(result, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as raised:
        return _failed(call, raised)
    return Response(text, None, call)


def _failed(call: Call, raised: Exception) -> Response:
    """Returns the response for an exception. The model gets its type and its text, but no traceback."""
    if isinstance(raised, ToolError):
        return Response(raised.to_json(), raised, call)
    text = str(raised)
    error = ToolError(f"the tool failed: {type(raised).__name__}{': ' if text else ''}{text}")
    error.__cause__ = raised
    return Response(error.to_json(), error, call)
