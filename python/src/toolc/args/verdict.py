"""Verdicts: whether a value satisfies its schema. Validation of other modules asks for the problems, too."""

from __future__ import annotations

from typing import Final

from ..data import bounds
from ..data.table import ALLOW, Bounds, Node
from ..text.strings import byte_len
from ..types import Json
from . import json_type
from .reader import Reader

MAX_DEPTH: Final = 256
"""The maximum depth of values and alternatives. A schema may be its own alternative."""


def is_valid(reader: Reader, value: Json, index: int) -> bool:
    """Returns whether `value` satisfies a node."""
    return satisfies(reader, value, index, 0, nulls=False)


def is_valid_with_nulls(reader: Reader, value: Json, index: int) -> bool:
    """Like `is_valid`, but null may represent an absent property."""
    return satisfies(reader, value, index, 0, nulls=True)


def is_absence(reader: Reader, value: Json, required: bool, index: int) -> bool:
    """Returns whether null, sent for this property, represents its absence."""
    return value is None and not required and not is_valid(reader, value, index)


def satisfies(reader: Reader, value: Json, index: int, depth: int, *, nulls: bool) -> bool:
    """Returns whether `value` satisfies a node at this depth of values and alternatives. `nulls`: null may represent an absent property."""
    if depth > MAX_DEPTH or not reader.spend(1):
        return False
    node = reader.table.node(index)
    if not json_type.fits(node.types, value):
        return False
    if node.literals and not any(json_type.equals(literal, value) for literal in node.literals):
        return False
    if node.bounds is not None and not _is_within(reader, value, node.bounds):
        return False
    if isinstance(value, dict):
        if not _satisfies_object(reader, value, node, depth, nulls):
            return False
    elif isinstance(value, list) and node.items is not None:
        for item in value:
            if not satisfies(reader, item, node.items, depth + 1, nulls=nulls):
                return False
    for part in node.all_of:
        if not satisfies(reader, value, part, depth + 1, nulls=nulls):
            return False
    return not node.any_of or count_hits(reader, value, node, depth, nulls=nulls) == 1


def _satisfies_object(reader: Reader, entries: dict[str, Json], node: Node, depth: int, nulls: bool) -> bool:
    if not reader.spend(len(node.properties)):
        return False
    known = absent = 0
    for one in node.visible:
        if one.name in entries:
            value = entries[one.name]
            if nulls and is_absence(reader, value, one.required, one.node):
                absent += 1
                continue
            known += 1
            if not satisfies(reader, value, one.node, depth + 1, nulls=nulls):
                return False
        elif one.required:
            return False
    count = len(entries) - absent
    limits = node.bounds
    if limits is not None and not in_range(count, limits.min_properties, limits.max_properties):
        return False
    if node.additional == ALLOW or count == known:
        return True
    for key, value in entries.items():
        if key not in node.declared and (node.additional < 0 or not satisfies(reader, value, node.additional, depth + 1, nulls=nulls)):
            return False
    return True


def count_hits(reader: Reader, value: Json, node: Node, depth: int, *, nulls: bool) -> int:
    """Returns how many of the alternatives of a node `value` satisfies, as far as it matters: 0, 1, or 2 if there must be exactly one."""
    wanted = 2 if node.exactly_one else 1
    hits = 0
    for branch in node.any_of:
        hits += satisfies(reader, value, branch, depth + 1, nulls=nulls)
        if hits == wanted:
            break
    return hits


def _is_within(reader: Reader, value: Json, limits: Bounds) -> bool:
    """Returns whether a value is within bounds. Those of objects count keys, some of which may be absent."""
    if isinstance(value, str):
        return in_range(len(value), limits.min_length, limits.max_length) and holds(reader, value, limits)
    if isinstance(value, list):
        return in_range(len(value), limits.min_items, limits.max_items) and not (limits.unique_items and not are_unique(value))
    return isinstance(value, bool) or not isinstance(value, (int, float)) or bounds.within(value, limits)


def holds(reader: Reader, text: str, limits: Bounds) -> bool:
    """Returns whether `text` satisfies `pattern` and `format`, and can be compared with them within the budget."""
    if not limits.has_text_rule:
        return True
    return reader.spend(limits.text_steps(byte_len(text))) and limits.holds(text)


def in_range(count: int, least: int | None, most: int | None) -> bool:
    """Returns whether `count` is within bounds."""
    return (least is None or count >= least) and (most is None or count <= most)


def are_unique(items: list[Json]) -> bool:
    """Returns whether no two items are the same."""
    return len({json_type.canonical(item) for item in items}) == len(items)
