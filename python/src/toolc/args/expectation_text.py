"""Descriptions of expected and actual values, for models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ..data.table import NO_BOUNDS, Bounds, Hidden, Literal, Node, Table, Types
from ..number import I64_MAX, I64_MIN, Number
from ..text import json
from ..text.names import same_name
from ..text.nearest import nearest
from ..text.strings import beginning, byte_len
from ..types import Json

# The maximum length of a displayed value, in bytes.
_MAX_VALUE_BYTES: Final = 80
# The maximum length of displayed alternatives, in bytes.
_MAX_BRANCHES_BYTES: Final = 500
# The length of descriptions from which further branches are only counted. Descriptions become shorter before they are shown.
_MAX_DESCRIBED_BYTES: Final = 4 * _MAX_BRANCHES_BYTES
# The description of a schema that says nothing in words.
_ANOTHER: Final = "another value"
# The maximum number of displayed list entries.
_MAX_ENTRIES: Final = 20

INTEGER_RANGE: Final = f"integer between {I64_MIN} and {I64_MAX}"
"""The description of an integer without bounds in the schema."""


def got(value: Json) -> str:
    """Describes an actual value. Arrays and objects are only named."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else json.compact(value)


def quoted(text: str) -> str:
    """Returns `text` as a JSON string, cut if it is long."""
    shown = beginning(text, _MAX_VALUE_BYTES)
    return json.string(shown) + ("…" if len(shown) < len(text) else "")


