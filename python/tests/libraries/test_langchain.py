"""The framework `langchain`."""

from __future__ import annotations

import asyncio
import json
import unittest

from scripted import ADD, FIND, FOUND, PATHS, WRONG, require

require("langchain-core")

from langchain_core.messages import ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from orders import handlers
from shop import catalog
from toolc import Catalog
from toolc.adapters import langchain


class Tools(unittest.TestCase):
    def test_definitions_reach_the_model(self) -> None:
        tools = langchain.tools(catalog.turn("anthropic"), handlers())
        for tool, definition in zip(tools, catalog.turn("anthropic").definitions, strict=True):
            function = convert_to_openai_tool(tool)["function"]
            self.assertEqual((function["name"], function["description"]), (definition["name"], definition["description"]))
            self.assertEqual(function["parameters"], definition["input_schema"])

    def test_calls_are_run_and_failed_ones_are_marked(self) -> None:
        async def run() -> list[ToolMessage]:
            tools = {tool.name: tool for tool in langchain.tools(catalog.turn("openai"), handlers())}
            calls = [("add_order", ADD), ("find_orders", FIND), ("find_orders", WRONG)]
            return [
                await tools[name].ainvoke({"type": "tool_call", "id": f"c{number}", "name": name, "args": arguments})
                for number, (name, arguments) in enumerate(calls)
            ]

        added, found, wrong = asyncio.run(run())
        self.assertEqual([one.status for one in (added, found, wrong)], ["success", "success", "error"])
        self.assertEqual([json.loads(str(one.content)) for one in (added, found)], [{"number": "o-2"}, FOUND])
        self.assertEqual([one["path"] for one in json.loads(str(wrong.content))["problems"]], PATHS)
        self.assertEqual(wrong.tool_call_id, "c2")

    def test_arguments_may_have_the_names_of_parameters_of_the_framework(self) -> None:
        names = ["config", "run_manager", "self", "arguments", "callbacks"]
        tool = {
            "name": "t",
            "toolset": "t",
            "arguments": [{"types": ["object"]}],
            "definitions": {"openai": ['{"type":"function","function":{"name":"t","parameters":{"type":"object"}}}']},
        }
        document = {"format": 1, "dialects": ["openai"], "facts": [], "toolsets": [], "tools": [tool]}
        turn = Catalog.parse(json.dumps(document)).turn("openai")
        one = langchain.tools(turn, {"t": sorted})[0]
        sent = dict.fromkeys(names, 1)
        self.assertEqual(json.loads(one.invoke(sent)), sorted(names))


if __name__ == "__main__":
    unittest.main()
