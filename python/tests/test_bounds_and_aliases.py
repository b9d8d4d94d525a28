from __future__ import annotations

import json
import unittest
from typing import Any

import compare
from toolc import Limits, ToolError
from toolc.args import read
from toolc.args.repairs import find
from toolc.data.document import Document
from toolc.data.table import Table

LIMITS = Limits()
LINE = {"type": "integer", "minimum": 1}
CLAMPED: dict[str, Any] = {
    "offset": LINE,
    "limit": {"type": "integer", "minimum": 1, "maximum": 2000},
    "below": {"type": "integer", "maximum": -1},
    "share": {"type": "number", "minimum": 0, "maximum": 0.5},
    "maybe": {"type": ["integer", "null"], "minimum": 1},
    "half": {"type": "integer", "minimum": 0.5, "maximum": 2.5},
    "signed": {"type": "integer", "minimum": -2.5, "maximum": -0.5},
    "between": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10},
    "halves": {"type": "integer", "exclusiveMinimum": 0.5, "exclusiveMaximum": 9.5},
    "fives": {"type": "integer", "minimum": 1, "maximum": 99, "multipleOf": 5},
    "odd": {"type": "integer", "minimum": 1, "multipleOf": 2.5},
    "tenth": {"type": "number", "minimum": 0.25, "maximum": 0.95, "multipleOf": 0.1},
    "step": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
    "listed": {"type": "integer", "enum": [2, 4], "minimum": 1, "maximum": 4},
    "strict": LINE,
    "inner": {"type": "object", "properties": {"offset": LINE}, "additionalProperties": False},
}
ITEM: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}
ALIASED: dict[str, Any] = {
    "path": {"type": "string"},
    "offset": {"type": "integer"},
    "id": {"type": "string"},
    "pin": {"type": "string"},
    "edits": {"type": "array", "items": ITEM},
    "maybe": {"anyOf": [ITEM, {"type": "null"}]},
}
ALIASES = {"path": ["file_path", "filename"], "offset": ["start_line"], "pin": ["password"], "text": ["content"]}

