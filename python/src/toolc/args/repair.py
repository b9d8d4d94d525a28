"""Repair: converts almost correct values to the type in their schema, at every depth. `docs/repair.md` of toolc describes the rules.

1. The string `null` becomes null if null is allowed.
2. A string that is not one of the words of its `enum` becomes the only word that it equals without regard to case.
3. A value that has an allowed type is kept, and its children are repaired.
4. Any other value is converted to the first allowed type to which it can be converted.
5. Otherwise, if an array is allowed, the value is wrapped in an array.
6. Otherwise, the value is kept, and validation reports it.

With `allOf`, the value is then repaired toward each part.

In an object that refuses unknown keys, a key gets the declared name that only it resembles, or that it is an alias of.

Arrays and objects are repaired in place; every function returns the repaired value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .. import number
from ..data import bounds
from ..data.name import is_portable
from ..data.table import DENY, Node, Property, Types
from ..number import Number
from ..text import json
from ..text.names import same_name, significant
from ..text.strings import ascii_lower, trim
from ..types import Json
from . import json_type
from .open import is_blank, open_text, open_toward, opened, opens_with
from .reader import Reader, clone, clone_cost, remove_keys
from .verdict import is_valid, is_valid_with_nulls

# The steps of repair, which are tried in this order.
_KEEP: Final = 0
_CONVERT: Final = 1
_WRAP: Final = 2
_ALL_STEPS: Final = (_KEEP, _CONVERT, _WRAP)

# The maximum depth of nested alternatives. A schema may be its own alternative.
_MAX_NESTED_ALTERNATIVES: Final = 16
# The maximum depth of nested alternatives whose properties get back their names.
_MAX_NESTED_PARTS: Final = 4


def repair_arguments(reader: Reader, value: Json) -> tuple[Json, bool]:
    """Repairs the arguments object. Returns it, and whether it has changed. Its type is an object, whatever the type of the schema's
    root."""
    reader.changed = False
    has_opened = False
    if is_blank(value):
        value, has_opened = {}, True
    elif isinstance(value, str):
        found = opened(reader, value)
        if found is not None and isinstance(found[0], dict):
            value, has_opened = found[0], True
    if isinstance(value, dict):
        node, depth = reader.table.node(0), reader.limits.max_depth
        _repair_children(reader, value, node, depth)
        if _fits_parts(reader, value, node, 0):
            value = _repair_toward_parts(reader, value, node, depth, 0)
        value = _repair_toward_alternatives(reader, value, node, depth, (_KEEP,), 0)
    return value, has_opened or reader.changed


def repair(reader: Reader, value: Json, index: int, depth: int, nested: int = 0) -> Json:
    """Repairs a value toward a node, which is a part of `nested` others. `depth` is the maximum depth of the result."""
    if not reader.spend(1):
        return value
    node = reader.table.node(index)
    if isinstance(value, str) and is_null_word(value) and _lists_null(reader, node, 0) and is_valid(reader, None, index):
        reader.changed = True
        return None
    types = node.all_types
    if types:
        for step in _ALL_STEPS:
            value, is_done = _take_step(reader, step, value, node, types, depth)
            if is_done:
                break
    else:
        value = _spell_integer(reader, value, node)
        _repair_children(reader, value, node, depth)
    if not node.any_of and not node.all_of:
        return value
    had_children = isinstance(value, (list, dict))
    value = _repair_toward_parts(reader, value, node, depth, nested)
    value = _repair_toward_alternatives(reader, value, node, depth, _ALL_STEPS, 0)
    if not had_children and isinstance(value, (list, dict)):
        # A part or an alternative has parsed an array or object from a string.
        _repair_children(reader, value, node, depth)
        value = _repair_toward_parts(reader, value, node, depth, nested)
    return value


def _repair_toward_parts(reader: Reader, value: Json, node: Node, depth: int, nested: int) -> Json:
    """Repairs a value toward each schema in the `allOf` of a node. If these schemas have no type in common to which the value can be
    converted, it is kept."""
    if not node.all_of or nested == _MAX_NESTED_ALTERNATIVES or not reader.spend(clone_cost(value)):
        return value
    trial, was_changed = clone(value), reader.changed
    for part in node.all_of:
        trial = repair(reader, trial, part, depth, nested + 1)
    if _fits_parts(reader, trial, node, nested):
        return trial
    reader.changed = was_changed
    return value


def _fits_parts(reader: Reader, value: Json, node: Node, nested: int) -> bool:
    """Returns whether a value has a type that each schema in the `allOf` of a node allows."""
    if not reader.spend(1):
        return False
    for index in node.all_of:
        part = reader.table.node(index)
        if not json_type.fits(part.all_types, value):
            return False
        if nested < _MAX_NESTED_ALTERNATIVES and not _fits_parts(reader, value, part, nested + 1):
            return False
    return True


def _lists_null(reader: Reader, node: Node, nested: int) -> bool:
    """Returns whether `node` lists null as a type."""
    if node.all_of:
        if not (not node.all_types or allows_null(node)) or nested == _MAX_NESTED_ALTERNATIVES or not reader.spend(1):
            return False
        return all(_lists_null(reader, reader.table.node(part), nested + 1) for part in node.all_of)
    if node.all_types:
        return allows_null(node)
    leaves = reader.leaves(node) or ()
    return any(allows_null(reader.table.node(leaf)) for leaf in leaves)


def allows_null(node: Node) -> bool:
    """Returns whether the types and the `enum` of `node` include null."""
    return "null" in node.all_types and (not node.literals or any(literal is None for literal in node.literals))


def _take_step(reader: Reader, step: int, value: Json, node: Node, types: Types, depth: int) -> tuple[Json, bool]:
    """Takes a step of repair, and repairs the children. Returns the value, and whether the step could be taken."""
    if step == _KEEP:
        if node.literals and isinstance(value, str) and "string" in types:
            word = _enum_word(value, node)
            if word is not None:
                value, reader.changed = word, True
        is_done = json_type.fits(types, value)
    elif step == _CONVERT:
        is_done = False
        for wanted in types:
            converted = _convert(reader, value, wanted, node, depth)
            if converted is not None:
                value, reader.changed, is_done = converted[0], True, True
                break
    else:
        is_done = depth > 0 and "array" in types and value is not None and not _is_cut_off(reader, value, depth)
        if is_done:
            value, reader.changed = [value], True
    if is_done:
        value = _spell_integer(reader, value, node)
        _repair_children(reader, value, node, depth)
    return value, is_done


def _spell_integer(reader: Reader, value: Json, node: Node) -> Json:
    """Writes a number without a fraction as an integer, if the node wants an integer: `5` for `5.0`. The value stays the same, so
    that this is not a repair. A float that may have been rounded is not changed, so that its digits can be restored."""
    if isinstance(value, float) and _wants_integer(reader, node, value, 0):
        integer = number.integer(value)
        return value if integer is None else integer
    return value


def _wants_integer(reader: Reader, node: Node, value: float, nested: int) -> bool:
    if "integer" in node.all_types and "number" not in node.all_types:
        return True
    for literal in node.literals:
        if isinstance(literal, int) and not isinstance(literal, bool) and json_type.equals(literal, value):
            return True
    if nested == _MAX_NESTED_ALTERNATIVES or not reader.spend(1):
        return False
    return any(_wants_integer(reader, reader.table.node(part), value, nested + 1) for part in node.all_of)


def _enum_word(text: str, node: Node) -> str | None:
    """Returns the only word of the node's `enum` that `text` equals without regard to case, if it is not one of these words."""
    words = [literal for literal in node.literals if isinstance(literal, str)]
    if text in words:
        return None
    wanted = ascii_lower(trim(text))
    similar = {word for word in words if ascii_lower(trim(word)) == wanted}
    return similar.pop() if len(similar) == 1 else None


