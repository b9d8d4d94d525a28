"""Numbers: exact parsing of decimal strings, and equality that does not round integers.

An integer of 64 bits, signed or unsigned, is an `int`; every other number is a `float`.
"""

from __future__ import annotations

import math
import re
from typing import Final, NamedTuple, Union

from .text.strings import trim

Number = Union[int, float]

I64_MIN: Final = -(2**63)
I64_MAX: Final = 2**63 - 1
U64_MAX: Final = 2**64 - 1
# From here, a float no longer identifies one integer.
_FIRST_AMBIGUOUS: Final = 2.0**53
_BEYOND: Final = 2.0**64
_LARGEST: Final = 1.7976931348623157e308
# More digits than an integer of 64 bits has, with its sign.
_MAX_DIGITS: Final = 24

_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_DECIMAL: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?)([0-9]+))?")


def parse(text: str) -> Number | None:
    """Parses a JSON number. An integer of 64 bits that a float would round is exact, whatever its spelling: `1.8e19`."""
    found = _JSON_NUMBER.fullmatch(text)
    if found is None:
        return None
    if found[1] is None and found[2] is None and len(text) <= _MAX_DIGITS and text != "-0":
        integer = int(text)
        if I64_MIN <= integer <= U64_MAX:
            return integer
    value = float(text)
    if math.isinf(value):
        return None
    if not is_ambiguous(value):
        return value
    decimal = Decimal.read(text)
    exact_value = decimal.value() if decimal else None
    return value if exact_value is None or not I64_MIN <= exact_value <= U64_MAX else exact_value


def is_ambiguous(value: float) -> bool:
    """Returns whether several integers of 64 bits may have been rounded to `value`."""
    return _FIRST_AMBIGUOUS <= abs(value) <= _BEYOND


def may_be_respelled(number: Number) -> bool:
    """Returns whether the text of `number` may have been another than its decimal digits, such as `5.0` or `1e18`."""
    return isinstance(number, float) or is_ambiguous(float(number))


def integer(number: Number) -> int | None:
    """Returns `number` as an integer of 64 bits with a sign, if it is exactly one."""
    if isinstance(number, int):
        return number if number <= I64_MAX else None
    return whole(number)


def whole(value: float) -> int | None:
    """Returns `value` as an integer, or `None` if it has a fraction, or does not identify one integer."""
    return int(value) if value.is_integer() and abs(value) < _FIRST_AMBIGUOUS else None


def integer_from(text: str) -> int | None:
    """Returns the integer that `text` contains in decimal, if it has 64 bits with a sign."""
    decimal = Decimal.read(text)
    value = decimal.exact() if decimal else None
    return value if value is not None and I64_MIN <= value <= I64_MAX else None


def number_from(text: str) -> Number | None:
    """Returns the number that `text` contains in decimal: exactly if it is an integer of 64 bits, otherwise the nearest float."""
    decimal = Decimal.read(text)
    if decimal is None:
        return None
    exact_value = decimal.exact()
    if exact_value is not None and I64_MIN <= exact_value <= U64_MAX:
        return exact_value
    nearest = decimal.nearest()
    return None if nearest == 0.0 and not decimal.is_zero() else nearest


def of_any_size(text: str, is_integer: bool) -> Number | None:
    """Returns the number that `text` contains in decimal, to compare it with bounds: the nearest of those that exist."""
    decimal = Decimal.read(text)
    if decimal is None or (is_integer and not decimal.is_integer()):
        return None
    if decimal.nearest() is None:
        return -_LARGEST if decimal.negative else _LARGEST
    return number_from(text)


class Decimal(NamedTuple):
    """A decimal string: `[+-] digits [. digits] [e [+-] digits]`, with white space around it."""

    negative: bool
    whole: str
    fraction: str
    exponent: int

    @classmethod
    def read(cls, text: str) -> Decimal | None:
        """Returns the number in `text`, if that is all it has."""
        found = _DECIMAL.fullmatch(trim(text))
        if found is None or not (found[2] or found[3]):
            return None
        size = found[5] or "0"
        exponent = int(size) if len(size) <= _MAX_DIGITS else I64_MAX
        exponent = min(exponent, I64_MAX)
        return cls(found[1] == "-", found[2], found[3] or "", -exponent if found[4] == "-" else exponent)

    def is_zero(self) -> bool:
        """Returns whether all digits are zero."""
        return not (self.whole.strip("0") or self.fraction.strip("0"))

    def nearest(self) -> Number | None:
        """Returns the nearest JSON number."""
        digits = self.whole.lstrip("0") or "0"
        return parse(f"{'-' if self.negative else ''}{digits}.{self.fraction}0e{self.exponent}")

    def is_integer(self) -> bool:
        """Returns whether the mantissa is an integer, and the exponent is not negative."""
        return self.exponent >= 0 and not self.fraction.strip("0")

    def exact(self) -> int | None:
        """Returns the integer, if it is one by `is_integer`."""
        return self.value() if self.is_integer() else None

    def value(self) -> int | None:
        """Returns the value, if it is an integer in any spelling of at most 38 digits: `1.50e1`, `150e-1`."""
        if self.is_zero():
            return 0
        digits = (self.whole + self.fraction).lstrip("0")
        significant = digits.rstrip("0")
        power = self.exponent - len(self.fraction) + len(digits) - len(significant)
        if power < 0 or len(significant) + power > 38:
            return None
        size: int = int(significant) * 10**power
        return -size if self.negative else size


def equal(a: Number, b: Number) -> bool:
    """Returns whether two JSON numbers have the same value."""
    one, other = exact(a), exact(b)
    return one == other if one is not None and other is not None else float(a) == float(b)


def exact(number: Number) -> int | None:
    """Returns `number` as an integer, if it is one of at most 64 bits."""
    if isinstance(number, int):
        return number
    return int(number) if number.is_integer() and abs(number) < _BEYOND else None
