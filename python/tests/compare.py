"""Compares readings with vectors: rows of JSON with a table, a turn, and what the runtime in Rust makes of texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

# The tests run with and without an installation of the package.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from toolc.args import read, read_leniently
from toolc.args.limits import Limits
from toolc.args.repairs import find
from toolc.args.strict import read_strictly
from toolc.data import condition
from toolc.data.document import Document
from toolc.data.table import Table
from toolc.result.error import ToolError

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "vectors"
# As much work as the runtime in Rust allows.
LIMITS = Limits(max_steps=16_000_000)


def read_case(table: Table, sent: str) -> dict[str, Any]:
    """Returns what this runtime makes of a text, in the form of a case."""
    strict = read_strictly(sent, table, LIMITS)
    try:
        arguments, is_repaired = read_leniently(sent, table, LIMITS)
    except ToolError as error:
        return {"sent": sent, "error": json.loads(error.to_json()), **({} if strict is None else {"strict": strict})}
    repairs = find(sent, table, LIMITS) if is_repaired else []
    listed = [[one.path, str(one.rule), one.sent, one.became] for one in repairs]
    case: dict[str, Any] = {"sent": sent, "arguments": arguments, "repairs": listed}
    if strict is not None and (is_repaired or canonical(strict) != canonical(arguments)):
        # The strict pass must not accept what the other one changes.
        case["strict"] = strict
    filled, _ = read(sent, table, LIMITS)
    if canonical(filled) != canonical(arguments):
        case["filled"] = filled
    return case


def table_of(row: dict[str, Any]) -> Table:
    """Returns the table of a row, in its turn."""
    return Table.read(Document(row["table"])).in_turn(lambda when: condition.holds(when, row.get("tools", ()), row["facts"]))


def has_defaults_in_alternatives(table: Table) -> bool:
    """Returns whether an alternative has defaults. The reader of bundles, which fills the defaults of vectors, takes the first alternative
    that leaves the value valid as a whole, and not the one for which it is valid."""
    pending = [branch for node in table.nodes for branch in node.any_of]
    seen = set(pending)
    for index in pending:
        node = table.node(index)
        if any(one.default is not None for one in node.properties):
            return True
        parts = [*node.any_of, *node.all_of, node.items, node.additional, *(one.node for one in node.properties)]
        new = {part for part in parts if part is not None and part >= 0} - seen
        seen |= new
        pending.extend(new)
    return False


def differences(rows: Iterable[str]) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """Yields the cases that differ: the number of the row, what is expected, and what was read."""
    for number, text in enumerate(rows):
        row = json.loads(text)
        table = table_of(row)
        ignored = "filled" if has_defaults_in_alternatives(table) else ""
        for case in row["cases"]:
            case.pop(ignored, None)
            actual = read_case(table, case["sent"])
            actual.pop(ignored, None)
            if canonical(actual) != canonical(case):
                yield number, case, actual


def canonical(value: Any) -> Any:
    """Returns a value in which numbers of different types differ, and texts of JSON are compared as JSON."""
    if isinstance(value, dict):
        return {key: canonical(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return list(map(canonical, cast("Iterable[Any]", value)))
    if isinstance(value, str) and value.startswith(("{", "[")):
        try:
            return ("json", json.dumps(json.loads(value), sort_keys=True))
        except ValueError:
            return value
    return value if isinstance(value, str) else (type(value).__name__, value)