# The cases of the runtime in Rust.
BECOME_BOUNDS = (
    ('{"offset":0}', '{"offset": 1}'),
    ('{"offset":-1}', '{"offset": 1}'),
    ('{"offset":-9223372036854775808}', '{"offset": 1}'),
    ('{"offset":0.0}', '{"offset": 1}'),
    ('{"offset":-0}', '{"offset": 1}'),
    ('{"offset":"0"}', '{"offset": 1}'),
    ('{"offset":" -5 "}', '{"offset": 1}'),
    ('{"offset":"0.0"}', '{"offset": 1}'),
    ('{"Offset":0}', '{"offset": 1}'),
    ('{"limit":0}', '{"limit": 1}'),
    ('{"limit":2001}', '{"limit": 2000}'),
    ('{"limit":9223372036854775807}', '{"limit": 2000}'),
    ('{"limit":"5000"}', '{"limit": 2000}'),
    ('{"limit":2e3}', '{"limit": 2000}'),
    ('{"below":0}', '{"below": -1}'),
    ('{"share":-0.1}', '{"share": 0}'),
    ('{"share":1}', '{"share": 0.5}'),
    ('{"share":"0.75"}', '{"share": 0.5}'),
    ('{"maybe":0}', '{"maybe": 1}'),
    ('{"half":0}', '{"half": 1}'),
    ('{"half":3}', '{"half": 2}'),
    ('{"half":"-7"}', '{"half": 1}'),
    ('{"signed":-3}', '{"signed": -2}'),
    ('{"signed":0}', '{"signed": -1}'),
    ('{"between":0}', '{"between": 1}'),
    ('{"between":10}', '{"between": 9}'),
    ('{"halves":0}', '{"halves": 1}'),
    ('{"halves":"10"}', '{"halves": 9}'),
    ('{"fives":0}', '{"fives": 5}'),
    ('{"fives":-100}', '{"fives": 5}'),
    ('{"fives":100}', '{"fives": 95}'),
    ('{"odd":0}', '{"odd": 5}'),
    ('{"tenth":0}', '{"tenth": 0.3}'),
    ('{"tenth":1}', '{"tenth": 0.9}'),
    ('{"step":0}', '{"step": 0.5}'),
    ('{"listed":5}', '{"listed": 4}'),
    ('{"limit":1e30}', '{"limit": 2000}'),
    ('{"limit":-1e30}', '{"limit": 1}'),
    ('{"limit":99999999999999999999}', '{"limit": 2000}'),
    ('{"limit":-99999999999999999999}', '{"limit": 1}'),
    ('{"limit":18446744073709551615}', '{"limit": 2000}'),
    ('{"limit":9007199254740993.0}', '{"limit": 2000}'),
    ('{"limit":"1e30"}', '{"limit": 2000}'),
    ('{"limit":"-1e30"}', '{"limit": 1}'),
    ('{"limit":"1e400"}', '{"limit": 2000}'),
    ('{"limit":"99999999999999999999"}', '{"limit": 2000}'),
    ('{"limit":" -99999999999999999999 "}', '{"limit": 1}'),
    ('{"share":1e30}', '{"share": 0.5}'),
    ('{"share":"-99999999999999999999.5"}', '{"share": 0}'),
    ('{"share":"1e400"}', '{"share": 0.5}'),
    ('{"maybe":-1e30}', '{"maybe": 1}'),
    ('{"inner":{"offset":-1e30}}', '{"inner": {"offset": 1}}'),
    ('{"inner":{"offset":0}}', '{"inner": {"offset": 1}}'),
    ('{"inner":"{\\"offset\\":0}"}', '{"inner": {"offset": 1}}'),
)
ARE_ACCEPTED = (
    ('{"offset":1}', True),
    ('{"offset":7}', True),
    ('{"maybe":null}', True),
    ('{"offset":null}', True),
    ('{"strict":1}', True),
    ('{"strict":0}', False),
    ('{"offset":0.5}', False),
    ('{"offset":"zero"}', False),
    ('{"offset":[0]}', False),
    ('{"offset":true}', False),
    ('{"limit":"1,000"}', False),
    ('{"limit":"2000.5"}', False),
    ('{"limit":2000.5}', False),
    ('{"limit":"1e-400"}', False),
    ('{"offset":1e30}', False),
    ('{"offset":"99999999999999999999"}', False),
    ('{"strict":-1e30}', False),
    ('{"half":0.4}', False),
    ('{"fives":7}', False),
    ('{"fives":95}', True),
    ('{"listed":0}', False),
    ('{"listed":3}', False),
)
UNDER_ALIASES = (
    ('{"file_path":"a"}', '{"path":"a"}'),
    ('{"filename":"a"}', '{"path":"a"}'),
    ('{"filePath":"a"}', '{"path":"a"}'),
    ('{"FILE-PATH":"a"}', '{"path":"a"}'),
    ('{"fileName":"a"}', '{"path":"a"}'),
    ('{"Path":"a"}', '{"path":"a"}'),
    ('{"file_path":5}', '{"path":"5"}'),
    ('{"file_path":3.10}', '{"path":"3.10"}'),
    ('{"file_path":108177563933458432123}', '{"path":"108177563933458432123"}'),
    ('{"path":"a","start_line":3}', '{"path":"a","offset":3}'),
    ('{"path":"a","startLine":"3"}', '{"path":"a","offset":3}'),
    ('{"file_path":"a","start_line":"3"}', '{"path":"a","offset":3}'),
    ('{"path":"a","edits":[{"content":"x"},{"text":"y"}]}', '{"path":"a","edits":[{"text":"x"},{"text":"y"}]}'),
    ('{"path":"a","edits":{"content":"x"}}', '{"path":"a","edits":[{"text":"x"}]}'),
    ('{"path":"a","edits":"[{\\"content\\":1}]"}', '{"path":"a","edits":[{"text":"1"}]}'),
    ('{"path":"a","maybe":{"content":"x"}}', '{"path":"a","maybe":{"text":"x"}}'),
    ('{"path":"a","maybe":null}', '{"path":"a","maybe":null}'),
    ('{"path":"a","file_path":null}', '{"path":"a"}'),
    ('{"path":null,"file_path":"a"}', '{"path":"a"}'),
    ('{"path":"a","offset":null,"start_line":2}', '{"path":"a","offset":2}'),
    ('{"path":"a","offset":2,"start_line":null}', '{"path":"a","offset":2}'),
    ('```json\n{"file_path":"a"}\n```', '{"path":"a"}'),
    ("{'file_path': 'a',}", '{"path":"a"}'),
    ('{"path":"a","file_path":"a"}', '{"path":"a"}'),
    ('{"file_path":"a","path":"a"}', '{"path":"a"}'),
    ('{"file_path":"a","filename":"a"}', '{"path":"a"}'),
    ('{"path":"a","file_path":"a","filename":"a","Path":"a"}', '{"path":"a"}'),
    ('{"path":"a","offset":3,"start_line":"3"}', '{"path":"a","offset":3}'),
    ('{"path":"a","offset":"3","start_line":3}', '{"path":"a","offset":3}'),
    ('{"path":"5","file_path":5}', '{"path":"5"}'),
)
ARE_REFUSED = (
    ('{"path":"a","file_path":"b"}', 'expected only one value for "path", of which this is another name'),
    ('{"file_path":"b","path":"a"}', 'expected only one value for "path", of which this is another name'),
    ('{"file_path":"a","filename":"b"}', 'expected only one value for "path", of which this is another name'),
    ('{"path":"a","fileName":"b"}', 'expected only one value for "path", of which this is another name'),
    ('{"path":"a","file_path":"a","filename":"b"}', 'expected only one value for "path", of which this is another name'),
    ('{"path":"a","offset":1,"start_line":2}', 'only one value for "offset"'),
    ('{"path":"a","edits":[{"text":"x","content":"y"}]}', '/edits/0/content: expected only one value for "text"'),
    ('{"path":"a","file_pth":"b"}', 'did you mean "path"?'),
    ('{"path":"a","strat_line":"b"}', 'did you mean "offset"?'),
    ('{"path":"a","content":"b"}', "the known ones are"),
    ("{}", "/path: expected string (required)"),
)


