"""Limits of the arguments of one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MAX_BYTES: Final = 4 << 20
_MAX_DEPTH: Final = 64
_MAX_STEPS: Final = 16_000_000


@dataclass(frozen=True)
class Limits:
    """Limits of the arguments of one call. The sizes can be lowered, but not raised."""

    max_bytes: int = _MAX_BYTES
    """The maximum size of the JSON text in bytes of UTF-8."""
    max_depth: int = _MAX_DEPTH
    """The maximum depth of nested arrays and objects, including the arguments object."""
    max_steps: int = 2_000_000
    """The maximum work of repair and validation. Valid arguments do not reach it, unless they are very large. The runtime in Rust allows
    16,000,000 steps, and takes a tenth of a second for them; this one would take ten seconds."""

    def __post_init__(self) -> None:
        for name, most in (("max_bytes", _MAX_BYTES), ("max_depth", _MAX_DEPTH), ("max_steps", _MAX_STEPS)):
            if not 1 <= getattr(self, name) <= most:
                raise ValueError(f"{name} must be from 1 to {most}, not {getattr(self, name)}")
