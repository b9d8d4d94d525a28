"""Calls with a text instead of arguments."""

from __future__ import annotations

from ..data.table import Table
from ..text.json import string


def with_arguments(text: str, table: Table | None) -> str:
    """Returns the arguments of a call with a text. If no parameter takes the text, they are the text as a JSON string, so that they are
    repaired or refused like those of any other call."""
    parameter = _text_parameter(table) if table is not None else None
    return string(text) if parameter is None else f"{{{string(parameter)}:{string(text)}}}"


def _text_parameter(table: Table) -> str | None:
    """Returns the parameter that takes the text: the only required one, if it accepts strings."""
    required = [one for one in table.node(0).visible if one.required]
    is_text = len(required) == 1 and "string" in table.node(required[0].node).all_types
    return required[0].name if is_text else None
