"""What has been repaired in the arguments of a call: found on demand, by comparing what the model sent with what the handler got."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from .. import number
from ..data.name import may_be_alias
from ..data.table import Table
from ..text import json
from ..text.strings import beginning, trim
from ..types import Json
from .digits import restore_strings
from .json_type import identical, is_number, same
from .limits import Limits
from .open import parse_arguments
from .origin import Opened, child, lost_keys, origin, renamed_keys, with_key
from .reader import Reader, clone
from .redact import REDACTED, redacted
from .repair import repair_arguments
from .rules import RepairRule
from .tree import JsonError

# The maximum number of repairs that are listed for one call.
_MAX_REPAIRS: Final = 100
# The maximum length of a value in a repair, in bytes.
_MAX_VALUE_BYTES: Final = 200


class Repair(NamedTuple):
    """A change that the runtime made to the arguments of a call, or to the name of its tool."""

    path: str
    """The place in what the model sent, as a JSON pointer; empty for the arguments as a whole. It continues inside a string that
    contains JSON. Also empty for the name of the tool."""
    rule: RepairRule
    """The rule of the repair."""
    sent: str
    """What was sent, as JSON. A long value is cut, and a value with a secret is `"[secret]"`."""
    became: str
    """What it became, as JSON, like `sent`. Values inside of it may have been repaired as well."""

    def __str__(self) -> str:
        place = "the name of the tool" if self.rule == RepairRule.TOOL_NAME else self.path or "the arguments"
        return f"{place}: {self.sent} became {self.became} ({self.rule})"


def find(text: str, table: Table, limits: Limits) -> list[Repair]:
    """Returns the repairs of the arguments in `text`, which have been accepted."""
    reader = Reader(table, limits)
    try:
        sent, rule = parse_arguments(text, limits.max_depth)
    except JsonError:
        return []
    # Null that represents absence is not dropped, because that is not a repair: some dialects demand it.
    repaired, _ = repair_arguments(reader, clone(sent))
    if reader.has_spelled:
        repaired = restore_strings(text, repaired, table)
    comparison = _Comparison(Reader(table, limits))
    shown = _Shown(repaired, redacted(reader, repaired))
    if rule is not None:
        is_json = rule == RepairRule.EMPTY_ARGUMENTS and bool(trim(text))
        comparison.add("", rule, shown.or_secret(lambda: _shortened(trim(text)) if is_json else _quoted(text)), shown.text())
    comparison.compare("", sent, repaired, shown.redacted)
    return comparison.repairs


def of_name(sent: str, name: str) -> Repair:
    """Returns the repair of the name of a tool."""
    return Repair("", RepairRule.TOOL_NAME, _quoted(sent), _quoted(name))


class _Shown:
    """A repaired value, without its secrets."""

    def __init__(self, repaired: Json, redacted: Json) -> None:
        self.redacted = redacted
        self.has_secret = repaired is not redacted and not identical(repaired, redacted)

    def text(self) -> str:
        return _text(self.redacted)

    def or_secret(self, sent: Callable[[], str]) -> str:
        """Returns the text of what was sent in the place of the value."""
        return _quoted(REDACTED) if self.has_secret else sent()


class _Comparison:
    """Compares the arguments that were sent with the repaired ones."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.repairs: list[Repair] = []

    def add(self, path: str, rule: RepairRule, sent: str, became: str) -> None:
        if len(self.repairs) < _MAX_REPAIRS:
            self.repairs.append(Repair(path, rule, sent, became))

    def compare(self, path: str, sent: Json, repaired: Json, redacted_value: Json) -> None:
        """Adds the repairs of a value."""
        is_same = same if is_number(sent) and is_number(repaired) else identical
        if is_same(sent, repaired) or len(self.repairs) == _MAX_REPAIRS:
            return None
        shown = _Shown(repaired, redacted_value)
        if isinstance(sent, str) and isinstance(repaired, (int, float)) and not isinstance(repaired, bool):
            return self.compare_number(path, sent, repaired, shown)
        if is_number(sent) and isinstance(repaired, str):
            # The string has the digits that were sent.
            return self.add(path, RepairRule.STRING, shown.or_secret(lambda: _shortened(repaired)), shown.text())
        rule = _rule(sent, repaired)
        if rule is not None:
            return self.add(path, rule, shown.or_secret(lambda: _text(sent)), shown.text())
        of = origin(self.reader, sent, repaired)
        if of is None:
            return self.compare_children(path, sent, repaired, redacted_value)
        rule = of.rule if isinstance(of, Opened) else RepairRule.SINGLE_ITEM
        self.add(path, rule, shown.or_secret(lambda: _text(sent)), shown.text())
        if isinstance(of, Opened):
            return self.compare(path, of.value, repaired, redacted_value)
        assert isinstance(repaired, list)
        return self.compare(path, sent, repaired[0], _child(redacted_value, 0))

    def compare_number(self, path: str, text: str, repaired: number.Number, shown: _Shown) -> None:
        """Adds the repairs of a number that was sent as a string: that it became a number, and that the number was beyond a
        bound."""
        sent = shown.or_secret(lambda: _quoted(text))
        read: number.Number | None = number.integer_from(text)
        if read is None:
            read = number.number_from(text)
        if read is None:
            # No JSON number is as large.
            self.add(path, RepairRule.BOUND, sent, shown.text())
        elif self.reader.table.has_clamped and not number.equal(read, repaired):
            parsed = _quoted(REDACTED) if shown.has_secret else _text(read)
            self.add(path, RepairRule.NUMBER, sent, parsed)
            self.add(path, RepairRule.BOUND, parsed, shown.text())
        else:
            self.add(path, RepairRule.NUMBER, sent, shown.text())

    def compare_children(self, path: str, sent: Json, repaired: Json, redacted_value: Json) -> None:
        """Adds the repairs of the items of an array, or of the keys and values of an object."""
        # The keys inside a secret are not shown either.
        in_secret = redacted_value == REDACTED
        if isinstance(sent, list) and isinstance(repaired, list):
            for index, (item, other) in enumerate(zip(sent, repaired)):
                inner = path if in_secret else f"{path}/{index}"
                self.compare(inner, item, other, _child(redacted_value, index))
        elif isinstance(sent, dict) and isinstance(repaired, dict):
            lost = lost_keys(sent, repaired)
            for key, value in repaired.items():
                renamed = list(renamed_keys(self.reader.table, key, lost)) if lost else []
                sent_key = key if key in sent else renamed[0] if renamed else None
                if sent_key is None:
                    continue
                for other in renamed:
                    # A key that the definition has is not a repair.
                    if not may_be_alias(other, key):
                        self.add_name(path, other, key, in_secret)
                inner = path if in_secret else with_key(path, sent_key)
                self.compare(inner, sent[sent_key], value, _child(redacted_value, key))

    def add_name(self, path: str, sent: str, key: str, in_secret: bool) -> None:
        """Adds the repair of a key in the object at `path`."""
        place = path if in_secret else with_key(path, sent)
        shown = (_quoted(REDACTED if in_secret else name) for name in (sent, key))
        self.add(place, RepairRule.PARAMETER_NAME, *shown)


def _rule(sent: Json, repaired: Json) -> RepairRule | None:
    """Returns the rule by which a value became another one, if the types say it."""
    if isinstance(sent, str):
        if repaired is None:
            return RepairRule.NULL_WORD
        if isinstance(repaired, str):
            return RepairRule.ENUM_WORD
        return RepairRule.BOOLEAN if isinstance(repaired, bool) else None
    if is_number(sent) and is_number(repaired):
        return RepairRule.BOUND
    return RepairRule.STRING if isinstance(sent, bool) and isinstance(repaired, str) else None


def _child(redacted_value: Json, step: str | int) -> Json:
    """Returns a part of a redacted value, or the value itself if it is redacted as a whole."""
    found = child(redacted_value, step)
    return redacted_value if found is None else found[0]


def _text(value: Json) -> str:
    return _shortened(json.compact(value))


def _quoted(text: str) -> str:
    return _text(beginning(text, 2 * _MAX_VALUE_BYTES))


def _shortened(text: str) -> str:
    """Returns `text`, or its beginning with an ellipsis if it is long."""
    shown = beginning(text, _MAX_VALUE_BYTES)
    return f"{shown}…" if len(shown) < len(text) else text
