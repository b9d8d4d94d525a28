"""The SDK `mcp`: its clients call the tools of a turn."""

from __future__ import annotations

import asyncio
import sys
import unittest
from typing import Any

from scripted import ADD, EXAMPLES, FIND, FOUND, PATHS, WRONG, require

require("mcp")

import json

from mcp import Client, MCPError

import shop.client
from orders import handlers
from shop import catalog
from toolc import Catalog, ToolError
from toolc import mcp as our_client
from toolc.adapters import mcp

PROGRAM = f"""
import sys
sys.path[:0] = {[str(EXAMPLES), str(EXAMPLES.parent / "src")]!r}
from orders import handlers
from shop import catalog
from toolc.adapters import mcp
mcp.serve(catalog.turn("mcp"), handlers(), "shop", version="1", instructions="Ask for orders.")
"""


def text(result: Any) -> str:
    return str(result.content[0].text)


class Server(unittest.TestCase):
    def test_clients_of_both_eras_call_the_tools(self) -> None:
        async def run(mode: Any) -> None:
            server = mcp.server(catalog.turn("mcp"), handlers(), "shop", version="1")
            async with Client(server, mode=mode) as client:
                listed = (await client.list_tools()).tools
                definitions = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in listed]
                self.assertEqual(definitions, catalog.turn("mcp").definitions)
                self.assertEqual(text(await client.call_tool("add_order", ADD)), '{"number":"o-2"}')
                found = await client.call_tool("find_orders", FIND)
                self.assertEqual((found.is_error, found.structured_content, json.loads(text(found))), (False, FOUND, FOUND))
                self.assertIsNone((await client.call_tool("add_up", {"numbers": "1 + 2"})).structured_content)
                wrong = await client.call_tool("find_orders", WRONG)
                self.assertTrue(wrong.is_error)
                self.assertEqual([one["path"] for one in json.loads(text(wrong))["problems"]], PATHS)
                self.assertTrue((await client.call_tool("find_orders", {"customer": "c-1"})).is_error)
                with self.assertRaisesRegex(MCPError, "unknown tool `find`"):
                    await client.call_tool("find", {})

        for mode in ("legacy", "auto"):
            asyncio.run(run(mode))

    def test_a_text_for_a_result_with_a_schema_is_an_error(self) -> None:
        async def run() -> None:
            server = mcp.server(catalog.turn("mcp"), {"find_orders": lambda _: "none"}, "shop")
            async with Client(server) as client:
                await client.list_tools()
                result = await client.call_tool("find_orders", FIND)
                self.assertTrue(result.is_error)
                self.assertIn("its result has a schema", text(result))

        asyncio.run(run())

    def test_a_result_that_is_no_object_has_a_schema_only_for_newer_clients(self) -> None:
        definition = {"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "integer"}}
        tool = {"name": "count", "toolset": "t", "arguments": [{"types": ["object"]}], "definitions": {"mcp": [json.dumps(definition)]}}
        document = {"format": 1, "dialects": ["mcp"], "facts": [], "toolsets": [], "tools": [tool]}
        counted = Catalog.parse(json.dumps(document))

        async def run(mode: Any) -> tuple[Any, Any]:
            async with Client(mcp.server(counted.turn("mcp"), {"count": lambda _: 5}, "shop"), mode=mode) as client:
                schema = (await client.list_tools()).tools[0].output_schema
                result = await client.call_tool("count", {})
                self.assertEqual(text(result), "5")
                return schema, result.structured_content

        self.assertEqual(asyncio.run(run("auto")), ({"type": "integer"}, 5))
        self.assertEqual(asyncio.run(run("legacy")), (None, None))

    def test_the_client_of_this_package_calls_a_server_over_the_standard_streams(self) -> None:
        with our_client.Client.stdio([sys.executable, "-c", PROGRAM]) as client:
            self.assertEqual((client.server["serverInfo"]["name"], client.server["instructions"]), ("shop", "Ask for orders."))
            self.assertEqual(client.tools(), catalog.turn("mcp").definitions)
            shop.client.connect(client.call)
            self.assertEqual(json.loads(shop.client.add_order("c-20", [{"article": "a-1"}])), {"number": "o-2"})
            self.assertEqual(shop.client.find_orders("c-20", limit=5), FOUND)
            with self.assertRaises(ToolError) as raised:
                client.call("find_orders", WRONG)
            self.assertEqual([one.path for one in raised.exception.problems], PATHS)
            with self.assertRaises(our_client.McpError):
                client.call("find")

    def test_a_turn_in_another_dialect_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "the dialect `mcp`, and the turn is in `openai`"):
            mcp.server(catalog.turn("openai"), handlers(), "shop")


if __name__ == "__main__":
    unittest.main()
