from __future__ import annotations

import json
import unittest
from itertools import islice
from typing import Any

from compare import ROOT, VECTORS, differences
from toolc import Catalog, Environment, ToolError, Turn
from toolc.data.text_rule import Format, Pattern


class Vectors(unittest.TestCase):
    maxDiff = None

    def test_arguments_are_read_as_in_rust(self) -> None:
        for name in ("documented", "random", "golden"):
            with (VECTORS / f"{name}.jsonl").open(encoding="utf-8") as rows:
                found = [f"row {row}\nexpected {case}\nactual   {actual}" for row, case, actual in islice(differences(rows), 3)]
            self.assertEqual("\n".join(found), "", name)

    def test_turns_show_and_call_the_tools_as_in_rust(self) -> None:
        catalog = Catalog.load(VECTORS / "golden.json")
        with (VECTORS / "turns.jsonl").open(encoding="utf-8") as rows:
            for number, text in enumerate(rows):
                row = json.loads(text)
                turn = self.turn(catalog, row)
                with self.subTest(row=number, dialect=row["dialect"]):
                    self.assertEqual(list(turn.tools), row["tools"])
                    self.assertEqual(dict(turn.hidden), row["hidden"])
                    self.assertEqual(turn.text, row["definitions"])
                    self.assertEqual([[sent, reached(turn, sent)] for sent, _ in row["names"]], row["names"])

    def turn(self, catalog: Catalog, row: dict[str, Any]) -> Turn:
        choice = row["choice"]
        environment = Environment(dict.fromkeys(choice["variables"], "value"), choice["programs"], "linux")
        return catalog.turn(
            row["dialect"],
            facts=choice["facts"],
            toolsets=choice["enabled"],
            tools=choice["enabled_tools"],
            without_toolsets=choice["disabled"],
            without_tools=choice["disabled_tools"],
            environment=environment,
        )

    def test_formats_and_patterns_judge_texts_as_in_rust(self) -> None:
        rules = json.loads((ROOT / "docs" / "export" / "text-rules.json").read_text(encoding="utf-8"))
        for name, texts in rules["formats"].items():
            rule = Format.from_name(name)
            assert rule is not None
            for text in texts["valid"] + texts["invalid"]:
                self.assertEqual(rule.holds(text), text in texts["valid"], f"{name}: {text!r}")
        for row in rules["patterns"]:
            pattern = Pattern(row["pattern"])
            self.assertTrue(pattern.is_enforced, row)
            for text in row["matches"] + row["refuses"]:
                self.assertEqual(pattern.matches(text), text in row["matches"], f"{row['pattern']}: {text!r}")
        for row in rules["not_enforced"]:
            self.assertFalse(Pattern(row["pattern"]).is_enforced, row)


def reached(turn: Turn, sent: str) -> Any:
    """Returns what a call by a name reaches: the tool, or the error."""
    response = turn.call(sent, "{}", dict.fromkeys(turn.tools, lambda _: ""))
    if response.call is not None:
        return response.call.tool
    if response.error is not None and response.error.kind == "unknown_tool":
        return json.loads(response.text)
    # The tool was found, and misses arguments.
    return turn.tool_called(sent)


class Reached(unittest.TestCase):
    def test_an_unknown_tool_is_the_error_of_a_call(self) -> None:
        turn = Catalog.load(VECTORS / "golden.json").turn("openai", environment=Environment({}))
        with self.assertRaises(ToolError) as raised:
            turn.read("xyz", "{}")
        self.assertEqual(json.loads(raised.exception.to_json()), reached(turn, "xyz"))


if __name__ == "__main__":
    unittest.main()
