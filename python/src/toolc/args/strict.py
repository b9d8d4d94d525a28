"""The strict pass, which comes first: it accepts arguments that are valid and need no repair, and nothing else.

Each node of a table becomes a function, which returns whether a value is valid and would be kept as it is. It may say no for a value that
the lenient pass keeps, but not yes for one that the lenient pass changes or refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from ..data import bounds
from ..data.name import is_portable
from ..data.table import ALLOW, DENY, Bounds, Node, Table
from ..number import I64_MAX, I64_MIN, U64_MAX
from ..types import Json
from . import json_type, tree
from .limits import Limits
from .null_absence import drop_absent
from .reader import Reader, clone
from .repair import allows_null, is_null_word, repair
from .verdict import are_unique, holds, in_range, is_valid, is_valid_with_nulls

Check = Callable[[Json, Reader], bool]
"""Returns whether a value is valid for a node and needs no repair."""

# From here, a float may be an integer that was rounded.
_FIRST_AMBIGUOUS: Final = 2.0**53


def read_strictly(text: str, table: Table, limits: Limits) -> dict[str, Json] | None:
    """Returns the arguments in `text` if they are valid and need no repair."""
    if tree.is_nested_deeper(text, limits.max_depth) or tree.may_be_read_differently(text):
        return None
    try:
        value = tree.decode_unique(text)
    except ValueError:
        return None
    reader = Reader(table, limits)
    if not isinstance(value, dict) or not _checks(table).of(0)(value, reader):
        return None
    for entries, key in reader.absent:
        del entries[key]
    return value


def _checks(table: Table) -> Checks:
    """Returns the checks of a table, which it keeps."""
    checks = table.kept.get("checks")
    if not isinstance(checks, Checks):
        checks = table.kept["checks"] = Checks(table)
    return checks


class Checks:
    """The checks of the nodes of a table, each of which is made on first use."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._checks: dict[int, Check] = {}

    def of(self, index: int) -> Check:
        """Returns the check of a node."""
        check = self._checks.get(index)
        if check is None:
            # A node may contain itself.
            self._checks[index] = partial(self._check, index)
            check = self._checks[index] = self._make(index)
        return check

    def _check(self, index: int, value: Json, reader: Reader) -> bool:
        return self._checks[index](value, reader)

    def _make(self, index: int) -> Check:
        node = self._table.node(index)
        if node.all_of or node.any_of:
            return self._union(node) if self._is_plain_union(node) else self._tree(index)
        by_type = {
            "string": _string(node),
            "integer": _integer(node),
            "number": _number(node),
            "boolean": _constant(node, bool),
            "null": _constant(node, type(None)),
            "array": self._array(node),
            "object": self._object(node),
        }
        if len(node.all_types) == 1:
            return by_type[node.all_types[0]]
        types = node.all_types or tuple(by_type)
        is_string, is_array, is_object = (by_type[one] if one in types else _never for one in ("string", "array", "object"))
        is_boolean, is_null = (by_type[one] if one in types else _never for one in ("boolean", "null"))
        is_number = by_type["number"] if "number" in types else by_type["integer"] if "integer" in types else _never
        of_kind: dict[type, Check] = {
            str: is_string,
            list: is_array,
            dict: is_object,
            bool: is_boolean,
            type(None): is_null,
            int: is_number,
            float: is_number,
        }
        return lambda value, reader: of_kind[type(value)](value, reader)

    def _is_plain_union(self, node: Node) -> bool:
        """Returns whether a node has nothing but alternatives that have a type, and no alternatives themselves."""
        has_more = node.all_types or node.all_of or node.bounds is not None or node.items is not None or node.properties
        branches = [self._table.node(one) for one in node.any_of]
        return (
            not has_more
            and node.additional == ALLOW
            and all(
                one.all_types and not one.any_of and not one.all_of and all(is_portable(key.name) for key in one.properties)
                for one in branches
            )
        )

    def _union(self, node: Node) -> Check:
        branches = [(one, self.of(one)) for one in node.any_of]
        lists_null = any(allows_null(self._table.node(one)) for one in node.any_of)

        def check(value: Json, reader: Reader) -> bool:
            if lists_null and isinstance(value, str) and is_null_word(value):
                return False
            absent = len(reader.absent)
            for position, (index, is_kept) in enumerate(branches):
                if is_kept(value, reader):
                    if absent < len(reader.absent):
                        # What is absent in one alternative may be null in another one.
                        return False
                    others = branches[position + 1 :] if node.exactly_one else ()
                    return not any(is_valid(reader, value, other) for other, _ in others)
                # It is repaired toward the first alternative for which it is valid.
                if is_valid_with_nulls(reader, value, index):
                    return False
            return False

        return check

    def _tree(self, index: int) -> Check:
        """Returns the check of a node that may need a closer look: the value is repaired, and must be the same."""

        def check(value: Json, reader: Reader) -> bool:
            reader.changed = False
            repaired = repair(reader, clone(value), index, reader.limits.max_depth)
            if reader.changed:
                return False
            repaired = drop_absent(reader, repaired, index)
            return json_type.identical(repaired, value) and _is_plain(value, reader) and is_valid(reader, value, index)

        return check

    def _array(self, node: Node) -> Check:
        limits = node.bounds or Bounds()
        is_item = _is_plain if node.items is None else self.of(node.items)

        def check(value: Json, reader: Reader) -> bool:
            if not isinstance(value, list) or not in_range(len(value), limits.min_items, limits.max_items):
                return False
            absent = len(reader.absent)
            for item in value:
                if not is_item(item, reader):
                    return False
            # Without what is absent, items that differ may be equal.
            return not limits.unique_items or (absent == len(reader.absent) and are_unique(value))

        return _with_literals(node, check)

    def _object(self, node: Node) -> Check:
        properties = {one.name: self.of(one.node) for one in node.visible}
        optional = {one.name: one.node for one in node.visible if not one.required}
        required = tuple(one.name for one in node.visible if one.required)
        limits = node.bounds or Bounds()
        least, most = limits.min_properties, limits.max_properties
        # An unknown key may be the name by which a dialect knows a parameter.
        is_unknown = all(is_portable(one.name) for one in node.properties) and node.additional != DENY
        is_other = _never if not is_unknown else self.of(node.additional) if node.additional >= 0 else _is_plain

        def check(value: Json, reader: Reader) -> bool:
            if not isinstance(value, dict):
                return False
            for name in required:
                if name not in value:
                    return False
            count = len(value)
            for key, item in value.items():
                if not properties.get(key, is_other)(item, reader):
                    if item is not None or key not in optional or is_valid(reader, None, optional[key]):
                        return False
                    # Null represents an absent property.
                    reader.absent.append((value, key))
                    count -= 1
            return in_range(count, least, most)

        return _with_literals(node, check)


