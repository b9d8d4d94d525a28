"""Servers of the Model Context Protocol, with the SDK `mcp` from 2.0.

```python
mcp.serve(catalog.turn("mcp"), handlers, "shop")
```
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import INVALID_PARAMS, CallToolResult, ListToolsResult, TextContent, Tool

from ..result.error import ErrorKind
from .calls import definition, definitions

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from mcp.types import CallToolRequestParams, PaginatedRequestParams

    from ..call import Response
    from ..turn import Handlers, Turn

# The first version of the protocol in which structured results need not be objects.
_ANY_STRUCTURE = "2026-07-28"


def server(turn: Turn, handlers: Handlers, title: str, *, version: str = "", instructions: str | None = None) -> Server[Any]:
    """Returns a server with the tools of a turn, for any transport of the SDK.

    Args:
        turn: The tools. Every client gets the same.
        handlers: The handlers. Those without `async` run in the event loop, so they should be quick.
        title: The name of the server.
        version: The version of the server.
        instructions: What clients tell the model about the server.

    Raises `ValueError` if the turn is not in the dialect `mcp`.
    """
    tools = _Tools(turn, handlers)
    return Server(title, version=version, instructions=instructions, on_list_tools=tools.list, on_call_tool=tools.call)


def serve(turn: Turn, handlers: Handlers, title: str, *, version: str = "", instructions: str | None = None) -> None:
    """Runs such a server on standard input and output, until the input ends."""
    app = server(turn, handlers, title, version=version, instructions=instructions)

    async def run() -> None:
        async with stdio_server() as (source, sink):
            await app.run(source, sink, app.create_initialization_options())

    anyio.run(run)


class _Tools:
    def __init__(self, turn: Turn, handlers: Handlers) -> None:
        self._turn = turn
        self._handlers = handlers
        self._definitions = definitions(turn, "MCP", ("mcp",))

    async def list(self, context: ServerRequestContext[Any, Any], _: PaginatedRequestParams | None) -> ListToolsResult:
        listed = (_for_version(one, context.protocol_version) for one in self._definitions)
        return ListToolsResult(tools=[Tool.model_validate(one) for one in listed])

    async def call(self, context: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> CallToolResult:
        response = await self._turn.call_async(params.name, params.arguments or {}, self._handlers)
        if response.call is None and response.error and response.error.kind is ErrorKind.UNKNOWN_TOOL:
            # Only an unknown tool is an error of the protocol. The model can correct all others.
            raise MCPError(INVALID_PARAMS, response.error.message)
        return self._result(response, context.protocol_version)

    def _result(self, response: Response, version: str) -> CallToolResult:
        content: list[Any] = [TextContent(text=response.text)]
        if response.is_error or response.call is None:
            return CallToolResult(content=content, is_error=True)
        if "outputSchema" not in _for_version(definition(self._turn, response.call.tool), version):
            return CallToolResult(content=content)
        try:
            return CallToolResult(content=content, structured_content=json.loads(response.text))
        except ValueError:
            # Clients refuse the result of such a tool without structured content, unless it is an error.
            text = "the tool has returned a text, but its result has a schema"
            return CallToolResult(content=[TextContent(text=text)], is_error=True)


def _for_version(defined: dict[str, Any], version: str) -> dict[str, Any]:
    """Returns a definition without a schema of the result that clients of an earlier version refuse."""
    is_accepted = version >= _ANY_STRUCTURE or defined.get("outputSchema", {}).get("type") == "object"
    return defined if is_accepted else {key: value for key, value in defined.items() if key != "outputSchema"}
