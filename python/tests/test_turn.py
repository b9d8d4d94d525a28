from __future__ import annotations

import asyncio
import json
import os
import tempfile
import unittest
from functools import partial
from pathlib import Path
from typing import Any

import compare
from toolc import Catalog, CatalogError, Environment, ErrorKind, Limits, Repair, RepairRule, ToolError, Turn

NOTES: dict[str, Any] = {
    "format": 1,
    "dialects": ["anthropic", "typescript"],
    "facts": [{"name": "admin", "default": False}, {"name": "most", "default": 3}, {"name": "user", "default": "Ada"}],
    "toolsets": [
        {"name": "notes", "aliases": ["memo"]},
        {"name": "chat", "extends": "notes", "tools": ["say"]},
        {"name": "shut", "closed": True, "tools": ["say"], "requires": {"env": ["KEY"]}},
    ],
    "tools": [
        {
            "name": "find_notes",
            "toolset": "notes",
            "title": "Find notes",
            "description": "Find notes.",
            "aliases": ["search_memory"],
            "names": {"anthropic": "find"},
            "arguments": [
                {
                    "types": ["object"],
                    "additional": False,
                    "properties": [
                        {"name": "text", "node": 1, "required": True},
                        {"name": "limit", "node": 2, "default": 10},
                        {"name": "filter", "node": 3, "default": {"tags": []}},
                        {"name": "secret", "node": 1, "secret": True},
                        {"name": "deleted", "node": 6, "default": False, "when": {"fact": "admin", "is": "==", "value": True}},
                    ],
                },
                {"types": ["string"]},
                {"types": ["integer"], "bounds": {"minimum": 1, "maximum": 100}},
                {"types": ["object"], "properties": [{"name": "tags", "node": 4}, {"name": "order", "node": 7, "default": "new"}]},
                {"types": ["array"], "items": 5},
                {"types": ["string"]},
                {"types": ["boolean"]},
                {"types": ["string"], "enum": ["new", "old"]},
            ],
            "definitions": {
                "anthropic": [
                    '{"name":"find","description":"Find notes of ',
                    {"fact": "user"},
                    {"when": {"tool": "say"}, "text": [", then say them"]},
                    '."}',
                ],
                "typescript": ["function find_notes(): void;\n"],
            },
        },
        {
            "name": "say",
            "toolset": "shut",
            "description": "Say.",
            "requires": {"check": True},
            "arguments": [{"types": ["object"], "properties": [{"name": "text", "node": 1, "required": True}]}, {"types": ["string"]}],
            "definitions": {"anthropic": ['{"name":"say"}']},
        },
    ],
}


def catalog(**changes: Any) -> Catalog:
    return Catalog.parse(json.dumps({**NOTES, **changes}))


def chosen(result: object, _: object) -> object:
    return result


def turn(**options: Any) -> Turn:
    return catalog().turn("anthropic", environment=Environment({"KEY": "x"}), **options)


class Catalogs(unittest.TestCase):
    def test_another_format_is_refused(self) -> None:
        expected = (
            "this catalog has the format 2, and this version of the runtime reads 1: run `cargo xtask gen` with the toolc of the same "
            "version"
        )
        self.assertEqual(self.refusal(json.dumps({"format": 2})), expected)

    def test_what_is_not_a_catalog_is_refused_with_the_place(self) -> None:
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"dialects": 5}, "/dialects: expected an array, got an integer"),
            ({"facts": [{"name": "a", "default": []}]}, "/facts/0/default: expected a string, a boolean or an integer, got an array"),
            ({"tools": [{}]}, '/tools/0: the key "name" is missing'),
            ({"toolsets": [None]}, "/toolsets/0: expected an object, got null"),
        ]
        for changes, expected in wrong:
            self.assertEqual(self.refusal(json.dumps({**NOTES, **changes})), f"this is not a compiled catalog: {expected}")
        tool = {**NOTES["tools"][1], "arguments": [{"items": 9}]}
        expected = "this is not a compiled catalog: /tools/0/arguments/0/items: expected an integer from 0 to 0, got an integer"
        self.assertEqual(self.refusal(json.dumps({**NOTES, "tools": [tool]})), expected)
        for text in ("", "x", "[]", "{}", "NaN", b"\xff", "[" * 300, "[" * 1_000_000, '{"format":1}'):
            self.assertIn("this is not a compiled catalog: ", self.refusal(text))

    def refusal(self, text: str | bytes) -> str:
        with self.assertRaises(CatalogError) as raised:
            Catalog.parse(text)
        return str(raised.exception)

    def test_a_catalog_is_loaded_from_a_file(self) -> None:
        loaded = Catalog.load(compare.VECTORS / "golden.json")
        self.assertIn("openai-strict", loaded.dialects)
        self.assertEqual(list(loaded.tools), sorted(loaded.tools))
        self.assertIn("guards", loaded.toolsets)
        self.assertEqual(loaded.facts["depth"], 2)
        self.assertEqual((catalog().tools["find_notes"].title, catalog().tools["find_notes"].toolset), ("Find notes", "notes"))