def _repair_children(reader: Reader, value: Json, node: Node, depth: int) -> None:
    """Repairs the children of a value."""
    inner = max(depth - 1, 0)
    if isinstance(value, list):
        if node.items is not None:
            for position, item in enumerate(value):
                value[position] = repair(reader, item, node.items, inner)
    elif isinstance(value, dict):
        _repair_properties(reader, value, node, inner)


def _repair_properties(reader: Reader, entries: dict[str, Json], node: Node, depth: int) -> None:
    if not reader.spend(len(node.properties)):
        return
    known = 0
    for one in node.visible:
        if one.name in entries:
            known += 1
            _repair_property(reader, entries, one, depth)
    if known < len(entries) and node.untyped:
        _restore_names_of_parts(reader, entries, node, 0)
        for one in _restore_names(reader, entries, node):
            known += 1
            _repair_property(reader, entries, one, depth)
    if known < len(entries) and node.additional == DENY:
        for one in _rename_keys(reader, entries, node, depth):
            _repair_property(reader, entries, one, depth)
            reader.changed = True
    if node.additional >= 0 and known < len(entries):
        for key, value in entries.items():
            if key not in node.declared:
                entries[key] = repair(reader, value, node.additional, depth)


def _repair_property(reader: Reader, entries: dict[str, Json], one: Property, depth: int) -> None:
    value = repair(reader, entries[one.name], one.node, depth)
    if one.clamp:
        bound = _nearest_allowed(reader, value, one.node)
        if bound is not None:
            value, reader.changed = bound, True
    entries[one.name] = value