def table(properties: dict[str, Any], required: tuple[str, ...] = ()) -> Table:
    """Returns a table in which every property except `strict` is clamped, and some have aliases, at any depth."""
    nodes: list[dict[str, Any]] = []
    root = {"type": "object", "properties": properties, "additionalProperties": False, "required": required}
    add(root, nodes)
    return Table.read(Document(json.loads(json.dumps(nodes))))


def add(schema: dict[str, Any], nodes: list[dict[str, Any]]) -> int:
    """Adds the node of a schema. Returns its index."""
    index = len(nodes)
    node: dict[str, Any] = {"untyped": True}
    nodes.append(node)
    if "type" in schema:
        node["types"] = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    bounds = {key: value for key, value in schema.items() if key.startswith(("min", "max", "exclusive", "multiple", "unique"))}
    node.update({"bounds": bounds} if bounds else {})
    node.update({key: schema[key] for key in ("enum",) if key in schema})
    node.update({"additional": False} if schema.get("additionalProperties") is False else {})
    if "properties" in schema:
        node["properties"] = [
            {
                "name": name,
                "node": add(one, nodes),
                "required": name in schema.get("required", ()),
                "clamp": name != "strict" and properties_are_clamped(schema),
                "aliases": ALIASES.get(name, []) if not properties_are_clamped(schema) else [],
                "secret": name == "pin",
            }
            for name, one in schema["properties"].items()
        ]
    if "items" in schema:
        node["items"] = add(schema["items"], nodes)
    if "anyOf" in schema:
        node["any_of"] = [add(one, nodes) for one in schema["anyOf"]]
    return index