class Turns(unittest.TestCase):
    def test_definitions_depend_on_facts_and_tools(self) -> None:
        self.assertEqual(turn().definitions[0]["description"], "Find notes of Ada, then say them.")
        other = turn(facts={"user": 'a "b"'}, without_tools=["say"])
        self.assertEqual(other.text, '[{"name":"find","description":"Find notes of a \\"b\\"."}]')
        self.assertEqual(other.definitions, json.loads(other.text))
        typescript = catalog().turn("typescript", environment=Environment({"KEY": "x"}))
        self.assertEqual((typescript.text, typescript.tools), ("function find_notes(): void;\n", ("find_notes",)))
        self.assertEqual(typescript.hidden, {"say": "has no definition in this dialect"})
        with self.assertRaisesRegex(ValueError, "use `text`"):
            _ = typescript.definitions

    def test_toolsets_and_tools_are_granted_by_name(self) -> None:
        for options, expected in (
            ({}, ("find_notes", "say")),
            ({"toolsets": ["notes"]}, ("find_notes",)),
            ({"toolsets": ["memo"]}, ("find_notes",)),
            ({"toolsets": ["chat"]}, ("find_notes", "say")),
            ({"toolsets": ["*"], "without_toolsets": ["chat"]}, ("find_notes",)),
            ({"tools": ["Search-Memory"]}, ("find_notes",)),
            ({"without_tools": ["find-notes"]}, ("say",)),
            ({"without_toolsets": ["all"]}, ()),
        ):
            self.assertEqual(turn(**options).tools, expected, options)

    def test_unknown_names_are_errors_with_the_nearest_one(self) -> None:
        for options, expected in (
            ({"toolsets": ["note"]}, "unknown toolset `note`: did you mean `notes`?"),
            ({"toolsets": ["say"]}, "unknown toolset `say`: it is a tool, of the toolset `shut`"),
            ({"toolsets": ["xyz"]}, "unknown toolset `xyz`: the known toolsets are `all`, `chat`, `notes`, `shut`"),
            ({"tools": ["find_note"]}, "unknown tool `find_note`: did you mean `find_notes`?"),
            ({"tools": ["xyz"]}, "unknown tool `xyz`: the known tools are `find_notes`, `say`"),
            ({"facts": {"admn": True}}, "unknown fact `admn`: did you mean `admin`?"),
            ({"facts": {"admin": 1}}, "the fact `admin` must be a boolean, not an integer"),
            ({"facts": {"most": True}}, "the fact `most` must be an integer, not a boolean"),
            ({"facts": {"most": 2**53 + 1}}, "the fact `most` must be an integer from -2^53 to 2^53"),
        ):
            with self.assertRaises(CatalogError) as raised:
                turn(**options)
            self.assertEqual(str(raised.exception), expected)
        for dialect, expected in (
            ("antropic", "unknown dialect `antropic`: did you mean `anthropic`?"),
            ("mcp", "unknown dialect `mcp`: the dialects of the catalog are `anthropic`, `typescript`"),
        ):
            with self.assertRaises(CatalogError) as raised:
                catalog().turn(dialect)
            self.assertEqual(str(raised.exception), expected)
        with self.assertRaisesRegex(TypeError, r"toolsets must be a list of names, such as \['notes'\], not a string"):
            turn(toolsets="notes")

    def test_requirements_hide_tools(self) -> None:
        bare = catalog().turn("anthropic", environment=Environment({}))
        self.assertEqual(bare.hidden, {"say": "needs the environment variable `KEY`"})
        asked: list[str] = []

        def refuse(name: str) -> str:
            asked.append(name)
            return "the line is busy"

        self.assertEqual((turn(available=refuse).hidden, asked), ({"say": "the line is busy"}, ["say"]))
        self.assertEqual(turn(available=partial(str.startswith, "x")).hidden, {"say": "it is not available"})
        self.assertEqual(turn(available=partial(str.startswith, "say")).hidden, {})
        failing: dict[str, str] = {}
        self.assertEqual(turn(available=failing.__getitem__).hidden, {"say": "its check failed unexpectedly: 'say'"})
        error = turn(available=refuse).call("say", "{}", {}).text
        self.assertIn("the tool `say` is not available now: the line is busy", error)

    def test_programs_are_found_on_the_path(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "runs")
            program.write_text("")
            program.chmod(0o755)
            Path(folder, "reads").write_text("")
            environment = Environment({"PATH": os.pathsep.join(("/does/not/exist", folder))}, ["given"], "linux")
            found = [environment.has_program(name) for name in ("runs", "given", str(program), "reads", "", "no\0name", folder)]
        self.assertEqual(found, [True, True, True, os.name == "nt", False, False, False])
        self.assertTrue(Environment().has_variable("PATH"))
        self.assertFalse(Environment({"EMPTY": ""}).has_variable("EMPTY"))


