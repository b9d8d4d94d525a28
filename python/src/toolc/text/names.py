"""Spellings of names."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from .strings import ascii_lower

_SEPARATORS: Final = {ord("_"): None, ord("-"): None, ord(" "): None}


@lru_cache(maxsize=4096)
def _significant(name: str) -> str:
    return ascii_lower(name).translate(_SEPARATORS)


def same_name(a: str, b: str) -> bool:
    """Returns whether two names are equal without regard to ASCII case, `_`, `-` and spaces: `filePath` and `file-path`."""
    one = significant(a)
    return bool(one) and one == significant(b)


def significant(name: str) -> str:
    """Returns what two names of the same meaning have in common. Empty for a name that has no letters."""
    return _significant(name) if len(name) <= 128 else ascii_lower(name).translate(_SEPARATORS)


def same_spelling(a: str, b: str) -> bool:
    """Returns whether two names are equal without regard to ASCII case, and if `-` and `_` are the same."""
    return len(a) == len(b) and ascii_lower(a).replace("-", "_") == ascii_lower(b).replace("-", "_")
