"""The digits of numbers, as the model wrote them. A float loses the spelling of fractions: `3.10` becomes `3.1`. The text of the
arguments still has it."""

from __future__ import annotations

from .. import number
from ..data.table import Table
from ..text import json
from ..types import Json
from .literal import spelling
from .open import spelled
from .origin import sent_key


def restore_strings(text: str, repaired: Json, table: Table) -> Json:
    """Replaces the strings that repair has made from numbers by what the model wrote."""
    sent = spelled(text)
    return repaired if sent is None else _restore(repaired, sent, table)


def _restore(value: Json, sent: Json, table: Table) -> Json:
    spelled_as = spelling(sent)
    if isinstance(value, (list, dict)):
        if spelled_as is not None and not spelled_as.is_number:
            # The array or object of a string.
            inner = spelled(spelled_as.text)
            if inner is not None and isinstance(inner, list) == isinstance(value, list):
                return _restore(value, inner, table)
        if isinstance(value, dict):
            if isinstance(sent, dict):
                for key in value:
                    of = sent_key(table, key, sent, value)
                    if of is not None:
                        value[key] = _restore(value[key], sent[of], table)
        elif isinstance(sent, list):
            value[: len(sent)] = [_restore(item, one, table) for item, one in zip(value, sent)]
        elif len(value) == 1:
            # A value of which repair has made an array.
            value[0] = _restore(value[0], sent, table)
    elif isinstance(value, str) and spelled_as is not None and spelled_as.is_number:
        parsed = number.parse(spelled_as.text)
        if parsed is not None and json.number(parsed) == value:
            return spelled_as.text
    return value