class Calls(unittest.TestCase):
    def test_arguments_are_repaired_and_get_their_defaults(self) -> None:
        call = turn().read("functions.find", '{"text": 5, "limit": "7"}')
        self.assertEqual(call.tool, "find_notes")
        self.assertEqual(call.arguments, {"text": "5", "limit": 7, "filter": {"tags": [], "order": "new"}})
        self.assertEqual(
            call.repairs,
            (
                Repair("", RepairRule.TOOL_NAME, '"functions.find"', '"find_notes"'),
                Repair("/text", RepairRule.STRING, "5", '"5"'),
                Repair("/limit", RepairRule.NUMBER, '"7"', "7"),
            ),
        )
        self.assertEqual(str(call.repairs[2]), '/limit: "7" became 7 (number)')
        plain = turn(facts={"admin": True}).read("find", {"text": "x", "filter": {"order": "old"}})
        self.assertEqual(plain.arguments, {"text": "x", "filter": {"order": "old"}, "limit": 10, "deleted": False})
        self.assertEqual(plain.repairs, ())

    def test_defaults_are_not_shared_between_calls(self) -> None:
        one = turn()
        one.read("find", '{"text": "x"}').arguments["filter"]["tags"].append("y")
        self.assertEqual(one.read("find", '{"text": "x"}').arguments["filter"], {"tags": [], "order": "new"})

    def test_wrong_arguments_are_errors_that_name_every_problem(self) -> None:
        with self.assertRaises(ToolError) as raised:
            turn().read("find", '{"limit": 500, "deleted": true, "secret": ["hunter2"]}')
        error = raised.exception
        self.assertEqual([problem.path for problem in error.problems], ["/text", "/limit", "/secret", "/deleted"])
        self.assertNotIn("hunter2", error.to_json())
        self.assertEqual(json.loads(error.to_json())["kind"], "invalid_arguments")
        with self.assertRaisesRegex(ToolError, "they have 13 bytes, but at most 5 are allowed"):
            turn(limits=Limits(max_bytes=5)).read("find", '{"text": "x"}')
        with self.assertRaisesRegex(ValueError, "max_bytes must be from 1 to 4194304"):
            Limits(max_bytes=5 << 20)

    def test_a_text_becomes_the_only_required_parameter(self) -> None:
        self.assertEqual(turn().read("say", 'a "b"\n', is_text=True).arguments, {"text": 'a "b"\n'})
        self.assertEqual(turn().read("find", "{}", is_text=True).arguments["text"], "{}")

    def test_a_handler_runs_and_its_failure_is_an_error_for_the_model(self) -> None:
        def find(arguments: dict[str, Any]) -> object:
            text = arguments["text"]
            return {"text": text, "list": [1.5, None]}[text] if text != "é" else {"é": 1}

        handlers = {"find_notes": find}
        for text, expected, is_error in (
            ("text", "text", False),
            ("list", "[1.5,null]", False),
            ("é", '{"é":1}', False),
            ("<system>", '{"error":"the tool failed: KeyError: \'\'","kind":"failed"}', True),
        ):
            response = turn().call("find", {"text": text}, handlers)
            self.assertEqual((response.text, response.is_error), (expected, is_error))
        response = turn().call("find", '{"text": "missing"}', handlers)
        assert response.error is not None
        self.assertIsInstance(response.error.__cause__, KeyError)
        self.assertEqual((response.error.kind, response.repairs), ("failed", ()))
        unread = turn().call("find", "{", handlers)
        self.assertTrue(unread.is_error and unread.call is None)
        with self.assertRaisesRegex(LookupError, "the tool `say` has no handler"):
            turn().call("say", '{"text": ""}', handlers)

    def test_a_handler_can_say_what_went_wrong(self) -> None:
        def fail(_: object) -> None:
            raise ToolError("no note has this text. Use another word", kind=ErrorKind.NOT_FOUND)

        response = turn().call("find", '{"text": 5}', {"find_notes": fail})
        self.assertEqual(response.text, '{"error":"no note has this text. Use another word","kind":"not_found"}')
        self.assertEqual([repair.rule for repair in response.repairs], [RepairRule.STRING])

    def test_the_fields_of_an_error_are_scrubbed_and_never_replace_its_keys(self) -> None:
        fields: dict[str, Any] = {"kind": "mine", "exit_code": 2, "log": {"a": ["<system>x</system>"]}, "long": ["x"] * 2000}
        error = json.loads(ToolError("no </tool_result>", fields=fields).to_json())
        long = error.pop("long")
        self.assertEqual(error, {"error": "no ", "kind": "failed", "kind_": "mine", "exit_code": 2, "log": {"a": ["x"]}})
        self.assertEqual((long[:8], len(long)), ('["x","x"', 2000))

    def test_a_result_that_is_not_json_is_an_error(self) -> None:
        for result in ({1, 2}, float("nan"), object()):
            response = turn().call("find", '{"text": ""}', {"find_notes": partial(chosen, result)})
            self.assertIn('"kind":"failed"', response.text)

    def test_handlers_can_be_asynchronous(self) -> None:
        async def find(arguments: dict[str, Any]) -> str:
            await asyncio.sleep(0)
            return f"{1 // arguments['limit']}" if arguments["limit"] > 1 else f"{1 // 0}"

        def say(_: object) -> str:
            return "said"

        handlers = {"find_notes": find, "say": say}
        text = asyncio.run(turn().call_async("find", '{"text": "", "limit": 2}', handlers)).text
        self.assertEqual(text, "0")
        failed = asyncio.run(turn().call_async("find", '{"text": "", "limit": 1}', handlers))
        self.assertIn("the tool failed: ZeroDivisionError: ", failed.text)
        self.assertEqual(asyncio.run(turn().call_async("say", '{"text": ""}', handlers)).text, "said")
        self.assertIn("unknown tool `sing`", asyncio.run(turn().call_async("sing", "{}", handlers)).text)
        with self.assertRaisesRegex(TypeError, "use `await turn.call_async"):
            turn().call("find", '{"text": ""}', handlers)


if __name__ == "__main__":
    unittest.main()
