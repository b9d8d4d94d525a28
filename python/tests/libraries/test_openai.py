"""The SDK `openai`, against a server with scripted responses."""

from __future__ import annotations

import asyncio
import json
import os
import unittest
from typing import Any
from unittest import mock

from scripted import ADD, FIND, FOUND, PATHS, WRONG, require, server, texts

require("openai", "openai-agents")

from openai import AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletionToolMessageParam
from openai.types.responses import ResponseCustomToolCallOutputParam
from openai.types.responses.response_input_param import FunctionCallOutput
from pydantic import TypeAdapter

import agents_loop
from orders import handlers
from shop import catalog
from toolc.adapters import ToolCall
from toolc.adapters.openai import chat, responses

CALLS = [("add_order", ADD), ("find_orders", FIND), ("find_orders", WRONG)]


def chat_call(number: int, name: str, arguments: object) -> dict[str, Any]:
    return {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def completion(message: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, **message}}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def response(*output: dict[str, Any]) -> dict[str, Any]:
    fixed: dict[str, Any] = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "tools": []}
    return {**fixed, "parallel_tool_calls": True, "tool_choice": "auto", "output": list(output)}


def response_call(number: int, name: str, arguments: object, **more: object) -> dict[str, Any]:
    return {"type": "function_call", "call_id": f"c{number}", "name": name, "arguments": json.dumps(arguments), **more}


TEXT_CALL = {"id": "c3", "type": "custom", "custom": {"name": "add_up", "input": "1 + 2"}}
FIRST_CHAT = completion({"tool_calls": [*(chat_call(number, *one) for number, one in enumerate(CALLS)), TEXT_CALL]})
LAST_CHAT = completion({"content": "done"})
FIRST_RESPONSE = response(
    *(response_call(number, *one) for number, one in enumerate(CALLS)),
    {"type": "custom_tool_call", "call_id": "c3", "name": "add_up", "input": "1 + 2"},
    response_call(4, "find_orders", FIND, caller={"type": "program", "caller_id": "p1"}),
    response_call(5, "find_orders", FIND, namespace="other"),
)
LAST_RESPONSE = response(
    {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "done", "annotations": []}],
    }
)


class Chat(unittest.TestCase):
    def check(self, bodies: list[dict[str, Any]], dialect: str) -> None:
        self.assertEqual(bodies[0]["tools"], catalog.turn(dialect).definitions)
        results = bodies[1]["messages"][2:]
        self.assertEqual(bodies[1]["messages"][1]["tool_calls"], FIRST_CHAT["choices"][0]["message"]["tool_calls"])
        self.assertEqual([(one["role"], one["tool_call_id"]) for one in results], [("tool", f"c{n}") for n in range(4)])
        added, found, wrong, total = texts(one["content"] for one in results)
        self.assertEqual((added, found, total), ({"number": "o-2"}, FOUND, "3"))
        self.assertEqual([one["path"] for one in wrong["problems"]], PATHS)
        for one in results:
            TypeAdapter(ChatCompletionToolMessageParam).validate_python(one, strict=True)

    def test_the_sdk_takes_definitions_and_results(self) -> None:
        async def run(url: str, dialect: str) -> str | None:
            client, turn, running = AsyncOpenAI(base_url=url, api_key="k"), catalog.turn(dialect), handlers()
            messages: list[Any] = [{"role": "user", "content": "?"}]
            while True:
                answer = await client.chat.completions.create(model="m", messages=messages, tools=chat.tools(turn))
                # What the SDK parses can be sent back.
                messages.append(answer.choices[0].message.model_dump(exclude_none=True))
                results = await chat.results_async(turn, answer, running)
                if not results:
                    return answer.choices[0].message.content
                messages += results

        for dialect in ("openai", "openai-strict"):
            with server(FIRST_CHAT, LAST_CHAT) as (url, bodies):
                self.assertEqual(asyncio.run(run(url, dialect)), "done")
            self.check(bodies, dialect)

    def test_results_without_async_are_the_same_for_plain_dictionaries(self) -> None:
        turn = catalog.turn("openai")
        message = {"tool_calls": [chat_call(0, "add_order", ADD), TEXT_CALL]}
        for answer in (completion(message), message):
            results = chat.results(turn, answer, handlers())
            self.assertEqual([one["content"] for one in results], ['{"number":"o-2"}', "3"])
        empty: list[dict[str, Any]] = [{}, {"choices": []}, completion({}), completion({"tool_calls": None})]
        for nothing in empty:
            self.assertEqual(chat.results(turn, nothing, handlers()), [])

    def test_calls_of_servers_that_deviate_are_answered(self) -> None:
        odd = [
            {"id": "a", "function": {"name": "find_orders", "arguments": FIND}},
            {"id": "b", "function": {"name": "find_orders", "arguments": None}},
            {"id": "c", "function": {"name": None, "arguments": "{}"}},
            {"id": "d"},
        ]
        turn = catalog.turn("openai")
        calls = chat.calls({"tool_calls": odd})
        self.assertEqual(calls[0], ToolCall("a", "find_orders", FIND))
        kinds = [json.loads(asyncio.run(one.run_async(turn, handlers())).text).get("kind") for one in calls]
        self.assertEqual(kinds, ["not_found", "malformed_arguments", "unknown_tool", "unknown_tool"])

    def test_a_turn_in_another_dialect_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "dialect `openai` or `openai-strict` or `portable`, and the turn is in `mcp`"):
            chat.tools(catalog.turn("mcp"))

    def test_the_definitions_belong_to_the_request(self) -> None:
        turn = catalog.turn("openai")
        chat.tools(turn).clear()
        self.assertEqual(len(chat.tools(turn)), 3)


