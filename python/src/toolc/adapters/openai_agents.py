"""The framework `openai-agents`.

```python
agent = Agent(name="shop", tools=openai_agents.tools(catalog.turn("openai-responses"), handlers))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import CustomTool, FunctionTool

from .calls import definitions, schema

if TYPE_CHECKING:
    from agents import Tool
    from agents.tool_context import ToolContext

    from ..turn import Handlers, Turn


def tools(turn: Turn, handlers: Handlers) -> list[Tool]:
    """Returns the tools of a turn. The arguments that the model writes reach the turn as they are. A failed call does not end the run: the
    model gets its error.

    Raises `ValueError` if the turn is not in the dialect `openai-responses`.
    """
    found = definitions(turn, "the framework", ("openai-responses",))
    return [_tool(turn, handlers, one) for one in found]


def _tool(turn: Turn, handlers: Handlers, definition: dict[str, Any]) -> Tool:
    name: str = definition["name"]
    description: str = definition.get("description", "")
    is_text = definition["type"] == "custom"

    async def run(_: ToolContext[Any], arguments: str) -> str:
        return (await turn.call_async(name, arguments, handlers, is_text=is_text)).text

    if is_text:
        return CustomTool(name, description, run, format=definition.get("format"))
    return FunctionTool(name, description, schema(definition), run, strict_json_schema=False)
