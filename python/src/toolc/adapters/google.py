"""Gemini's `generateContent`.

```python
turn = catalog.turn("gemini")
config = types.GenerateContentConfig(tools=google.tools(turn))
while True:
    response = client.models.generate_content(model=MODEL, contents=contents, config=config)
    contents.append(response.candidates[0].content)
    results = google.results(turn, response, handlers)
    if not results:
        break
    contents += results
```
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from . import calls as adapted
from .calls import ToolCall, arguments, get, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.genai.types import Content, ContentDict, GenerateContentResponse, PartDict, ToolDict

    from ..call import Response
    from ..turn import Handlers, Turn

    Answer = GenerateContentResponse | Content | Mapping[str, Any]

_DIALECTS = ("gemini", "gemini-openapi")
# The names in Python of the keys of a declaration.
_KEYS = {"parametersJsonSchema": "parameters_json_schema", "responseJsonSchema": "response_json_schema"}


def tools(turn: Turn) -> list[ToolDict]:
    """Returns `tools` of the configuration: one tool with all declarations, or none without declarations.

    Raises `ValueError` if the turn is not in the dialect `gemini` or `gemini-openapi`.
    """
    found = adapted.definitions(turn, "`generateContent`", _DIALECTS)
    declarations = [{_KEYS.get(key, key): value for key, value in one.items()} for one in found]
    return [cast("ToolDict", {"function_declarations": declarations})] if declarations else []


def calls(answer: Answer) -> list[ToolCall]:
    """Returns the calls in a response, of which the first candidate counts, or in a content of the model."""
    candidates = get(answer, "candidates")
    content = get(candidates[0], "content") if candidates else answer
    parts = get(content, "parts") or ()
    found = (get(part, "function_call") or get(part, "functionCall") for part in parts)
    return [
        # A call without arguments has no `args`.
        ToolCall(get(one, "id"), text(get(one, "name")), arguments(get(one, "args") or {}))
        for one in found
        if one is not None
    ]


def result(call: ToolCall, response: Response) -> PartDict:
    """Returns the part with the response to a call."""
    value = _value(response.text)
    # The JSON of an error already is an object with the key `error`, as Gemini expects.
    answer = cast("dict[str, Any]", value) if response.is_error and isinstance(value, dict) else {"output": value}
    named: dict[str, Any] = {"name": call.name, "response": answer}
    return cast("PartDict", {"function_response": named if call.id is None else {"id": call.id, **named}})


def results(turn: Turn, answer: Answer, handlers: Handlers) -> list[ContentDict]:
    """Runs the calls in a response, one after the other, and returns the content that follows it, with all results. Without calls, the
    list is empty."""
    return _content([result(*one) for one in adapted.run(turn, calls(answer), handlers)])


async def results_async(turn: Turn, answer: Answer, handlers: Handlers) -> list[ContentDict]:
    """Does the same as `results`, with handlers that may be asynchronous."""
    return _content([result(*one) for one in await adapted.run_async(turn, calls(answer), handlers)])


def _content(parts: list[PartDict]) -> list[ContentDict]:
    return [{"role": "user", "parts": parts}] if parts else []


def _value(result: str) -> object:
    """Returns the value of a result that is the JSON of an object or an array. Every other result is a text."""
    if not result.startswith(("{", "[")):
        return result
    try:
        return json.loads(result)
    except (ValueError, RecursionError):
        return result
