"""JSON types and equality of values."""

from __future__ import annotations

from typing import cast

from .. import number
from ..data import bounds
from ..data.table import Hidden, Literal, Types
from ..number import I64_MAX
from ..text import json
from ..types import Json


def fits(types: Types, value: Json) -> bool:
    """Returns whether `value` has one of `types`. Any value has one of no types."""
    if not types:
        return True
    if isinstance(value, str):
        return "string" in types
    if value is None:
        return "null" in types
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, int):
        return "number" in types or (value <= I64_MAX and "integer" in types)
    if isinstance(value, float):
        return "number" in types or ("integer" in types and number.whole(value) is not None)
    return ("array" if isinstance(value, list) else "object") in types


def is_whole(value: Json) -> bool:
    """Returns whether `value` is an integer of any size."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Json) -> bool:
    """Returns whether `value` is a number. In Python, a boolean is an integer."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def equals(literal: Literal, value: Json) -> bool:
    """Returns whether `value` equals `literal`. Numbers are compared by value: 3 equals 3.0."""
    if isinstance(value, str) or isinstance(literal, str):
        return literal == value
    if literal is None or value is None:
        return literal is value
    if isinstance(literal, bool) or isinstance(value, bool):
        return literal is value
    if isinstance(literal, (int, float)):
        return isinstance(value, (int, float)) and bounds.compare(value, literal) == 0
    return not isinstance(literal, Hidden) and same(literal, value)


def same(a: Json, b: Json) -> bool:
    """Returns whether two values are equal. Numbers are compared by value: 3 equals 3.0."""
    if isinstance(a, dict):
        return isinstance(b, dict) and len(a) == len(b) and all(key in b and same(value, b[key]) for key, value in a.items())
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (int, float)) and not isinstance(a, bool):
        return isinstance(b, (int, float)) and not isinstance(b, bool) and number.equal(a, b)
    return type(a) is type(b) and a == b


def identical(a: Json, b: Json) -> bool:
    """Returns whether two values are equal, and their numbers are both integers or both floats. The order of keys does not
    matter."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        other = cast("dict[str, Json]", b)
        return len(a) == len(other) and all(key in other and identical(value, other[key]) for key, value in a.items())
    if isinstance(a, list):
        items = cast("list[Json]", b)
        return len(a) == len(items) and all(map(identical, a, items))
    return a == b


def canonical(value: Json) -> str:
    """Returns a text that is equal exactly for values that are the `same`."""
    if isinstance(value, dict):
        return "{" + "".join(f"{json.string(key)}:{canonical(value[key])}," for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + "".join(canonical(item) + "," for item in value) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        integer = number.exact(value)
        return json.number(value if integer is None else integer)
    return json.compact(value)
