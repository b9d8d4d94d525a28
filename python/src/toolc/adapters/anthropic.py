"""Anthropic's Messages API.

```python
turn = catalog.turn("anthropic")
while True:
    message = client.messages.create(model=MODEL, max_tokens=4_000, messages=messages, tools=anthropic.tools(turn))
    messages.append({"role": "assistant", "content": message.content})
    results = anthropic.results(turn, message, handlers)
    if not results:
        break
    messages += results
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from . import calls as adapted
from .calls import ToolCall, arguments, get, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anthropic.types import Message, MessageParam, ToolParam, ToolResultBlockParam

    from ..call import Response
    from ..turn import Handlers, Turn

    Answer = Message | Mapping[str, Any]

_DIALECTS = ("anthropic", "anthropic-strict")


def tools(turn: Turn) -> list[ToolParam]:
    """Returns the parameter `tools` of the request.

    Raises `ValueError` if the turn is not in the dialect `anthropic` or `anthropic-strict`.
    """
    return cast("list[ToolParam]", adapted.definitions(turn, "the Messages API", _DIALECTS))


def calls(answer: Answer) -> list[ToolCall]:
    """Returns the calls in a message of the model. A call of a toolset of Anthropic is left out, because it is for a tool that the turn
    does not have."""
    blocks = get(answer, "content") or ()
    return [
        ToolCall(get(one, "id"), text(get(one, "name")), arguments(get(one, "input")))
        for one in blocks
        if get(one, "type") == "tool_use" and not get(one, "toolset_name")
    ]


def result(call: ToolCall, response: Response) -> ToolResultBlockParam:
    """Returns the block with the response to a call."""
    block: ToolResultBlockParam = {"type": "tool_result", "tool_use_id": call.id or "", "content": response.text}
    if response.is_error:
        block["is_error"] = True
    return block


def results(turn: Turn, answer: Answer, handlers: Handlers) -> list[MessageParam]:
    """Runs the calls in a message of the model, one after the other, and returns the message that follows it, with all results. Without
    calls, the list is empty."""
    return _message([result(*one) for one in adapted.run(turn, calls(answer), handlers)])


async def results_async(turn: Turn, answer: Answer, handlers: Handlers) -> list[MessageParam]:
    """Does the same as `results`, with handlers that may be asynchronous."""
    return _message([result(*one) for one in await adapted.run_async(turn, calls(answer), handlers)])


def _message(blocks: Sequence[ToolResultBlockParam]) -> list[MessageParam]:
    return [{"role": "user", "content": blocks}] if blocks else []
