"""The state that repair and validation share: the table, the limits, and a budget of steps.

Without the budget, a schema that refers to itself through `anyOf` could need unlimited work for a small text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..data.table import Node, Table
from ..text.strings import byte_len
from ..types import Json
from .limits import Limits

# The maximum number of nested parts that have only one part themselves.
_MAX_PARTS: Final = 127
_MAX_LEAVES: Final = 256
_MAX_NESTED: Final = 16


class Reader:
    """The state of the reading of one text."""

    __slots__ = ("absent", "budget", "changed", "has_spelled", "limits", "table")

    def __init__(self, table: Table, limits: Limits) -> None:
        self.table = table
        self.limits = limits
        self.budget = limits.max_steps
        # Set when repair changes a value.
        self.changed = False
        # Set when repair makes a string of a number whose spelling is not known.
        self.has_spelled = False
        # The properties whose null represents absence, each with its object, while the strict pass looks for them.
        self.absent: list[tuple[dict[str, Json], str]] = []

    def spend(self, steps: int) -> bool:
        """Takes `steps` from the budget. Returns false if it is exhausted."""
        if steps <= self.budget:
            self.budget -= steps
            return True
        self.budget = 0
        return False

    def leaves(self, node: Node) -> list[int] | None:
        """Returns the alternatives of `node`, including those of nested alternatives, or `None` if one of them has no type, so that
        the schema does not determine a type."""
        leaves: list[int] = []
        return leaves if self._walk(node, 0, leaves) else None

    def _walk(self, node: Node, depth: int, leaves: list[int]) -> bool:
        for index in map(self._only_part, node.any_of):
            branch = self.table.node(index)
            if branch.all_of or len(leaves) == _MAX_LEAVES or depth == _MAX_NESTED:
                return False
            if branch.all_types:
                leaves.append(index)
            elif not branch.any_of or not self._walk(branch, depth + 1, leaves):
                return False
        return True

    def _only_part(self, index: int) -> int:
        """Returns the part of a node that has nothing but one part, as `{"allOf": [{"$ref": "…"}]}`, and otherwise the node itself."""
        for _ in range(_MAX_PARTS):
            node = self.table.node(index)
            has_more = node.all_types or node.any_of or node.literals or node.properties
            if len(node.all_of) != 1 or has_more or node.items is not None or node.bounds is not None:
                break
            index = node.all_of[0]
        return index


def clone_cost(value: Json) -> int:
    """Returns the cost of cloning `value`, in steps of the budget."""
    if isinstance(value, str):
        return 1 + (byte_len(value) // 64 if len(value) >= 16 else 0)
    if isinstance(value, list):
        return 1 + sum(map(clone_cost, value))
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(clone_cost, value.values()))
    return 1


def clone(value: Json) -> Json:
    """Returns a copy of a value, at every depth."""
    if isinstance(value, dict):
        return {key: clone(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clone(item) for item in value]
    return value


def remove_keys(entries: dict[str, Json], keys: Iterable[str]) -> None:
    """Removes keys. The last entry takes the place of a removed one, as in the runtime in Rust, so that problems are reported in the
    same order."""
    order = list(entries)
    places = {key: at for at, key in enumerate(order)}
    for key in keys:
        at = places.pop(key, None)
        if at is not None:
            last = order.pop()
            if last != key:
                order[at] = last
                places[last] = at
    kept = {key: entries[key] for key in order}
    entries.clear()
    entries.update(kept)
