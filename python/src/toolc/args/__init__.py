"""Reading arguments: parses the model's JSON text, repairs it toward the table of the tool, and validates it."""

from __future__ import annotations

from functools import partial

from ..data.table import Table
from ..result.error import ErrorKind, Problem, ToolError
from ..text.strings import byte_len, trim
from ..types import Json
from . import tree
from .defaults import fill_defaults
from .digits import restore_strings
from .limits import Limits
from .null_absence import drop_absent
from .open import parse_arguments
from .reader import Reader
from .repair import repair_arguments
from .stack import with_room
from .strict import read_strictly
from .tree import JsonError
from .validate import Problems, problems
from .verdict import is_valid

_SMALLEST = "-1.7976931348623157e308"
_LARGEST = "1.7976931348623157e308"


def read(text: str, table: Table, limits: Limits) -> tuple[dict[str, Json], bool]:
    """Parses, repairs and validates the arguments in `text`. Returns them with their defaults, and whether they were repaired.

    Raises `ToolError`: `malformed_arguments` if `text` is not JSON, too large or too deep, or repeats a key, and `invalid_arguments`
    with all problems if the arguments do not satisfy the table even after repair.
    """
    _check_size(text, limits)
    try:
        value, is_repaired = with_room(partial(_read_in_passes, text, table, limits))
        if table.has_defaults:
            with_room(partial(fill_defaults, Reader(table, limits), value))
    except RecursionError:
        raise _invalid(Problems()) from None
    return value, is_repaired


def _read_in_passes(text: str, table: Table, limits: Limits) -> tuple[dict[str, Json], bool]:
    value = read_strictly(text, table, limits)
    return read_leniently(text, table, limits) if value is None else (value, False)


def read_leniently(text: str, table: Table, limits: Limits) -> tuple[dict[str, Json], bool]:
    """Does the same as `read` without defaults, for a text that is not too large."""
    reader = Reader(table, limits)
    value, is_repaired = _parse(text, limits)
    value, has_changed = repair_arguments(reader, value)
    if reader.has_spelled:
        value = restore_strings(text, value, table)
    value = drop_absent(reader, value, 0)
    if isinstance(value, dict) and is_valid(reader, value, 0):
        return value, is_repaired or has_changed
    # The errors name places in what the model sent, which is parsed again because most arguments need no error.
    sent, _ = _parse(text, limits)
    error = _invalid(problems(reader, value, sent))
    if trim(text):
        raise error
    # No text at all.
    raise _malformed(f"they are empty. Send a JSON object: {error.message}", error.problems)


def _parse(text: str, limits: Limits) -> tuple[Json, bool]:
    try:
        value, rule = parse_arguments(text, limits.max_depth)
    except JsonError as error:
        raise _unreadable(text, error, limits) from None
    return value, rule is not None


def _check_size(text: str, limits: Limits) -> None:
    try:
        size = byte_len(text)
    except UnicodeEncodeError as error:
        before = text[: error.start]
        line, column = before.count("\n") + 1, byte_len(before[before.rfind("\n") + 1 :]) + 1
        raise _malformed(f"half of a character of UTF-16 at line {line} column {column}. Send one JSON object") from None
    if size > limits.max_bytes:
        raise _malformed(f"they have {size} bytes, but at most {limits.max_bytes} are allowed")


def _malformed(reason: str, found: tuple[Problem, ...] = ()) -> ToolError:
    message = f"failed to read the arguments: {reason}"
    return ToolError(message, kind=ErrorKind.MALFORMED_ARGUMENTS, problems=found)


def _unreadable(text: str, error: JsonError, limits: Limits) -> ToolError:
    place = f"at line {error.line} column {error.column}"
    if error.is_cut_off:
        return _malformed(f"the JSON is cut off {place}. Send the complete call again")
    reason = str(error)
    # These messages are not useful to a model. The text is not quoted, because it may contain secrets.
    if reason.startswith(("expected ident", "expected value")):
        return _malformed(f"invalid JSON {place}. Send one JSON object")
    if reason.startswith("trailing characters"):
        line = text.split("\n", error.line)[error.line - 1].encode()
        following = line[error.column - 1 : error.column]
        what = "other text"
        if following == b"{":
            what = "another object, which differs from it,"
        elif following in (b"}", b"]"):
            what = "a bracket too many"
        return _malformed(f"{what} follows the JSON value {place}. Send one JSON object for each call")
    if reason.startswith(tree.TOO_DEEP):
        return _malformed(f"{reason}: at most {limits.max_depth} levels are allowed")
    if reason.startswith(tree.OUT_OF_RANGE):
        return _malformed(f"{reason}: numbers must be between {_SMALLEST} and {_LARGEST}")
    return _malformed(f"{reason}. Send one JSON object")


def _invalid(found: Problems) -> ToolError:
    # The budget may be exhausted before validation could find a problem.
    listed = found.listed or [Problem("", "something simpler", "too much to check")]
    texts = (f"{one.path}{': ' if one.path else ''}expected {one.expected}, got {one.got}" for one in listed)
    more = f"; and {found.more} more" if found.more else ""
    message = f"invalid arguments: {'; '.join(texts)}{more}"
    return ToolError(message, kind=ErrorKind.INVALID_ARGUMENTS, problems=listed)