def _nearest_allowed(reader: Reader, value: Json, index: int) -> Number | None:
    """Returns the allowed number that is nearest to a value beyond the bounds of a node. The value may be a number of any size, and
    digits that are too many for the type."""
    node = reader.table.node(index)
    if node.bounds is None:
        return None
    types = node.all_types
    is_integer = "integer" in types and "number" not in types
    sent: Number | None = None
    if isinstance(value, str):
        if not json_type.fits(types, value):
            sent = number.of_any_size(value, is_integer)
    elif isinstance(value, (int, float)) and (json_type.fits(types, value) or ("integer" in types and json_type.is_whole(value))):
        sent = None if isinstance(value, bool) else value
    bound = None if sent is None else bounds.nearest(sent, node.bounds, is_integer)
    return bound if bound is not None and is_valid(reader, bound, index) else None


def _restore_names_of_parts(reader: Reader, entries: dict[str, Json], node: Node, nested: int) -> None:
    """Does the same as `_restore_names` for the other schemas of the same value."""
    if nested == _MAX_NESTED_PARTS:
        return
    for index in (*node.any_of, *node.all_of):
        part = reader.table.node(index)
        _restore_names(reader, entries, part)
        if reader.spend(1):
            _restore_names_of_parts(reader, entries, part, nested + 1)


def _restore_names(reader: Reader, entries: dict[str, Json], node: Node) -> list[Property]:
    """Gives keys the name of the property that some dialects show under them, if that is not sent as well. Returns these
    properties."""
    if all(is_portable(one.name) for one in node.properties) or not reader.spend(len(node.properties)):
        return []
    restored: list[Property] = []
    for one in node.visible:
        alias = reader.table.other_names.get(one.name)
        if alias is not None and alias in entries and one.name not in entries:
            value = entries[alias]
            remove_keys(entries, (alias,))
            entries[one.name] = value
            restored.append(one)
    return restored


def _rename_keys(reader: Reader, entries: dict[str, Json], node: Node, depth: int) -> list[Property]:
    """Gives unknown keys the name of the only declared property that they resemble or are an alias of. If the property is sent as
    well, with the same value, the key is dropped. Returns these properties."""
    if not reader.spend(len(entries) * len(node.properties)):
        return []
    unknown = [(significant(key), key) for key in entries if key not in node.declared]
    renamed: list[Property] = []
    for one in node.visible:
        if not reader.spend(len(unknown) + len(node.properties)):
            continue
        # A hidden property counts: its key has its own meaning, and gets its own error.
        is_only = sum(same_name(other.name, one.name) for other in node.properties) == 1
        names = {significant(name) for name in (*((one.name,) if is_only else ()), *one.aliases)} - {""}
        similar = [key for name, key in unknown if name in names]
        if similar and _unite(reader, entries, one, similar, depth):
            renamed.append(one)
    return renamed


def _unite(reader: Reader, entries: dict[str, Json], one: Property, keys: Sequence[str], depth: int) -> bool:
    """Replaces these keys by the name of a property, if no two of them have different values. Null where the property does not allow
    it counts as no value. Returns whether anything has changed."""
    is_own = one.name in entries
    every = [one.name, *keys] if is_own else keys
    kept = every[0]
    if len(every) > 1:
        is_nullable = allows_null(reader.table.node(one.node))
        repaired = ((key, repair(reader, clone(entries.get(key)), one.node, depth)) for key in every)
        given = ((key, value) for key, value in repaired if value is not None or is_nullable)
        first = next(given, None)
        if first is not None:
            kept = first[0]
            if any(not json_type.identical(value, first[1]) for _, value in given):
                return False
    value = entries.get(kept)
    remove_keys(entries, (kept, *keys))
    entries[one.name] = value
    return True


