from __future__ import annotations

import json
import random
import sys
import time
import unittest
from collections.abc import Callable
from typing import Any

import compare
from toolc import Limits, ToolError
from toolc.args import read
from toolc.args.repairs import find
from toolc.data.document import Document
from toolc.data.table import Table

LIMITS = Limits()
# A tree whose nodes are alternatives.
TREE: list[dict[str, Any]] = [
    {"types": ["object"], "properties": [{"name": "x", "node": 1}]},
    {"any_of": [2, 3, 4]},
    {"types": ["object"], "properties": [{"name": "x", "node": 1}, {"name": "a", "node": 5, "required": True}]},
    {"types": ["object"], "properties": [{"name": "x", "node": 1}, {"name": "b", "node": 5, "required": True}]},
    {"types": ["array"], "items": 1},
    {"types": ["integer"]},
]
# The same with one alternative that can be meant.
CHAIN: list[dict[str, Any]] = [
    {"types": ["object"], "properties": [{"name": "x", "node": 1}]},
    {"any_of": [2, 3]},
    {"types": ["object"], "properties": [{"name": "x", "node": 1}, {"name": "a", "node": 3}], "additional": False},
    {"types": ["integer"]},
]
STRINGS: list[dict[str, Any]] = [{"types": ["object"], "additional": 1}, {"types": ["string"]}]


def table(nodes: list[dict[str, Any]]) -> Table:
    return Table.read(Document(json.loads(json.dumps(nodes))))


def refusal(text: str, nodes: list[dict[str, Any]], limits: Limits = LIMITS) -> str:
    try:
        read(text, table(nodes), limits)
    except ToolError as error:
        json.loads(error.to_json())
        return error.message
    raise AssertionError(f"{text[:100]} was accepted")


def nested(levels: int, leaf: str) -> str:
    return '{"x":' * levels + leaf + "}" * levels


