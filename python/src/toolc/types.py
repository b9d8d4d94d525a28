"""The type of JSON values."""

from __future__ import annotations

from typing import Union

Json = Union[None, bool, int, float, str, list["Json"], dict[str, "Json"]]
"""A JSON value. An integer of 64 bits, signed or unsigned, is an `int`; every other number is a `float`."""
