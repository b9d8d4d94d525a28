"""Writing JSON as the runtime in Rust writes it: compact, with the shortest digits of floats."""

from __future__ import annotations

import math
import re
from typing import Final

from ..types import Json

_ESCAPED: Final = re.compile('["\\\\\x00-\x1f]')
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escaped(text: str) -> str:
    """Returns `text`, escaped for a JSON string, without quotes."""
    if _ESCAPED.search(text) is None:
        return text
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}", text)


def string(text: str) -> str:
    """Returns `text` as a JSON string."""
    return f'"{escaped(text)}"'


def number(value: float) -> str:
    """Returns the text of a number. JSON has no infinities and no NaN, which are `null`."""
    if isinstance(value, int):
        return int.__repr__(value)
    if not math.isfinite(value):
        return "null"
    text = float.__repr__(value)
    mantissa, mark, exponent = text.partition("e")
    if not mark:
        return text
    power = int(exponent)
    if power == -5:
        sign = "-" if value < 0 else ""
        return f"{sign}0.0000{mantissa.lstrip('-').replace('.', '')}"
    return f"{mantissa}e{power:+d}"


def compact(value: Json) -> str:
    """Returns the JSON text of a value, without white space."""
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts)


def _write(value: Json, out: list[str]) -> None:
    if value is None:
        out.append("null")
    elif isinstance(value, str):
        out.append(string(value))
    elif isinstance(value, bool):
        out.append("true" if value else "false")
    elif isinstance(value, (int, float)):
        out.append(number(value))
    elif isinstance(value, list):
        separator = "["
        for item in value:
            out.append(separator)
            _write(item, out)
            separator = ","
        out.append("]" if value else "[]")
    else:
        separator = "{"
        for key, item in value.items():
            out.append(f"{separator}{string(key)}:")
            _write(item, out)
            separator = ","
        out.append("}" if value else "{}")
