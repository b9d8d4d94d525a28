"""Parses JSON and almost JSON: the arguments as the model sent them, and the arrays and objects in strings."""

from __future__ import annotations

from ..data.table import Node
from ..text.strings import ascii_lower, byte_len, trim, trim_start
from ..types import Json
from . import literal, tree
from .literal import NotLiteralError
from .reader import Reader
from .rules import RepairRule
from .tree import JsonError


def parse_arguments(text: str, depth: int) -> tuple[Json, RepairRule | None]:
    """Parses the text of the arguments. A text that is almost JSON is repaired, and missing arguments are an empty object.

    Raises `JsonError` if the text can be read in no other way.
    """
    try:
        value = tree.parse(text, depth, unique=True)
    except JsonError:
        if not trim(text):
            return {}, RepairRule.EMPTY_ARGUMENTS
        repaired = _parse_almost(text, depth)
        if repaired is None:
            raise
        return repaired
    return ({}, RepairRule.EMPTY_ARGUMENTS) if is_blank(value) else (value, None)


def _parse_almost(text: str, depth: int) -> tuple[Json, RepairRule] | None:
    said = literal.last_said(text)
    if said is not None and len(said) < len(trim(text)):
        found = _parse_either(said, depth)
        return None if found is None else (found[0], RepairRule.REPETITION)
    inner = _in_fence(text)
    if inner is None:
        try:
            found = (literal.parse_arguments(text, depth),)
        except NotLiteralError:
            return None
        rule = RepairRule.ALMOST_JSON
    else:
        found = _parse_either(inner, depth)
        rule = RepairRule.CODE_FENCE
    return (found[0], rule) if found is not None and isinstance(found[0], dict) else None


def _parse_either(text: str, depth: int) -> tuple[Json] | None:
    """Parses JSON or almost JSON, and returns the value as a tuple."""
    try:
        return (tree.parse(text, depth, unique=True),)
    except JsonError:
        pass
    try:
        return (literal.parse_arguments(text, depth),)
    except NotLiteralError:
        return None


def spelled(text: str) -> list[Json] | dict[str, Json] | None:
    """Returns the array or object in the text of arguments, or of a string in them, with the digits of its numbers: see
    `literal.spelling`."""
    whole = _whole(text)
    if whole is None and (inner := _in_fence(text)) is not None:
        whole = _whole(inner)
    if whole is None:
        said = literal.last_said(text)
        whole = None if said is None else _whole(said)
    elif isinstance(whole[0], str):
        # Arguments as a whole may be a string.
        spelling = literal.spelling(whole[0])
        is_string = spelling is not None and not spelling.is_number and trim_start(text).startswith('"')
        whole = _whole(spelling.text) if spelling is not None and is_string else None
    return whole[0] if whole is not None and isinstance(whole[0], (list, dict)) else None


def _whole(text: str) -> tuple[Json] | None:
    try:
        return (literal.spelled_value(text),)
    except NotLiteralError:
        return None


def is_blank(arguments: Json) -> bool:
    """Returns whether the arguments are missing: null, or a string that contains nothing or `null`."""
    return arguments is None or (isinstance(arguments, str) and trim(arguments) in ("", "null"))


def _in_fence(text: str) -> str | None:
    """Returns the text inside a Markdown code fence without a language or with the language `json`, if `text` is nothing else than
    such a fence around an array or object."""
    text = trim(text)
    rest = text.lstrip("`")
    ticks = text[: len(text) - len(rest)]
    if len(ticks) < 3 or not rest.endswith(ticks):
        return None
    inner = trim(rest[: -len(ticks)])
    if ascii_lower(inner[:4]) == "json":
        inner = trim_start(inner[4:])
    return inner if _is_closed(inner) else None


def _is_closed(text: str) -> bool:
    """Returns whether `text` begins and ends like an array or object."""
    return (text[:1], text[-1:]) in (("[", "]"), ("{", "}"))


def opens_with(text: str, bracket: str) -> bool:
    """Returns whether `text` begins with a bracket after white space."""
    return trim_start(text).startswith(bracket)


def open_toward(reader: Reader, text: str, wanted: str, node: Node, depth: int) -> tuple[Json] | None:
    """Returns the array or object in `text` as a tuple, if `node` allows its type."""
    bracket = "[" if wanted == "array" else "{"
    if opens_with(text, bracket):
        return open_text(reader, text, depth)
    inner = _in_fence(text)
    if inner is None or not inner.startswith(bracket):
        return None
    is_item = wanted == "array" and (node.items is None or _may_be_string(reader, reader.table.node(node.items)))
    return None if is_item else open_text(reader, inner, depth)


def opened(reader: Reader, text: str) -> tuple[Json, RepairRule] | None:
    """Returns the array or object in `text`, with the rule that applies, without regard to a schema."""
    depth = reader.limits.max_depth
    inner = _in_fence(text)
    found = open_text(reader, text if inner is None else inner, depth)
    if found is None:
        return None
    if inner is not None:
        return found[0], RepairRule.CODE_FENCE
    try:
        tree.parse(trim(text), depth, unique=False)
    except JsonError:
        return found[0], RepairRule.ALMOST_JSON
    return found[0], RepairRule.JSON_TEXT


def open_text(reader: Reader, text: str, depth: int) -> tuple[Json] | None:
    """Parses the array or object in `text`, as JSON or almost JSON, and returns it as a tuple."""
    text = trim(text)
    if not _is_closed(text) or not reader.spend(byte_len(text) // 8):
        return None
    found = _parse_nested(text, depth)
    if found is None and (said := literal.last_said(text)) is not None:
        found = _parse_nested(said, depth)
    return found


def _parse_nested(text: str, depth: int) -> tuple[Json] | None:
    try:
        return (tree.parse(text, depth, unique=False),)
    except JsonError:
        pass
    try:
        return (literal.parse(text, depth),)
    except NotLiteralError:
        return None


def _may_be_string(reader: Reader, node: Node) -> bool:
    """Returns whether a value of `node` may be a string."""
    if node.all_types:
        return "string" in node.all_types
    leaves = reader.leaves(node)
    if leaves is None or not node.any_of or node.all_of:
        return True
    return any("string" in reader.table.node(leaf).all_types for leaf in leaves)