class Hostile(unittest.TestCase):
    def test_limits_are_enforced(self) -> None:
        large = '{"a":"' + "é" * (2 << 20) + '"}'
        self.assertEqual(refusal(large, STRINGS), "failed to read the arguments: they have 4194312 bytes, but at most 4194304 are allowed")
        deep = '{"a":' + "[" * 64 + "]" * 64 + "}"
        message = refusal(deep, [{"types": ["object"]}])
        self.assertEqual(
            message,
            "failed to read the arguments: arrays and objects are nested too deeply at line 1 column 70: at most 64 levels are allowed",
        )
        self.assertIn("at most 3 levels", refusal('{"a":[[[]]]}', [{"types": ["object"]}], Limits(max_depth=3)))
        for text in ("[" * 4_000_000, '{"a":' * 800_000, "{'a':" * 800_000, '{"a":1}' * 500_000, "```json\n{" + "'a':" * 800_000):
            started = time.process_time()
            refusal(text, STRINGS)
            self.assertLess(time.process_time() - started, 20)

    def test_half_of_a_character_is_refused(self) -> None:
        self.assertEqual(
            refusal('{"a":\n "é\ud800"}', STRINGS),
            "failed to read the arguments: half of a character of UTF-16 at line 2 column 5. Send one JSON object",
        )
        message = "failed to read the arguments: lone leading surrogate in hex escape at line 1 column 12. Send one JSON object"
        self.assertEqual(refusal('{"a":"\\udc00"}', STRINGS), message)
        message = "failed to read the arguments: unexpected end of hex escape at line 1 column 13. Send one JSON object"
        self.assertEqual(refusal('{"a":"\\ud83dx"}', STRINGS), message)
        message = "failed to read the arguments: lone leading surrogate in hex escape at line 1 column 19. Send one JSON object"
        self.assertEqual(refusal('{"a":"\\\\ud83d\\ude00"}', STRINGS), message)
        self.assertIn("unexpected end of hex escape", refusal('{"a":"\\ud83d\\\\\\ude00"}', STRINGS))
        self.assertEqual(read('{"a":"\\ud83d\\ude00"}', table(STRINGS), LIMITS), ({"a": "😀"}, False))
        self.assertEqual(read('{"a":"\\\\ud83d"}', table(STRINGS), LIMITS), ({"a": "\\ud83d"}, False))

    def test_a_text_that_exhausts_the_steps_is_refused(self) -> None:
        message = "invalid arguments: expected something simpler, got too much to check"
        self.assertEqual(refusal(nested(60, "5"), TREE, Limits(max_steps=100_000)), message)
        strings = '{"x":[' + ",".join(['"[[[1]]]"'] * 100_000) + "]}"
        self.assertEqual(refusal(strings, TREE, Limits(max_steps=100_000)), message)
        pattern: list[dict[str, Any]] = [
            {"types": ["object"], "additional": 1},
            {"types": ["string"], "bounds": {"pattern": "^(a|b)*c{90}$"}},
        ]
        self.assertIn("too much to check", refusal('{"x":"' + "ab" * 2_000_000 + '"}', pattern))

    def test_the_recursion_limit_of_the_program_does_not_matter(self) -> None:
        value, _ = read(nested(63, '{"a":"5"}'), table(CHAIN), LIMITS)
        limit = sys.getrecursionlimit()

        def deeper(levels: int, work: Callable[[], object]) -> object:
            return work() if levels == 0 else deeper(levels - 1, work)

        for levels in range(0, limit - 60, 40):
            self.assertEqual(deeper(levels, lambda: read(nested(63, '{"a":"5"}'), table(CHAIN), LIMITS)), (value, True))
        self.assertEqual(sys.getrecursionlimit(), limit)
        # With the reports of problems.
        self.assertIn("expected", refusal(nested(64, '"z"'), CHAIN))

    def test_schemas_that_contain_themselves_are_read(self) -> None:
        root: dict[str, Any] = {"types": ["object"], "properties": [{"name": "x", "node": 1}]}
        circles: list[dict[str, Any]] = [
            {"any_of": [1]},
            {"all_of": [1]},
            {"any_of": [1, 2], "all_of": [1]},
            {"types": ["array", "object"], "items": 1, "additional": 1, "any_of": [1, 2], "all_of": [1, 2]},
        ]
        for node in circles:
            for value in ('"5"', "5", "[[[5]]]", '"[{}]"', "{}", "null"):
                try:
                    read(f'{{"x":{value}}}', table([root, node, {"types": ["integer"]}]), Limits(max_steps=10_000))
                except ToolError as error:
                    self.assertEqual(error.kind, "invalid_arguments")

    def test_the_time_is_linear_in_the_number_of_keys(self) -> None:
        keys = ",".join(f'"{number:x}":{number}' for number in range(200_000))
        started = time.process_time()
        arguments, is_repaired = read(f"{{{keys}}}", table(STRINGS), LIMITS)
        self.assertEqual((len(arguments), is_repaired), (200_000, True))
        self.assertEqual(len(find(f"{{{keys}}}", table(STRINGS), LIMITS)), 100)
        renamed: list[dict[str, Any]] = [{"types": ["object"], "properties": [{"name": "filepath", "node": 1}], "additional": False}]
        renamed.append({"types": ["string"]})
        spellings = ",".join(f'"file{number:017b}path":"a"'.replace("0", "-").replace("1", "_") for number in range(100_000))
        self.assertEqual(read(f"{{{spellings}}}", table(renamed), LIMITS), ({"filepath": "a"}, True))
        self.assertLess(time.process_time() - started, 60)

    def test_odd_keys_are_ordinary_keys(self) -> None:
        text = '{"__proto__":"a","__class__":"b","constructor":"c","":"d","\\u0000":"e"}'
        self.assertEqual(read(text, table(STRINGS), LIMITS), (json.loads(text), False))

    def test_random_texts_raise_nothing_else(self) -> None:
        chance = random.Random(5)
        letters = "{}[]\",:'\\ \n0123-.eEtrufalsnN`xé\ud83d\x00"
        with (compare.VECTORS / "random.jsonl").open(encoding="utf-8") as rows:
            for text in rows:
                row = json.loads(text)
                subject = compare.table_of(row)
                for case in row["cases"]:
                    sent = list(case["sent"])
                    for _ in range(chance.randrange(1, 4)):
                        at = chance.randrange(len(sent) + 1)
                        sent[at : at + chance.randrange(3)] = chance.choice(letters)
                    try:
                        arguments, is_repaired = read("".join(sent), subject, LIMITS)
                    except ToolError as error:
                        json.loads(error.to_json())
                        continue
                    # What was read is valid, and needs no further repair.
                    written = json.dumps(arguments)
                    self.assertEqual(compare.canonical(read(written, subject, LIMITS)[0]), compare.canonical(arguments), "".join(sent))
                    if is_repaired:
                        self.assertTrue(find("".join(sent), subject, LIMITS))


if __name__ == "__main__":
    unittest.main()
