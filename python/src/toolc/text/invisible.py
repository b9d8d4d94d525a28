"""Invisible characters."""

from __future__ import annotations

import re
from typing import Final

# Characters that split a token for a program but not for a model: control characters, those that Unicode lets programs ignore
# (`Default_Ignorable_Code_Point`), and those for annotations.
_INVISIBLE: Final = (
    "[\0-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def without_invisible(text: str) -> str:
    """Returns a text without invisible characters."""
    # Compiled on first use, because most calls need no error.
    return re.sub(_INVISIBLE, "", text)