def counted(count: int, noun: str) -> str:
    """Returns a count with its noun: `1 item`, `2 items`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def expected(table: Table, node: Node) -> str:
    """Describes what `node` accepts."""
    return _describe(table, node, 3)


def one_of(tags: Iterable[Node]) -> str:
    """Describes the values that distinguish alternatives. `tags` are the nodes of the distinguishing property."""
    texts = (_literal(literal) for tag in tags for literal in tag.literals)
    return f"one of {_list([text for text in texts if text is not None])}"


def alternatives(table: Table, branches: Sequence[int]) -> str:
    """Describes several alternatives."""
    return _joined(table, branches, True, " or ", 2)


def unknown_key(name: str, node: Node) -> str:
    """Describes the error that the key `name` is unknown, with similar or all known keys, or that it is a second name of a known
    key."""
    known = [one.name for one in node.visible]
    aliases = [(alias, one.name) for one in node.visible for alias in one.aliases]
    for alias, real in aliases:
        if same_name(alias, name):
            return f"only one value for {quoted(real)}, of which this is another name"
    near = nearest(name, known)
    if not near:
        near_aliases = nearest(name, (alias for alias, _ in aliases))
        of_aliases = [real for one in near_aliases for alias, real in aliases if alias == one]
        near = [real for at, real in enumerate(of_aliases) if at == 0 or of_aliases[at - 1] != real]
    if near:
        return f"no argument of this name (did you mean {' or '.join(map(quoted, near))}?)"
    if not known:
        return "no argument of this name (no arguments are known here)"
    return f"no argument of this name (the known ones are {_list([quoted(one) for one in known])})"


def _describe(table: Table, node: Node, depth: int) -> str:
    if node.literals:
        shown = [text for text in map(_literal, node.literals) if text is not None]
        return shown[0] if len(shown) == 1 else f"one of {_list(shown)}"
    bounds = node.bounds or NO_BOUNDS
    types = node.types or _bound_types(bounds)
    if types:
        return " or ".join(_typed(table, node, one, bounds, depth) for one in types)
    branches = node.any_of or node.all_of
    if not branches or depth == 0:
        return _ANOTHER
    return _joined(table, branches, bool(node.any_of), " or " if node.any_of else " and ", depth - 1)


def _joined(table: Table, branches: Sequence[int], is_any: bool, separator: str, depth: int) -> str:
    """Describes branches, as many as fit."""
    descriptions: list[str] = []
    not_described = _add_branches(table, branches, is_any, depth, descriptions)
    descriptions = _say_objects_once(descriptions)
    length, shown = 0, 0
    for text in descriptions:
        length += byte_len(text) + len(separator)
        if length > _MAX_BRANCHES_BYTES:
            break
        shown += 1
    shown = max(shown, 1)
    more = max(len(descriptions) - shown, 0) + not_described
    joined = separator.join(descriptions[:shown])
    return f"{joined}{separator}{more} more" if more else joined


def _say_objects_once(descriptions: list[str]) -> list[str]:
    """Names the type once if several branches are objects, which differ in their properties."""
    if "object" in descriptions:
        descriptions = [text for text in descriptions if not _is_object(text)]
    objects = [text for text in descriptions if _is_object(text)]
    if not objects:
        return descriptions
    first = descriptions.index(objects[0])
    rest = [text for text in descriptions[first + 1 :] if not _is_object(text)]
    return [*descriptions[: first + 1], *(text.removeprefix("object ") for text in objects[1:]), *rest]


def _is_object(text: str) -> bool:
    return text.startswith('object with "')


def _add_branches(table: Table, branches: Sequence[int], is_any: bool, depth: int, out: list[str]) -> int:
    """Adds the description of each branch that differs from the others. A branch with nothing but branches of the same kind adds
    these. Returns the number of branches that are not described, because the text has no room for them."""
    not_described = 0
    for index in branches:
        if sum(map(byte_len, out)) > _MAX_DESCRIBED_BYTES:
            not_described += 1
            continue
        node = table.node(index)
        is_bare = not node.types and not node.literals and node.bounds is None and depth > 0
        inner, others = (node.any_of, node.all_of) if is_any else (node.all_of, node.any_of)
        if is_bare and inner and not others:
            not_described += _add_branches(table, inner, is_any, depth - 1, out)
            continue
        text = _branch(table, node, depth)
        if text not in out:
            out.append(text)
    return not_described


def _branch(table: Table, node: Node, depth: int) -> str:
    """Describes one of several alternatives. An object is described by the properties that distinguish it."""
    out = _describe(table, node, depth)
    required = [one for one in node.visible if one.required]
    if out == _ANOTHER and required:
        # Only an object has the properties.
        out = "object"
    if out == "object":
        distinguishing: list[str] = []
        for one in required[:3]:
            literals = table.node(one.node).literals
            text = _literal(literals[0]) if len(literals) == 1 else None
            if text is not None:
                distinguishing.append(f"{quoted(one.name)}: {text}")
        distinguishing = distinguishing or [quoted(one.name) for one in required[:3]]
        if distinguishing:
            out += f" with {', '.join(distinguishing)}"
    return out


def _bound_types(bounds: Bounds) -> Types:
    """Returns the types to which the bounds apply, for a schema without a type."""
    numbers = (
        bounds.minimum,
        bounds.maximum,
        bounds.exclusive_minimum,
        bounds.exclusive_maximum,
        bounds.multiple_of,
    )
    has = {
        "number": any(one is not None for one in numbers),
        "string": bounds.min_length is not None or bounds.max_length is not None or bounds.has_text_rule,
        "array": bounds.min_items is not None or bounds.max_items is not None or bounds.unique_items,
        "object": bounds.min_properties is not None or bounds.max_properties is not None,
    }
    return tuple(one for one, is_bound in has.items() if is_bound)


def _typed(table: Table, node: Node, wanted: str, bounds: Bounds, depth: int) -> str:
    if wanted in ("integer", "number"):
        limits = (bounds.minimum, bounds.maximum, bounds.exclusive_minimum, bounds.exclusive_maximum)
        out = wanted + _range(*(None if one is None else _number(one) for one in limits), unit="")
        return out if bounds.multiple_of is None else f"{out} that is a multiple of {_number(bounds.multiple_of)}"
    if wanted == "string":
        out = f"{bounds.format.form} like {bounds.format.example}" if bounds.format else wanted
        out += _counts(bounds.min_length, bounds.max_length, " characters")
        if bounds.pattern:
            shown = beginning(bounds.pattern.text, _MAX_VALUE_BYTES)
            ellipsis = "…" if len(shown) < len(bounds.pattern.text) else ""
            out += f" that matches the pattern {shown}{ellipsis}"
        return out
    if wanted == "array":
        out = wanted
        if node.items is not None and depth > 0 and (items := table.node(node.items)).all_types:
            out += f" of {_describe(table, items, depth - 1)}"
        out += _counts(bounds.min_items, bounds.max_items, " items")
        return f"{out} without duplicates" if bounds.unique_items else out
    if wanted == "object":
        return wanted + _counts(bounds.min_properties, bounds.max_properties, " keys")
    return wanted


def _counts(low: int | None, high: int | None, unit: str) -> str:
    return _range(None if low is None else str(low), None if high is None else str(high), None, None, unit=unit)


def _range(low: str | None, high: str | None, above: str | None, below: str | None, *, unit: str) -> str:
    """Describes a range of numbers or of counts."""

    def counted_unit(count: str) -> str:
        return unit.rstrip("s") if count == "1" else unit

    preposition = " with" if unit else ""
    if low is not None and low == high:
        out = f"{preposition} exactly {low}{counted_unit(low)}"
    elif low is not None and high is not None:
        out = f"{preposition} {low} to {high}{unit}" if unit else f" between {low} and {high}"
    elif low is not None:
        out = f"{preposition} at least {low}{counted_unit(low)}"
    elif high is not None:
        out = f"{preposition} at most {high}{counted_unit(high)}"
    else:
        out = ""
    for word, bound in (("greater than", above), ("less than", below)):
        if bound is not None:
            out += f"{' and' if out else ''} {word} {bound}"
    return out


def _number(bound: Number) -> str:
    if isinstance(bound, int):
        return str(bound)
    mantissa, _, exponent = repr(bound).partition("e")
    mantissa, power = mantissa.removesuffix(".0"), int(exponent or 0)
    if bound != 0.0 and not 1e-6 <= abs(bound) < 1e18:
        # With hundreds of zeros, it would be hard to read.
        return f"{mantissa}e{power}"
    if power >= 0:
        whole, _, fraction = mantissa.partition(".")
        return whole + fraction.ljust(power, "0") if power else mantissa
    sign = "-" if bound < 0 else ""
    return f"{sign}0.{'0' * (-power - 1)}{mantissa.lstrip('-').replace('.', '')}"


def _literal(literal: Literal) -> str | None:
    if isinstance(literal, Hidden):
        return None
    if isinstance(literal, str):
        return quoted(literal)
    if isinstance(literal, float):
        return _number(literal)
    text = json.compact(literal)
    return beginning(text, _MAX_VALUE_BYTES) if isinstance(literal, (list, dict)) else text


def _list(entries: Sequence[str]) -> str:
    joined = ", ".join(entries[:_MAX_ENTRIES])
    more = len(entries) - _MAX_ENTRIES
    return f"{joined} and {more} more" if more > 0 else joined
