"""Redaction of secrets in arguments, for errors and repairs."""

from __future__ import annotations

from typing import Final

from ..types import Json
from .reader import Reader, clone

REDACTED: Final = "[secret]"
"""Replaces a secret value."""

# The maximum depth of values and alternatives. A schema may be its own alternative.
_MAX_DEPTH: Final = 256


def redacted(reader: Reader, arguments: Json) -> Json:
    """Returns the arguments with `REDACTED` in place of every secret."""
    if not reader.table.has_secrets:
        return arguments
    # With a new budget: otherwise, an expensive repair could exhaust it, and everything would be redacted.
    return _redact(Reader(reader.table, reader.limits), clone(arguments), 0, _MAX_DEPTH)


def _redact(reader: Reader, value: Json, index: int, room: int) -> Json:
    """Redacts every value that any alternative declares as secret. If the depth or the budget is exceeded, it redacts the whole
    value."""
    if room == 0 or not reader.spend(1):
        return REDACTED
    node = reader.table.node(index)
    if isinstance(value, list) and node.items is not None:
        value[:] = [_redact(reader, item, node.items, room - 1) for item in value]
    elif isinstance(value, dict):
        by_name = {one.name: one for one in node.properties}
        # An unknown key may be the misspelt name of a secret.
        holds_secrets = any(one.secret for one in node.properties)
        for key, item in value.items():
            known = by_name.get(key)
            if known is not None and not known.secret:
                value[key] = _redact(reader, item, known.node, room - 1)
            elif known is not None or holds_secrets:
                value[key] = REDACTED
            elif node.additional >= 0:
                value[key] = _redact(reader, item, node.additional, room - 1)
    for branch in (*node.any_of, *node.all_of):
        value = _redact(reader, value, branch, room - 1)
    return value