class Responses(unittest.TestCase):
    def test_the_sdk_takes_definitions_and_results(self) -> None:
        async def run(url: str) -> str:
            client, turn, running = AsyncOpenAI(base_url=url, api_key="k"), catalog.turn("openai-responses"), handlers()
            items: list[Any] = [{"role": "user", "content": "?"}]
            while True:
                answer = await client.responses.create(model="m", input=items, tools=responses.tools(turn))
                items += [one.to_dict() for one in answer.output]
                results = await responses.results_async(turn, answer, running)
                if not results:
                    return answer.output_text
                items += results

        with server(FIRST_RESPONSE, LAST_RESPONSE) as (url, bodies):
            self.assertEqual(asyncio.run(run(url)), "done")
        self.assertEqual(bodies[0]["tools"], catalog.turn("openai-responses").definitions)
        results = bodies[1]["input"][7:]
        self.assertEqual([one["call_id"] for one in results], ["c0", "c1", "c2", "c3", "c4"])
        self.assertEqual(results[3], {"type": "custom_tool_call_output", "call_id": "c3", "output": "3"})
        self.assertEqual(results[4]["caller"], {"type": "program", "caller_id": "p1"})
        added, found, wrong = texts(one["output"] for one in results[:3])
        self.assertEqual((added, found), ({"number": "o-2"}, FOUND))
        self.assertEqual([one["path"] for one in wrong["problems"]], PATHS)
        for one in results:
            kind: Any = ResponseCustomToolCallOutputParam if one["type"].startswith("custom") else FunctionCallOutput
            TypeAdapter(kind).validate_python(one, strict=True)

    def test_results_without_async_are_the_same(self) -> None:
        with server(response(response_call(0, "add_order", ADD))) as (url, _):
            answer = OpenAI(base_url=url, api_key="k").responses.create(model="m", input="?")
        turn = catalog.turn("openai-responses")
        for one in (answer, answer.model_dump()):
            expected = [{"type": "function_call_output", "call_id": "c0", "output": '{"number":"o-2"}'}]
            self.assertEqual(responses.results(turn, one, handlers()), expected)
        with self.assertRaisesRegex(ValueError, "the dialect `openai-responses`, and the turn is in `openai`"):
            responses.tools(catalog.turn("openai"))


class Agents(unittest.TestCase):
    def test_the_example_with_openai_agents_runs_the_tools(self) -> None:
        with server(FIRST_RESPONSE_OF_AGENT, LAST_RESPONSE) as (url, bodies):
            settings = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k", "OPENAI_AGENTS_DISABLE_TRACING": "1"}
            with mock.patch.dict(os.environ, settings):
                self.assertEqual(asyncio.run(agents_loop.answer("?")), "done")
        expected = [without_strict(one) for one in catalog.turn("openai-responses").definitions]
        self.assertEqual([without_strict(one) for one in bodies[0]["tools"]], expected)
        outputs = {one["call_id"]: one["output"] for one in bodies[1]["input"] if one.get("type", "").endswith("_output")}
        self.assertEqual(texts([outputs["c0"], outputs["c3"]]), [{"number": "o-2"}, "3"])
        self.assertEqual([one["path"] for one in json.loads(outputs["c2"])["problems"]], PATHS)


FIRST_RESPONSE_OF_AGENT = response(*FIRST_RESPONSE["output"][:4])


def without_strict(tool: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in tool.items() if key != "strict"}


if __name__ == "__main__":
    unittest.main()
