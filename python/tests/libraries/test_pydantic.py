"""The libraries `pydantic` and FastAPI."""

from __future__ import annotations

import unittest
from typing import Annotated, Any

from scripted import ADD, FIND, PATHS, WRONG, require

require("pydantic", "fastapi", "httpx")

from fastapi.testclient import TestClient
from pydantic import BaseModel, TypeAdapter, ValidationError

from fastapi_service import app
from shop import FindOrdersArguments, catalog
from toolc.adapters.calls import schema
from toolc.adapters.pydantic import ToolArguments


class Find(BaseModel):
    customer: str
    limit: int


class Step(BaseModel):
    find: Annotated[FindOrdersArguments, ToolArguments(catalog.turn("mcp"), "find_orders")]
    order: Annotated[dict[str, Any], ToolArguments(catalog.turn("openai"), "add_order")] | None = None


class Fields(unittest.TestCase):
    def test_arguments_are_repaired_and_get_their_defaults(self) -> None:
        step = Step.model_validate({"find": {"customer": 7}, "order": ADD})
        self.assertEqual(step.find, {"customer": "7", "limit": 10})
        order = {"customer": "c-20", "items": [{"article": "a-1", "quantity": 1}]}
        self.assertEqual(step.model_dump(), {"find": {"customer": "7", "limit": 10}, "order": order})
        self.assertEqual(Step.model_validate_json('{"find": "{\\"customer\\": \\"7\\"}"}').find, {"customer": "7", "limit": 10})
        self.assertEqual(Step.model_validate_json('{"find": {"customer": "c", "limit": "5"}}').find["limit"], 5)

    def test_each_problem_is_an_error_with_its_place(self) -> None:
        with self.assertRaises(ValidationError) as raised:
            Step.model_validate({"find": WRONG, "order": {"customer": "c", "items": [{"article": "a"}, {"article": "", "a/b": 1}]}})
        found = {(one["type"], *one["loc"]): one["input"] for one in raised.exception.errors()}
        kind = "invalid_arguments"
        expected = {
            (kind, "find", "customer"): None,
            (kind, "find", "limit"): 0,
            (kind, "order", "items", 1, "article"): "",
            (kind, "order", "items", 1, "a/b"): 1,
        }
        self.assertEqual(found, expected)

    def test_what_is_no_object_is_an_error(self) -> None:
        adapter: TypeAdapter[Any] = TypeAdapter(Annotated[dict[str, Any], ToolArguments(catalog.turn("mcp"), "find_orders")])
        cases: list[tuple[Any, str]] = [
            (5, "invalid_arguments"),
            ([], "invalid_arguments"),
            (None, "invalid_arguments"),
            ("{", "malformed_arguments"),
            ({"customer": object()}, "malformed_arguments"),
            ({"customer": float("nan")}, "malformed_arguments"),
        ]
        for value, kind in cases:
            with self.assertRaises(ValidationError) as raised:
                adapter.validate_python(value)
            self.assertEqual([one["type"] for one in raised.exception.errors()], [kind], value)

    def test_a_model_is_made_from_the_arguments(self) -> None:
        adapter: TypeAdapter[Find] = TypeAdapter(Annotated[Find, ToolArguments(catalog.turn("mcp"), "find_orders")])
        self.assertEqual(adapter.validate_python(FIND), Find(customer="c-20", limit=5))

    def test_the_schema_is_that_of_the_definition_in_any_dialect(self) -> None:
        for dialect in ("openai", "openai-responses", "anthropic", "gemini", "mcp"):
            turn = catalog.turn(dialect)
            adapter: TypeAdapter[Any] = TypeAdapter(Annotated[dict[str, Any], ToolArguments(turn, "find_orders")])
            self.assertEqual(adapter.json_schema()["properties"]["limit"]["maximum"], 100)
        self.assertEqual(schema({"name": "a"}), {"type": "object", "properties": {}})

    def test_a_tool_that_is_not_shown_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "does not show the tool `find`: it shows add_order, add_up, find_orders"):
            ToolArguments(catalog.turn("mcp"), "find")


class Service(unittest.TestCase):
    def test_the_example_with_fastapi_repairs_and_validates_bodies(self) -> None:
        client = TestClient(app)
        self.assertEqual(client.get("/tools").json(), catalog.turn("mcp").definitions)
        self.assertEqual(client.post("/add_order", json=ADD).json(), {"number": "o-2"})
        self.assertEqual(client.post("/find_orders", json=FIND).json(), {"orders": [{"number": "o-2", "total": 10.0}]})
        refused = client.post("/find_orders", json=WRONG)
        self.assertEqual(refused.status_code, 422)
        self.assertEqual([one["loc"] for one in refused.json()["detail"]], [["body", *path.split("/")[1:]] for path in PATHS])
        self.assertEqual(client.post("/find_orders", content="{").status_code, 422)
        body = client.get("/openapi.json").json()["paths"]["/find_orders"]["post"]["requestBody"]
        self.assertEqual(body["content"]["application/json"]["schema"]["properties"]["limit"]["maximum"], 100)


if __name__ == "__main__":
    unittest.main()
