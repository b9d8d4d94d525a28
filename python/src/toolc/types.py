"""The type of JSON values."""

from __future__ import annotations

from typing import Dict, List, Union

Json = Union[None, bool, int, float, str, List["Json"], Dict[str, "Json"]]
"""A JSON value. An integer of 64 bits, signed or unsigned, is an `int`; every other number is a `float`."""
