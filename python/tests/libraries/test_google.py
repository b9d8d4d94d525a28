"""The SDK `google-genai`, against a server with scripted responses."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from scripted import ADD, FIND, FOUND, PATHS, WRONG, require, server

require("google-genai")

from google.genai import Client, types

from orders import handlers
from shop import catalog
from toolc.adapters import google


def response(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP"}]}


def call(name: str, arguments: object, **more: object) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": arguments, **more}}


FIRST = response(
    {"text": "Let me see.", "thoughtSignature": "c2ln"},
    call("add_order", ADD, id="c0"),
    call("find_orders", FIND),
    call("find_orders", WRONG),
    call("add_up", {"numbers": "1 + 2"}),
    {"functionCall": {"name": "add_up"}},
)
LAST = response({"text": "done"})


class GenerateContent(unittest.TestCase):
    def answer(self, url: str, dialect: str) -> str:
        # The types of the SDK are not complete.
        client: Any = Client(api_key="k", http_options=types.HttpOptions(base_url=url))
        turn, running = catalog.turn(dialect), handlers()
        config = types.GenerateContentConfigDict(tools=list(google.tools(turn)))
        contents: list[Any] = ["?"]

        async def run() -> str:
            while True:
                answer = await client.aio.models.generate_content(model="m", contents=contents, config=config)
                assert answer.candidates and answer.candidates[0].content
                contents.append(answer.candidates[0].content)
                results = await google.results_async(turn, answer, running)
                if not results:
                    return str(answer.text)
                contents.extend(results)

        return asyncio.run(run())

    def test_the_sdk_takes_definitions_and_results(self) -> None:
        for dialect in ("gemini", "gemini-openapi"):
            with server(FIRST, LAST) as (url, bodies):
                self.assertEqual(self.answer(url, dialect), "done")
            # The SDK sends other spellings of the same keys.
            declared = bodies[0]["tools"][0]["functionDeclarations"]
            expected = catalog.turn(dialect).definitions
            self.assertEqual(*([types.FunctionDeclaration.model_validate(one) for one in all_] for all_ in (declared, expected)))
            parts = [one["functionResponse"] for one in bodies[1]["contents"][2]["parts"]]
            self.assertEqual(bodies[1]["contents"][2]["role"], "user")
            self.assertEqual([one.get("id") for one in parts], ["c0", None, None, None, None])
            self.assertEqual([one["name"] for one in parts], ["add_order", "find_orders", "find_orders", "add_up", "add_up"])
            answers = [one["response"] for one in parts]
            self.assertEqual(answers[:2], [{"output": {"number": "o-2"}}, {"output": FOUND}])
            self.assertEqual([one["path"] for one in answers[2]["problems"]], PATHS)
            self.assertEqual(answers[3], {"output": "3"})
            self.assertEqual(answers[4]["kind"], "invalid_arguments")

    def test_results_without_async_are_the_same(self) -> None:
        turn = catalog.turn("gemini")
        answer = types.GenerateContentResponse.model_validate(response(call("add_order", ADD, id="c0")))
        for one in (answer, answer.model_dump(), response(call("add_order", ADD, id="c0"))):
            part = {"function_response": {"id": "c0", "name": "add_order", "response": {"output": {"number": "o-2"}}}}
            results = google.results(turn, one, handlers())
            self.assertEqual(results, [{"role": "user", "parts": [part]}])
            types.Content.model_validate(results[0])
        self.assertEqual(google.results(turn, LAST, handlers()), [])
        self.assertEqual(google.tools(catalog.turn("gemini", without_toolsets=["all"])), [])
        with self.assertRaisesRegex(ValueError, "the dialect `gemini` or `gemini-openapi`, and the turn is in `openai`"):
            google.tools(catalog.turn("openai"))


if __name__ == "__main__":
    unittest.main()
