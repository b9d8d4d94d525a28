"""The SDK `anthropic`, against a server with scripted responses."""

from __future__ import annotations

import asyncio
import os
import unittest
from typing import Any
from unittest import mock

from scripted import ADD, FIND, FOUND, PATHS, WRONG, require, server, texts

require("anthropic")

from anthropic import Anthropic
from anthropic.types import MessageParam, ToolResultBlockParam
from pydantic import TypeAdapter

import anthropic_loop
from orders import handlers
from shop import catalog
from toolc.adapters import anthropic


def message(*content: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    fixed = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None, "usage": usage}
    return {**fixed, "stop_reason": "end_turn", "content": list(content)}


def call(number: int, name: str, arguments: object, **more: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"c{number}", "name": name, "input": arguments, **more}


FIRST = message(
    {"type": "text", "text": "Let me see."},
    call(0, "add_order", ADD),
    call(1, "find_orders", FIND),
    call(2, "find_orders", WRONG),
    call(3, "add_up", {"numbers": "1 + 2"}),
    call(4, "find_orders", {}, toolset_name="browser"),
)
LAST = message({"type": "text", "text": "done"})


class Messages(unittest.TestCase):
    def test_the_example_runs_the_tools(self) -> None:
        running = server(FIRST, LAST)
        with running as (url, bodies), mock.patch.dict(os.environ, {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "k"}):
            self.assertEqual(asyncio.run(anthropic_loop.answer("?")), "done")
        self.assertEqual(bodies[0]["tools"], catalog.turn("anthropic").definitions)
        self.assertEqual(len(bodies[1]["messages"]), 3)
        blocks = bodies[1]["messages"][2]["content"]
        self.assertEqual(
            [(one["tool_use_id"], one.get("is_error")) for one in blocks], [("c0", None), ("c1", None), ("c2", True), ("c3", None)]
        )
        added, found, wrong, total = texts(one["content"] for one in blocks)
        self.assertEqual((added, found, total), ({"number": "o-2"}, FOUND, "3"))
        self.assertEqual([one["path"] for one in wrong["problems"]], PATHS)
        for one in blocks:
            TypeAdapter(ToolResultBlockParam).validate_python(one, strict=True)

    def test_results_without_async_are_the_same(self) -> None:
        turn = catalog.turn("anthropic")
        with server(message(call(0, "add_order", ADD))) as (url, _):
            client = Anthropic(base_url=url, api_key="k")
            messages: list[MessageParam] = [{"role": "user", "content": "?"}]
            answer = client.messages.create(model="m", max_tokens=1, messages=messages, tools=anthropic.tools(turn))
        for one in (answer, answer.model_dump()):
            block = {"type": "tool_result", "tool_use_id": "c0", "content": '{"number":"o-2"}'}
            self.assertEqual(anthropic.results(turn, one, handlers()), [{"role": "user", "content": [block]}])
        self.assertEqual(anthropic.results(turn, LAST, handlers()), [])
        with self.assertRaisesRegex(ValueError, "the dialect `anthropic` or `anthropic-strict`, and the turn is in `openai`"):
            anthropic.tools(catalog.turn("openai"))


if __name__ == "__main__":
    unittest.main()
