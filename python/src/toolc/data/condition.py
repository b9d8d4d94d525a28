"""Conditions over the tools and the facts of a turn."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple, Union

from .document import Document

FactValue = Union[str, bool, int]
"""The value of a fact."""

_SIGNS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Parts of conditions are nested only as deep as the grammar of manifests allows.
_MAX_DEPTH: Final = 64


class ToolAtom(NamedTuple):
    """Whether a tool is in the turn."""

    tool: str


class FactAtom(NamedTuple):
    """Whether the comparison of a fact with a value holds."""

    fact: str
    sign: str
    value: FactValue


class Not(NamedTuple):
    """The negation of a condition."""

    inner: Condition


class Junction(NamedTuple):
    """Several conditions, all or any of which must hold."""

    parts: tuple[Condition, ...]
    is_all: bool


Condition = Union[ToolAtom, FactAtom, Not, Junction]


def read(document: Document, depth: int = 0) -> Condition:
    """Reads a condition of a compiled catalog."""
    if depth == _MAX_DEPTH:
        raise document.fail("a condition that is less deep")
    if (tool := document.get("tool")) is not None:
        return ToolAtom(tool.text())
    if (fact := document.get("fact")) is not None:
        sign = document.require("is")
        if sign.text() not in _SIGNS:
            raise sign.fail("a sign of a comparison")
        return FactAtom(fact.text(), sign.text(), read_fact(document.require("value")))
    if (inner := document.get("not")) is not None:
        return Not(read(inner, depth + 1))
    for key in ("all", "any"):
        if (parts := document.get(key)) is not None:
            return Junction(tuple(read(part, depth + 1) for part in parts.items()), key == "all")
    raise document.fail("a condition")


def read_fact(document: Document) -> FactValue:
    """Reads the value of a fact."""
    if not isinstance(document.value, (str, bool, int)):
        raise document.fail("a string, a boolean or an integer")
    return document.value


def holds(condition: Condition, tools: Collection[str], facts: Mapping[str, FactValue]) -> bool:
    """Returns whether a condition holds in a turn with these tools and facts."""
    if isinstance(condition, FactAtom):
        value = facts.get(condition.fact)
        # Values of different types are not comparable.
        return type(value) is type(condition.value) and _SIGNS[condition.sign](value, condition.value)
    if isinstance(condition, ToolAtom):
        return condition.tool in tools
    if isinstance(condition, Not):
        return not holds(condition.inner, tools, facts)
    verdicts = (holds(part, tools, facts) for part in condition.parts)
    return all(verdicts) if condition.is_all else any(verdicts)


def fact_names(condition: Condition) -> Iterator[str]:
    """Yields the facts to which a condition refers."""
    if isinstance(condition, FactAtom):
        yield condition.fact
    elif isinstance(condition, Not):
        yield from fact_names(condition.inner)
    elif isinstance(condition, Junction):
        for part in condition.parts:
            yield from fact_names(part)


def to_manifest(condition: Condition) -> str:
    """Returns a condition in the syntax of manifests."""
    return _written(condition)[0]


def _written(condition: Condition) -> tuple[str, int]:
    """Returns a condition in the syntax of manifests, with its precedence: 0 for `or`, 1 for `and`, 2 for the others."""
    if isinstance(condition, ToolAtom):
        return f"tools.{condition.tool}", 2
    if isinstance(condition, FactAtom):
        if condition.sign == "==" and condition.value is True:
            return f"facts.{condition.fact}", 2
        return f"facts.{condition.fact} {condition.sign} {written_fact(condition.value)}", 2
    if isinstance(condition, Not):
        return f"not {_parenthesized(condition.inner, 2)}", 2
    if not condition.parts:
        return ("true" if condition.is_all else "false"), 2
    precedence, word = (1, " and ") if condition.is_all else (0, " or ")
    if len(condition.parts) == 1:
        return _written(condition.parts[0])
    return word.join(_parenthesized(part, precedence) for part in condition.parts), precedence


def _parenthesized(condition: Condition, least: int) -> str:
    text, precedence = _written(condition)
    return f"({text})" if precedence < least else text


def written_fact(value: FactValue) -> str:
    """Returns a value in the syntax of manifests."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return str(value).lower() if isinstance(value, bool) else str(value)
