"""OpenAI's Responses API.

```python
turn = catalog.turn("openai-responses")
while True:
    response = client.responses.create(model=MODEL, input=items, tools=responses.tools(turn))
    items += response.output
    results = responses.results(turn, response, handlers)
    if not results:
        break
    items += results
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .. import calls as adapted
from ..calls import ToolCall, arguments, get, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openai.types.responses import Response as OpenAIResponse
    from openai.types.responses import ResponseCustomToolCallOutputParam, ToolParam
    from openai.types.responses.response_input_param import FunctionCallOutput

    from ...call import Response
    from ...turn import Handlers, Turn

    Answer = OpenAIResponse | Mapping[str, Any]
    Output = FunctionCallOutput | ResponseCustomToolCallOutputParam

_DIALECTS = ("openai-responses",)


def tools(turn: Turn) -> list[ToolParam]:
    """Returns the parameter `tools` of the request.

    Raises `ValueError` if the turn is not in the dialect `openai-responses`.
    """
    return cast("list[ToolParam]", adapted.definitions(turn, "the Responses API", _DIALECTS))


def calls(answer: Answer) -> list[ToolCall]:
    """Returns the calls in a response. A call in a namespace is left out, because it is for a tool that the turn does not have."""
    return [_call(one) for one in get(answer, "output") or () if _is_call(one)]


def result(call: ToolCall, response: Response) -> Output:
    """Returns the item with the response to a call."""
    kind = "custom_tool_call_output" if call.is_text else "function_call_output"
    return cast("Output", {"type": kind, "call_id": call.id, **call.repeated, "output": response.text})


def results(turn: Turn, answer: Answer, handlers: Handlers) -> list[Output]:
    """Runs the calls in a response, one after the other, and returns the items that follow it. Without calls, there are none."""
    return [result(*one) for one in adapted.run(turn, calls(answer), handlers)]


async def results_async(turn: Turn, answer: Answer, handlers: Handlers) -> list[Output]:
    """Does the same as `results`, with handlers that may be asynchronous."""
    return [result(*one) for one in await adapted.run_async(turn, calls(answer), handlers)]


def _is_call(item: object) -> bool:
    return get(item, "type") in ("function_call", "custom_tool_call") and not get(item, "namespace")


def _call(item: object) -> ToolCall:
    is_text = get(item, "type") == "custom_tool_call"
    caller = get(item, "caller")
    program = get(caller, "caller_id")
    return ToolCall(
        id=get(item, "call_id"),
        name=text(get(item, "name")),
        arguments=arguments(get(item, "input" if is_text else "arguments")),
        is_text=is_text,
        repeated={"caller": {"type": "program", "caller_id": program}} if program else {},
    )
