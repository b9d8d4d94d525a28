"""The grammar of names of parameters, and the other names by which some vendors know them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..text.strings import is_alphanumeric, is_digits

_PARAMETER: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_]{0,63}")
# The length to which the name of a parameter is cut, so that a number can follow.
_MAX_CUT: Final = 56


def is_portable(name: str) -> bool:
    """Returns whether every vendor accepts `name` as the name of a parameter."""
    return _PARAMETER.fullmatch(name) is not None


def parameter_aliases(names: Iterable[str]) -> dict[str, str]:
    """Returns another name for each parameter of a tool whose name a vendor refuses. A dialect that refuses the name shows the
    other one, and the reader of arguments maps it back. `names` are those of all parameters at every depth."""
    names = list(names)
    taken = set(names)
    aliases: dict[str, str] = {}
    for name in names:
        if name in aliases or is_portable(name):
            continue
        base = alias = _portable(name)
        number = 2
        while alias in taken:
            alias = f"{base}_{number}"
            number += 1
        taken.add(alias)
        aliases[name] = alias
    return aliases


def may_be_alias(alias: str, name: str) -> bool:
    """Returns whether `alias` may be the other name of the parameter `name`."""
    if is_portable(name) or not is_portable(alias):
        return False
    base = _portable(name)
    if not alias.startswith(base):
        return False
    rest = alias[len(base) :]
    return not rest or (rest[0] == "_" and is_digits(rest[1:]))


def _portable(name: str) -> str:
    """Returns a name like this one, with `_` for the characters that a vendor refuses."""
    portable = ""
    for letter in name:
        if is_alphanumeric(letter) or letter == "_":
            portable += letter
        elif portable and not portable.endswith("_"):
            portable += "_"
        if len(portable) == _MAX_CUT:
            break
    if portable.endswith("_") and not name.endswith("_"):
        portable = portable[:-1]
    if not portable:
        return "parameter"
    return f"_{portable}" if portable[0].isdigit() else portable
