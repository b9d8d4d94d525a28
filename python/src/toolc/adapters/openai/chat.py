"""OpenAI's Chat Completions, and the servers that offer the same API.

```python
turn = catalog.turn("openai")
while True:
    completion = client.chat.completions.create(model=MODEL, messages=messages, tools=chat.tools(turn))
    messages.append(completion.choices[0].message)
    results = chat.results(turn, completion, handlers)
    if not results:
        break
    messages += results
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .. import calls as adapted
from ..calls import ToolCall, arguments, get, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openai.types.chat import (
        ChatCompletion,
        ChatCompletionMessage,
        ChatCompletionToolMessageParam,
        ChatCompletionToolUnionParam,
    )

    from ...call import Response
    from ...turn import Handlers, Turn

    Answer = ChatCompletion | ChatCompletionMessage | Mapping[str, Any]

_DIALECTS = ("openai", "openai-strict", "portable")


def tools(turn: Turn) -> list[ChatCompletionToolUnionParam]:
    """Returns the parameter `tools` of the request.

    Raises `ValueError` if the turn is not in the dialect `openai`, `openai-strict` or `portable`.
    """
    return cast("list[ChatCompletionToolUnionParam]", adapted.definitions(turn, "Chat Completions", _DIALECTS))


def calls(answer: Answer) -> list[ToolCall]:
    """Returns the calls in a completion, of which the first choice counts, or in a message of the model."""
    choices = get(answer, "choices")
    message = get(choices[0], "message") if choices else answer
    return [_call(one) for one in get(message, "tool_calls") or ()]


def result(call: ToolCall, response: Response) -> ChatCompletionToolMessageParam:
    """Returns the message with the response to a call."""
    return {"role": "tool", "tool_call_id": call.id or "", "content": response.text}


def results(turn: Turn, answer: Answer, handlers: Handlers) -> list[ChatCompletionToolMessageParam]:
    """Runs the calls in an answer of the model, one after the other, and returns the messages that follow it. Without calls, there are
    none."""
    return [result(*one) for one in adapted.run(turn, calls(answer), handlers)]


async def results_async(turn: Turn, answer: Answer, handlers: Handlers) -> list[ChatCompletionToolMessageParam]:
    """Does the same as `results`, with handlers that may be asynchronous."""
    return [result(*one) for one in await adapted.run_async(turn, calls(answer), handlers)]


def _call(call: object) -> ToolCall:
    is_text = get(call, "type") == "custom"
    called = get(call, "custom" if is_text else "function")
    written = get(called, "input" if is_text else "arguments")
    return ToolCall(get(call, "id"), text(get(called, "name")), arguments(written), is_text)
