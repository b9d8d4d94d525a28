"""Defaults: valid arguments get the defaults of absent properties, at every depth."""

from __future__ import annotations

from typing import Final

from ..types import Json
from .reader import Reader, clone
from .verdict import is_valid

# The maximum depth of values and alternatives. A schema may be its own alternative.
_MAX_DEPTH: Final = 256


def fill_defaults(reader: Reader, value: Json, index: int = 0, room: int = _MAX_DEPTH) -> None:
    """Sets the absent properties that have a default, in place."""
    if not isinstance(value, (list, dict)) or room == 0 or not reader.spend(1):
        return
    node = reader.table.node(index)
    if isinstance(value, list):
        if node.items is not None:
            for item in value:
                fill_defaults(reader, item, node.items, room - 1)
    else:
        for one in node.visible:
            if one.name not in value and one.default is not None:
                value[one.name] = clone(one.default[0])
        for key, item in value.items():
            known = node.declared.get(key)
            if known is not None:
                fill_defaults(reader, item, known.node, room - 1)
            elif node.additional >= 0:
                fill_defaults(reader, item, node.additional, room - 1)
    for part in node.all_of:
        fill_defaults(reader, value, part, room - 1)
    chosen = next((one for one in node.any_of if is_valid(reader, value, one)), None)
    if chosen is not None:
        fill_defaults(reader, value, chosen, room - 1)