def _repair_toward_alternatives(reader: Reader, value: Json, node: Node, depth: int, steps: Sequence[int], nested: int) -> Json:
    """Repairs a value toward one of the alternatives of `node`: the first one for which it is valid without repair, otherwise the first
    one for which it is valid after repair, otherwise the first one to whose type it can be converted."""
    if not node.any_of or node.all_of or nested == _MAX_NESTED_ALTERNATIVES:
        return value
    leaves = reader.leaves(node)
    if leaves is None:
        return _spell_alternatives(reader, value, node, depth)

    def try_step(value: Json, step: int, index: int) -> tuple[Json, bool]:
        leaf = reader.table.node(index)
        value, is_done = _take_step(reader, step, value, leaf, leaf.all_types, depth)
        if is_done:
            value = _repair_toward_alternatives(reader, value, leaf, depth, steps, nested + 1)
        return value, is_done

    for leaf in leaves:
        if is_valid_with_nulls(reader, value, leaf):
            return try_step(value, _KEEP, leaf)[0]
    first: tuple[Json, bool] | None = None
    was_changed = reader.changed
    for step in steps:
        for leaf in leaves:
            if not _may_succeed(step, reader.table.node(leaf).all_types, value):
                continue
            if not reader.spend(clone_cost(value)):
                return value
            trial, is_done = try_step(clone(value), step, leaf)
            if is_done:
                if is_valid_with_nulls(reader, trial, leaf):
                    return trial
                if first is None:
                    first = (trial, reader.changed)
            reader.changed = was_changed
    if first is not None:
        value, reader.changed = first
    return value


def _spell_alternatives(reader: Reader, value: Json, node: Node, depth: int) -> Json:
    """Spells numbers as the alternatives want them, and changes nothing else."""
    # An alternative may contain itself.
    if depth == 0 or not _holds_float(value):
        return value
    for index in node.any_of:
        if reader.spend(clone_cost(value)):
            before = reader.changed, reader.has_spelled
            trial = repair(reader, clone(value), index, depth - 1)
            reader.changed, reader.has_spelled = before
            value = _with_spelling(value, trial)
    return value


def _with_spelling(value: Json, other: Json) -> Json:
    """Gives the numbers in `value` the spelling of the same numbers in `other`."""
    if isinstance(value, list) and isinstance(other, list):
        value[: len(other)] = [_with_spelling(one, same) for one, same in zip(value, other)]
    elif isinstance(value, dict) and isinstance(other, dict):
        for key in value:
            if key in other:
                value[key] = _with_spelling(value[key], other[key])
    elif isinstance(value, float) and isinstance(other, (int, float)) and not isinstance(other, bool):
        return other if number.equal(value, other) else value
    return value


def _holds_float(value: Json) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_float, value.values()))
    if isinstance(value, list):
        return any(map(_holds_float, value))
    return isinstance(value, float)


def _convert(reader: Reader, value: Json, wanted: str, node: Node, depth: int) -> tuple[Json] | None:
    """Converts `value` to the type `wanted`, if it is another spelling of a value of this type. Returns a tuple."""
    if isinstance(value, str):
        if wanted in ("integer", "number"):
            parsed = number.integer_from(value) if wanted == "integer" else number.number_from(value)
            return None if parsed is None else (parsed,)
        if wanted == "boolean":
            word = ascii_lower(trim(value))
            return (word == "true",) if word in ("true", "false") else None
        return open_toward(reader, value, wanted, node, depth) if wanted in ("array", "object") else None
    if wanted == "string" and isinstance(value, (bool, int, float)):
        if not isinstance(value, bool) and number.may_be_respelled(value):
            reader.has_spelled = True
        return (json.compact(value),)
    return None


def _is_cut_off(reader: Reader, value: Json, depth: int) -> bool:
    """Returns whether `value` is a string that looks like a truncated array or object."""
    is_opening = isinstance(value, str) and (opens_with(value, "[") or opens_with(value, "{"))
    return is_opening and isinstance(value, str) and open_text(reader, value, depth) is None


def is_null_word(text: str) -> bool:
    """Returns whether `text` is `null`, in any case."""
    return len(text) >= 4 and ascii_lower(trim(text)) == "null"


def _may_succeed(step: int, types: Types, value: Json) -> bool:
    """Returns whether this step may succeed, so that it is worthwhile to clone `value` for a trial."""
    has_type = json_type.fits(types, value)
    if step == _KEEP:
        return has_type
    if step == _CONVERT:
        if isinstance(value, (bool, int, float)):
            return "string" in types and not has_type
        return isinstance(value, str) and not has_type
    return "array" in types and value is not None and not has_type
