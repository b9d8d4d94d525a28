"""The adapters that import no library, with plain dictionaries."""

from __future__ import annotations

import asyncio
import json
import sys
import unittest
from pathlib import Path
from typing import Any

from toolc import Handlers, ToolError
from toolc.adapters import ToolCall, anthropic, google
from toolc.adapters.calls import definition, name, schema
from toolc.adapters.openai import chat, responses

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

from shop import catalog

TEXT = '{"find": 1}'
LATER = '["later"]'


async def find(arguments: dict[str, Any]) -> Any:
    """Returns a text that looks like JSON, or fails."""
    if arguments["customer"] == "none":
        raise ToolError("no such customer")
    await asyncio.sleep(0)
    return TEXT if arguments["limit"] == 10 else LATER


def add_up(arguments: dict[str, Any]) -> Any:
    """Returns a deep list, which a parser may refuse."""
    return "[" * int(arguments["numbers"])


HANDLERS: Handlers = {"find_orders": find, "add_up": add_up}
FIND: list[dict[str, Any]] = [{"customer": "c"}, {"customer": "none"}, {"customer": "c", "limit": 3}]


class Adapters(unittest.TestCase):
    def test_chat_completions(self) -> None:
        calls = [{"id": f"c{n}", "function": {"name": "find_orders", "arguments": json.dumps(one)}} for n, one in enumerate(FIND)]
        calls.append({"id": "c3", "type": "custom", "custom": {"name": "add_up", "input": "2"}})
        answer = {"choices": [{"message": {"tool_calls": calls}}, {"message": {"tool_calls": calls}}]}
        results = asyncio.run(chat.results_async(catalog.turn("openai"), answer, HANDLERS))
        self.assertEqual([one["tool_call_id"] for one in results], ["c0", "c1", "c2", "c3"])
        error = '{"error":"no such customer","kind":"failed"}'
        self.assertEqual([one["content"] for one in results], [TEXT, error, LATER, "[["])

    def test_responses(self) -> None:
        calls = [{"type": "function_call", "call_id": f"c{n}", "name": "find_orders", "arguments": one} for n, one in enumerate(FIND)]
        answer = {"output": [{"type": "reasoning"}, *calls, {"type": "function_call", "call_id": "c3", "namespace": "x"}]}
        results = asyncio.run(responses.results_async(catalog.turn("openai-responses"), answer, HANDLERS))
        self.assertEqual([one["type"] for one in results], ["function_call_output"] * 3)

    def test_messages(self) -> None:
        calls = [{"type": "tool_use", "id": f"c{n}", "name": "find_orders", "input": one} for n, one in enumerate(FIND)]
        results = asyncio.run(anthropic.results_async(catalog.turn("anthropic"), {"content": calls}, HANDLERS))
        blocks: list[Any] = list(results[0]["content"])
        self.assertEqual(len(results), 1)
        self.assertEqual([one.get("is_error", False) for one in blocks], [False, True, False])

    def test_generate_content(self) -> None:
        calls = [{"functionCall": {"name": "find_orders", "args": one}} for one in FIND]
        calls += [{"function_call": {"name": "add_up", "args": {"numbers": number}}} for number in ("1", "100000")]
        content = {"parts": [{"text": "a"}, *calls]}
        results = asyncio.run(google.results_async(catalog.turn("gemini"), content, HANDLERS))
        parts: list[Any] = results[0].get("parts") or []
        answers = [one["function_response"]["response"] for one in parts]
        error = {"error": "no such customer", "kind": "failed"}
        self.assertEqual(answers[:3], [{"output": {"find": 1}}, error, {"output": ["later"]}])
        # What is not JSON stays a text.
        self.assertEqual(answers[3:], [{"output": "["}, {"output": "[" * 100_000}])

    def test_a_call_without_a_handler_is_a_mistake_of_the_program(self) -> None:
        with self.assertRaisesRegex(LookupError, "the tool `find_orders` has no handler"):
            ToolCall("c", "find_orders", FIND[0]).run(catalog.turn("openai"), {})
        with self.assertRaisesRegex(TypeError, "is asynchronous"):
            ToolCall("c", "find_orders", FIND[0]).run(catalog.turn("openai"), HANDLERS)

    def test_definitions_are_read_in_every_dialect(self) -> None:
        for dialect in catalog.dialects:
            turn = catalog.turn(dialect)
            self.assertEqual([name(definition(turn, tool)) for tool in turn.tools], list(turn.tools))
            self.assertEqual(list(schema(definition(turn, "find_orders"))["properties"]), ["customer", "limit"])
            with self.assertRaisesRegex(ValueError, "does not show the tool `find`"):
                definition(turn, "find")


if __name__ == "__main__":
    unittest.main()