def _never(_value: Json, _reader: Reader) -> bool:
    return False


def _with_literals(node: Node, check: Check) -> Check:
    """Returns a check that also compares with the `enum` of a node. A float may be written as an integer of the `enum`."""
    if not node.literals:
        return check

    def check_both(value: Json, reader: Reader) -> bool:
        is_listed = not isinstance(value, float) and any(json_type.equals(literal, value) for literal in node.literals)
        absent = len(reader.absent)
        # A literal that has a null is not the value without it.
        return is_listed and check(value, reader) and absent == len(reader.absent)

    return check_both


def _string(node: Node) -> Check:
    limits = node.bounds or Bounds()
    least, most = limits.min_length, limits.max_length
    words = frozenset(literal for literal in node.literals if isinstance(literal, str))
    may_be_null = allows_null(node) or "null" in node.all_types
    if not node.literals and node.bounds is None and not may_be_null:
        return lambda value, _: isinstance(value, str)

    def check(value: Json, reader: Reader) -> bool:
        return (
            isinstance(value, str)
            and not (node.literals and value not in words)
            and in_range(len(value), least, most)
            and not (may_be_null and is_null_word(value))
            and holds(reader, value, limits)
        )

    return check


def _integer(node: Node) -> Check:
    def check(value: Json, _reader: Reader) -> bool:
        if type(value) is not int or not I64_MIN <= value <= I64_MAX:
            return False
        return node.bounds is None or bounds.within(value, node.bounds)

    return _with_literals(node, check)


def _number(node: Node) -> Check:
    def check(value: Json, reader: Reader) -> bool:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_plain(value, reader):
            return False
        return node.bounds is None or bounds.within(value, node.bounds)

    return _with_literals(node, check)


def _constant(node: Node, kind: type) -> Check:
    return _with_literals(node, lambda value, _: type(value) is kind)


def _is_plain(value: Json, reader: Reader) -> bool:
    """Returns whether the numbers in a value are exact, and have at most 64 bits."""
    if isinstance(value, list):
        return all(_is_plain(item, reader) for item in value)
    if isinstance(value, dict):
        return all(_is_plain(item, reader) for item in value.values())
    if isinstance(value, float):
        return -_FIRST_AMBIGUOUS < value < _FIRST_AMBIGUOUS
    return not isinstance(value, int) or I64_MIN <= value <= U64_MAX
