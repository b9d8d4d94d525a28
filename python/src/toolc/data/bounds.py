"""Comparisons of numbers with the bounds of a schema, which do not round integers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ..number import I64_MAX, I64_MIN, U64_MAX, Number, exact, whole

if TYPE_CHECKING:
    from .table import Bounds

# The smallest integer of more than 64 bits.
_BEYOND: Final = 2.0**64
# The number of integers that are tried at a bound. It limits the search for an integer that is a multiple of a fraction.
_MAX_TRIED: Final = 1000
_EPSILON: Final = 2.0**-52


def within(number: Number, bounds: Bounds) -> bool:
    """Returns whether `number` is within the bounds."""
    return (
        (bounds.minimum is None or compare(number, bounds.minimum) >= 0)
        and (bounds.maximum is None or compare(number, bounds.maximum) <= 0)
        and (bounds.exclusive_minimum is None or compare(number, bounds.exclusive_minimum) > 0)
        and (bounds.exclusive_maximum is None or compare(number, bounds.exclusive_maximum) < 0)
        and (bounds.multiple_of is None or _is_multiple(number, bounds.multiple_of))
    )


def compare(number: Number, bound: Number) -> int:
    """Compares two numbers by value, exactly if both are integers in any spelling. Negative if `number` is less."""
    integer, exact_bound = exact(number), exact(bound)
    if integer is not None and exact_bound is not None:
        return (integer > exact_bound) - (integer < exact_bound)
    size, other = float(number), float(bound)
    if integer is None and exact_bound is not None and abs(size) >= _BEYOND:
        # It is beyond all integers of 64 bits. As a float, the largest of them is 2^64.
        other = 0.0
    return (size > other) - (size < other)


def nearest(number: Number, bounds: Bounds, is_integer: bool) -> Number | None:
    """Returns the allowed number that is nearest to `number`, if `number` is beyond the bounds of one side."""
    is_below = (bounds.minimum is not None and compare(number, bounds.minimum) < 0) or (
        bounds.exclusive_minimum is not None and compare(number, bounds.exclusive_minimum) <= 0
    )
    is_above = (bounds.maximum is not None and compare(number, bounds.maximum) > 0) or (
        bounds.exclusive_maximum is not None and compare(number, bounds.exclusive_maximum) >= 0
    )
    return _outermost(bounds, is_below, is_integer) if is_below != is_above else None


def _outermost(bounds: Bounds, is_lower: bool, is_integer: bool) -> Number | None:
    """Returns the outermost number on a side that the bounds allow."""
    of_side = (bounds.minimum, bounds.exclusive_minimum) if is_lower else (bounds.maximum, bounds.exclusive_maximum)
    candidates = _integers_from if is_integer else _numbers_from
    for bound in of_side:
        if bound is not None:
            for number in candidates(bound, is_lower, bounds.multiple_of):
                if within(number, bounds):
                    return number
    return None


def _integers_from(bound: Number, is_lower: bool, step: Number | None) -> Iterator[Number]:
    """Yields the integers at a bound, from the outside."""
    stride = max((exact(step) if step is not None else None) or 1, 1)
    sign = -1 if is_lower else 1
    # No integer of a tool is beyond 64 bits.
    first = sign * bound if isinstance(bound, int) else min(max(math.floor(sign * bound), I64_MIN), I64_MAX)
    for index in range(_MAX_TRIED):
        integer = sign * (first // stride - index) * stride
        if not I64_MIN <= integer <= U64_MAX:
            return
        yield integer


def _numbers_from(bound: Number, is_lower: bool, step: Number | None) -> Iterator[Number]:
    """Yields an inclusive bound, and the multiples of `step` at a bound, from the outside."""
    yield bound
    size = float(step) if step is not None else 0.0
    if size <= 0.0:
        return
    # 3 / 10 is 0.3, and 3 * 0.1 is not.
    parts = round_half_away(1.0 / size)
    is_part = parts >= 1.0 and abs(parts * size - 1.0) <= _EPSILON
    quotient = float(bound) / size
    if not math.isfinite(quotient):
        return
    first, inward = (math.ceil(quotient), 1.0) if is_lower else (math.floor(quotient), -1.0)
    for count in (float(first), first + inward):
        multiple = count / parts if is_part else count * size
        integer = whole(multiple)
        if math.isfinite(multiple):
            yield multiple if integer is None else integer


def _is_multiple(number: Number, step: Number) -> bool:
    integer, exact_step = exact(number), exact(step)
    if exact_step == 0:
        return True
    if exact_step is not None:
        # The remainder of two floats is exact for any size.
        return integer % exact_step == 0 if integer is not None else math.fmod(number, float(step)) == 0.0
    # 0.3 should count as a multiple of 0.1.
    quotient = float(number) / float(step)
    nearest_whole = round_half_away(quotient)
    # The tolerance is the rounding error of the division.
    is_near = abs(quotient - nearest_whole) <= 4.0 * _EPSILON * abs(quotient)
    return is_near and (nearest_whole != 0.0 or quotient == 0.0)


def round_half_away(value: float) -> float:
    """Returns the nearest integer, and of two the one that is farther from zero."""
    if not math.isfinite(value):
        return value
    size = float(math.trunc(value))
    return size + math.copysign(1.0, value) if abs(value - size) >= 0.5 else size
