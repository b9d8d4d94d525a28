"""What `pattern` and `format` require of a text."""

from __future__ import annotations

from .format import Format
from .pattern import Pattern

__all__ = ["Format", "Pattern"]
