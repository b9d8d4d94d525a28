"""Null as absence: an optional property that does not allow null counts as absent if it is sent as null. In strict dialects, models
must write absent properties this way."""

from __future__ import annotations

from ..data.table import Node
from ..types import Json
from .reader import Reader, clone, clone_cost, remove_keys
from .verdict import is_absence, is_valid


def drop_absent(reader: Reader, value: Json, index: int) -> Json:
    """Removes properties whose null represents absence from a value, at every depth."""
    return _drop_absent_at(reader, value, index, 4 * reader.limits.max_depth, frozenset())


def _drop_absent_at(reader: Reader, value: Json, index: int, depth: int, required_elsewhere: frozenset[str]) -> Json:
    """`depth` is the maximum depth of values and alternatives. `required_elsewhere` has the properties that other schemas of the
    same value require."""
    if depth == 0 or not _holds_null(value) or not reader.spend(clone_cost(value)):
        return value
    nodes = _with_all_of(reader, index)
    required = required_elsewhere.union(one.name for node in nodes for one in node.visible if one.required)
    for node in nodes:
        if isinstance(value, dict):
            _drop_from_object(reader, value, node, depth, required)
        elif isinstance(value, list):
            if node.items is not None:
                value[:] = [_drop_absent_at(reader, item, node.items, depth - 1, frozenset()) for item in value]
        else:
            return value
    for node in nodes:
        if node.any_of and not any(is_valid(reader, value, branch) for branch in node.any_of):
            value = _drop_toward_branch(reader, value, node, depth, required)
    return value


def _drop_from_object(reader: Reader, entries: dict[str, Json], node: Node, depth: int, required: frozenset[str]) -> None:
    for one in node.visible:
        if one.name in entries:
            value = entries[one.name]
            if value is not None:
                entries[one.name] = _drop_absent_at(reader, value, one.node, depth - 1, frozenset())
            elif is_absence(reader, value, one.name in required, one.node):
                remove_keys(entries, (one.name,))
    if node.additional >= 0:
        for key, value in entries.items():
            if key not in node.declared:
                entries[key] = _drop_absent_at(reader, value, node.additional, depth - 1, frozenset())


def _drop_toward_branch(reader: Reader, value: Json, node: Node, depth: int, required: frozenset[str]) -> Json:
    """Returns the value without what is absent by the first alternative that it then satisfies."""
    for branch in node.any_of:
        trial = _drop_absent_at(reader, clone(value), branch, depth - 1, required)
        if is_valid(reader, trial, branch):
            return trial
    return value


def _with_all_of(reader: Reader, index: int) -> list[Node]:
    """Returns the node, and all nodes in its `allOf`."""
    indices = [index]
    nodes: list[Node] = []
    for part in indices:
        nodes.append(reader.table.node(part))
        for other in nodes[-1].all_of:
            if other not in indices and reader.spend(len(indices)):
                indices.append(other)
    return nodes


def _holds_null(value: Json) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_null, value.values()))
    if isinstance(value, list):
        return any(map(_holds_null, value))
    return value is None