def properties_are_clamped(schema: dict[str, Any]) -> bool:
    return LINE in schema["properties"].values()


# A null of an optional property is dropped before items are compared, also by the strict pass.
UNIQUE: dict[str, Any] = {"items": {"type": "array", "uniqueItems": True, "items": {"type": "object", "properties": {"a": LINE}}}}


class BoundsAndAliases(unittest.TestCase):
    def test_a_number_beyond_a_bound_becomes_the_bound_with_a_repair(self) -> None:
        subject = table(CLAMPED)
        for sent, expected in BECOME_BOUNDS:
            arguments, _ = read(sent, subject, LIMITS)
            self.assertEqual(compare.canonical(arguments), compare.canonical(json.loads(expected)), sent)
            rules = [repair.rule for repair in find(sent, subject, LIMITS)]
            self.assertEqual("bound" in rules, "2e3" not in sent, sent)

    def test_other_values_are_refused_or_kept(self) -> None:
        subject = table(CLAMPED)
        for sent, is_accepted in ARE_ACCEPTED:
            self.assertEqual(self.refusal(sent, subject) == "", is_accepted, sent)
            self.assertEqual(find(sent, subject, LIMITS), [], sent)

    def test_a_repair_says_what_was_sent_and_what_it_became(self) -> None:
        for sent, expected in (
            ('{"offset":-3}', ["/offset: -3 became 1 (bound)"]),
            ('{"offset":"0"}', ['/offset: "0" became 0 (number)', "/offset: 0 became 1 (bound)"]),
            (
                '{"limit":"99999999999999999999"}',
                ['/limit: "99999999999999999999" became 1e+20 (number)', "/limit: 1e+20 became 2000 (bound)"],
            ),
            ('{"limit":"1e400"}', ['/limit: "1e400" became 2000 (bound)']),
        ):
            self.assertEqual(list(map(str, find(sent, table(CLAMPED), LIMITS))), expected)

    def test_an_argument_under_an_alias_becomes_that_of_the_property(self) -> None:
        subject = table(ALIASED, ("path",))
        for sent, expected in UNDER_ALIASES:
            arguments, _ = read(sent, subject, LIMITS)
            self.assertEqual(compare.canonical(arguments), compare.canonical(json.loads(expected)), sent)
        repairs = find('{"path":"a","startLine":"3"}', subject, LIMITS)
        listed = ['/startLine: "startLine" became "offset" (parameter_name)', '/startLine: "3" became 3 (number)']
        self.assertEqual(list(map(str, repairs)), listed)
        secret = str(find('{"path":"a","password":12345}', subject, LIMITS))
        self.assertTrue("parameter_name" in secret and "12345" not in secret, secret)

    def test_two_values_of_one_property_are_refused_with_its_name(self) -> None:
        subject = table(ALIASED, ("path",))
        for sent, expected in ARE_REFUSED:
            self.assertIn(expected, self.refusal(sent, subject), sent)

    def refusal(self, sent: str, subject: Table) -> str:
        try:
            read(sent, subject, LIMITS)
        except ToolError as error:
            return error.message
        return ""


if __name__ == "__main__":
    unittest.main()


class EqualItems(unittest.TestCase):
    def test_items_that_differ_only_in_what_is_absent_are_duplicates(self) -> None:
        unique = table(UNIQUE)
        for sent in ('{"items":[{"a":null},{}]}', '{"items":[{"a":1},{"a":1,"b":2},{"a":1}]}'):
            with self.assertRaisesRegex(ToolError, "duplicate items"):
                read(sent, unique, LIMITS)
        arguments, _ = read('{"items":[{"a":null},{"a":2}]}', unique, LIMITS)
        self.assertEqual(arguments, {"items": [{}, {"a": 2}]})
