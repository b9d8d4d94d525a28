"""The framework `langchain`, of which only `langchain-core` is needed.

```python
model = init_chat_model(MODEL).bind_tools(langchain.tools(catalog.turn("openai"), handlers))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool, ToolException
from pydantic import PrivateAttr

from .calls import definition, name, schema

if TYPE_CHECKING:
    from ..call import Response
    from ..turn import Handlers, Turn


class CatalogTool(BaseTool):
    """A tool of a turn. The message about a failed call has the status `error`."""

    handle_tool_error: Any = True
    _turn: Any = PrivateAttr()
    _handlers: Any = PrivateAttr()

    def __init__(self, turn: Turn, handlers: Handlers, tool: str) -> None:
        found = definition(turn, tool)
        holder = found.get("function") or found.get("custom") or found
        super().__init__(name=name(found), description=holder.get("description", ""), args_schema=schema(found))
        self._turn, self._handlers = turn, handlers

    # The parameters have no names, because an argument may have any.
    def _run(self, /, **arguments: Any) -> str:
        return _content(self._turn.call(self.name, arguments, self._handlers))

    async def _arun(self, /, **arguments: Any) -> str:
        return _content(await self._turn.call_async(self.name, arguments, self._handlers))


def tools(turn: Turn, handlers: Handlers) -> list[BaseTool]:
    """Returns the tools of a turn in any dialect whose definitions have schemas, such as `openai`. A tool that takes plain text has a
    schema in the dialects of other vendors, such as `portable` or `anthropic`.

    Raises `ValueError` in the dialect `typescript`.
    """
    return [CatalogTool(turn, handlers, one) for one in turn.tools]


def _content(response: Response) -> str:
    if response.is_error:
        raise ToolException(response.text)
    return response.text
