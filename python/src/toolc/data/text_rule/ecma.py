"""Regular expressions of ECMA-262: reads the part of the language that takes linear time.

A pattern outside of this part is not enforced, as in the other runtimes. `docs/formats.md` of toolc has the table.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Union

from ...text.strings import is_alphanumeric, is_digits

# The maximum number of characters and classes in a pattern, repetitions multiplied.
_MAX_WEIGHT: Final = 2_000
# The maximum depth of groups.
_MAX_DEPTH: Final = 40
_MAX_CODE: Final = 0x10FFFF
_HEX: Final = frozenset("0123456789abcdefABCDEF")

Ranges = tuple[tuple[int, int], ...]
"""A set of characters, as the first and the last code of ranges."""


class Set(NamedTuple):
    """One character of a set, or of all others."""

    ranges: Ranges
    is_complement: bool = False


class Assertion(NamedTuple):
    """A place in the text: `^`, `$`, `b` for the boundary of a word, `B` for other places."""

    kind: str


class Repetition(NamedTuple):
    """A repetition. `most` is `None` if there is no maximum."""

    part: Part
    least: int
    most: int | None


class Alternatives(NamedTuple):
    """Sequences, one of which must match."""

    sequences: tuple[tuple[Part, ...], ...]


Part = Union[Set, Assertion, Repetition, Alternatives]


class Pattern(NamedTuple):
    """A pattern that the engine can hold."""

    root: Alternatives
    weight: int
    """The number of characters and classes, repetitions multiplied."""


class InvalidPatternError(ValueError):
    """The text is not a regular expression of ECMA-262."""


def is_valid(text: str) -> bool:
    """Returns whether `text` is a regular expression of ECMA-262."""
    try:
        read(text)
    except InvalidPatternError:
        return False
    return True


def read(text: str) -> Pattern | None:
    """Reads a pattern. Returns `None` if the engine cannot hold it. Raises `InvalidPatternError`."""
    reader = _Reader(text)
    root, weight = reader.alternatives(0)
    if reader.at < len(text):
        raise InvalidPatternError
    return None if reader.is_outside or weight > _MAX_WEIGHT else Pattern(root, max(weight, 1))


def _codes(*ranges: str) -> Ranges:
    return tuple((ord(one[0]), ord(one[-1])) for one in ranges)


_DIGITS: Final = _codes("09")
_WORD: Final = _codes("09", "AZ", "_", "az")
# `WhiteSpace` and `LineTerminator`.
_SPACE: Final = _codes("\t\r", " ", "\xa0", "\u1680", "\u2000\u200a", "\u2028\u2029", "\u202f", "\u205f", "\u3000", "\ufeff")
_LINE_ENDS: Final = _codes("\n", "\r", "\u2028\u2029")
_SETS: Final = {
    "d": Set(_DIGITS),
    "D": Set(_DIGITS, True),
    "w": Set(_WORD),
    "W": Set(_WORD, True),
    "s": Set(_SPACE),
    "S": Set(_SPACE, True),
}
_CONTROLS: Final = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}


def complement(ranges: Ranges) -> Ranges:
    """Returns all characters that are not in these ranges, which need not be sorted."""
    others: list[tuple[int, int]] = []
    start = 0
    for first, last in sorted(ranges):
        if start < first:
            others.append((start, first - 1))
        start = max(start, last + 1)
    if start <= _MAX_CODE:
        others.append((start, _MAX_CODE))
    return tuple(others)


def _of(letter: str) -> Set:
    return Set(((ord(letter), ord(letter)),))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        # Whether a part is outside of what the engine can hold. Reading goes on, because the pattern may be invalid as well.
        self.is_outside = False
        # Whether the rest was skipped because it is too deep.
        self.is_cut = False

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def next(self) -> str:
        letter = self.peek()
        self.at += 1
        return letter

    def eat(self, text: str) -> bool:
        is_next = self.text.startswith(text, self.at)
        if is_next:
            self.at += len(text)
        return is_next

    def alternatives(self, depth: int) -> tuple[Alternatives, int]:
        """Reads alternatives up to the end of their group. Returns them with their weight."""
        if depth > _MAX_DEPTH:
            self.at, self.is_cut, self.is_outside = len(self.text), True, True
            return Alternatives(()), 0
        sequences: list[list[Part]] = [[]]
        weight = 0
        while (letter := self.peek()) and letter != ")":
            start = self.at
            self.at += 1
            if letter == "|":
                sequences.append([])
            elif letter in "^$":
                sequences[-1].append(Assertion(letter))
            elif letter == "\\" and self.peek() in ("b", "B"):
                sequences[-1].append(Assertion(self.next()))
            elif letter in "*+?":
                raise InvalidPatternError
            else:
                part, own_weight = self.atom(letter, start, depth)
                least, most, times = self.repetition()
                weight += own_weight * times
                sequences[-1].append(part if (least, most) == (1, 1) else Repetition(part, least, most))
        return Alternatives(tuple(map(tuple, sequences))), weight

    def atom(self, letter: str, start: int, depth: int) -> tuple[Part, int]:
        """Reads the rest of what can be repeated. Returns it with its weight."""
        if letter == "(":
            return self.group(start, depth)
        if letter == "[":
            return self.class_(), 1
        if letter == ".":
            return Set(_LINE_ENDS, True), 1
        if letter == "\\":
            return self.escape(False) or _of("a"), 1
        if letter == "{":
            self.at = start
            if self.counts() is not None:
                raise InvalidPatternError
            self.at = start + 1
        return _of(letter), 1

    def group(self, start: int, depth: int) -> tuple[Part, int]:
        self.at = start
        if any(map(self.eat, ("(?=", "(?!", "(?<=", "(?<!"))):
            self.is_outside = True
        elif self.eat("(?<"):
            name, end, _ = self.text[self.at :].partition(">")
            if not end or not name or name[0].isnumeric() or not all(_is_of_name(letter) for letter in name):
                raise InvalidPatternError
            self.at += len(name) + 1
        elif not self.eat("(?:") and self.eat("(?"):
            flags, end, _ = self.text[self.at :].partition(":")
            if not end or flags == "-" or len(set(flags)) < len(flags) or not set(flags) <= set("ims-"):
                raise InvalidPatternError
            self.at += len(flags) + 1
            self.is_outside = True
        elif self.at == start:
            self.at += 1
        part, weight = self.alternatives(depth + 1)
        if not self.eat(")") and not self.is_cut:
            raise InvalidPatternError
        return part, weight + 1

    def repetition(self) -> tuple[int, int | None, int]:
        """Reads a repetition, if there is one. Returns its least and most count, and by how much it multiplies the weight."""
        start = self.at
        sign = self.peek()
        least, times = 1, 1
        most: int | None = 1
        if sign and sign in "*+?":
            self.at += 1
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        elif sign == "{" and (counts := self.counts()) is not None:
            least, most = counts
            times = max(least if most is None else most, 1)
        else:
            self.at = start
            return 1, 1, 1
        # Whether a repetition is lazy does not change whether a text matches.
        self.eat("?")
        return least, most, times

    def counts(self) -> tuple[int, int | None] | None:
        """Reads `{2}`, `{2,}` or `{2,5}`. Otherwise, the position is undefined."""
        inner, end, _ = self.text[self.at + 1 :].partition("}")
        if not end or self.peek() != "{":
            return None
        first, comma, second = inner.partition(",")
        if not first or not is_digits(first) or not is_digits(second):
            return None
        least = _count(first)
        most = _count(second) if second else None if comma else least
        self.at += len(inner) + 2
        if most is not None and most < least:
            raise InvalidPatternError
        return least, most

    def class_(self) -> Set:
        """Reads the rest of a class."""
        is_complement = self.eat("^")
        if self.eat("]"):
            self.is_outside = True
            return _of("a")
        ranges: list[tuple[int, int]] = []
        while True:
            letter = self.next()
            if not letter:
                raise InvalidPatternError
            if letter == "]":
                return Set(tuple(ranges), is_complement)
            first = self.escape(True) if letter == "\\" else _of(letter)
            if first is None:
                continue
            following = self.text[self.at : self.at + 2]
            if _is_single(first) and len(following) == 2 and following[0] == "-" and following[1] != "]":
                self.at += 1
                ranges.extend(self.range(first.ranges[0][0]))
            else:
                ranges.extend(complement(first.ranges) if first.is_complement else first.ranges)

    def range(self, first: int) -> Ranges:
        """Reads the second character of a range in a class."""
        letter = self.next()
        last = self.escape(True) if letter == "\\" else _of(letter)
        if last is None:
            return ()
        if _is_single(last):
            if last.ranges[0][0] < first:
                raise InvalidPatternError
            return ((first, last.ranges[0][0]),)
        # As browsers do, the sign is taken for itself.
        others = complement(last.ranges) if last.is_complement else last.ranges
        return ((first, first), (ord("-"), ord("-")), *others)

    def escape(self, in_class: bool) -> Set | None:
        """Reads the rest of an escape. Returns `None` if it is outside of the subset."""
        letter = self.next()
        if not letter:
            raise InvalidPatternError
        if letter in _SETS:
            return _SETS[letter]
        if letter in _CONTROLS:
            return _of(_CONTROLS[letter])
        if letter == "b" and in_class:
            return _of("\b")
        if letter == "0" and not (self.peek().isascii() and self.peek().isdigit()):
            return _of("\0")
        if letter in "xuc":
            after = self.at
            code = self.coded(letter)
            if code is not None:
                return Set(((code, code),))
            self.at = after
        elif letter == "k" and not in_class:
            self.braced("<", ">")
        elif letter in "pP":
            self.braced("{", "}")
        elif not is_alphanumeric(letter):
            return _of(letter)
        self.is_outside = True
        return None

    def braced(self, opening: str, closing: str) -> str | None:
        """Skips text in brackets, and returns it, if there is any."""
        if self.peek() != opening:
            return None
        inner, end, _ = self.text[self.at + 1 :].partition(closing)
        if not end:
            return None
        self.at += len(inner) + 2
        return inner

    def coded(self, kind: str) -> int | None:
        r"""Reads the rest of `\x41`, `\u0041`, `\u{41}` or `\cA`. Returns `None` if it is not a character."""
        if kind == "c":
            letter = self.next()
            return ord(letter) % 32 if letter.isascii() and letter.isalpha() else None
        if kind == "u" and self.peek() == "{":
            digits = self.braced("{", "}")
            if not digits or not set(digits) <= _HEX:
                return None
            code = int(digits, 16)
            return code if code <= _MAX_CODE and not 0xD800 <= code <= 0xDFFF else None
        high = self.digits(2 if kind == "x" else 4)
        if high is None or not 0xD800 <= high <= 0xDFFF:
            return high
        # Two escapes of UTF-16 are one character.
        low = self.digits(4) if high < 0xDC00 and self.eat("\\u") else None
        is_pair = low is not None and 0xDC00 <= low < 0xE000
        return 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00 if low is not None and is_pair else None

    def digits(self, count: int) -> int | None:
        digits = self.text[self.at : self.at + count]
        if len(digits) < count or not set(digits) <= _HEX:
            return None
        self.at += count
        return int(digits, 16)


def _is_of_name(letter: str) -> bool:
    return letter.isalnum() or letter in "_$"


def _is_single(one: Set) -> bool:
    return not one.is_complement and len(one.ranges) == 1 and one.ranges[0][0] == one.ranges[0][1]


def _count(digits: str) -> int:
    """Returns a count. A number that is far too large counts as one that is too large."""
    return int(digits) if len(digits) <= 9 else 10**9
