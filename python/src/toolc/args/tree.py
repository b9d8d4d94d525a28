"""Parsing JSON text into a tree, with two checks that `json` lacks, the depth and duplicate keys, and exact numbers.

Valid text is parsed by the decoder of the standard library. Text that it refuses, or might read differently from the other
runtimes, is parsed again by a parser that knows where and why a text is not JSON.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Final, NoReturn

from .. import number
from ..types import Json
from .expectation_text import quoted

TOO_DEEP: Final = "arrays and objects are nested too deeply"
OUT_OF_RANGE: Final = "number out of range"

_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NOT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_NESTING: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
# Half of a character of UTF-16, without the other half.
_LONE_SURROGATE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
# A zero with a sign is a float.
_NEGATIVE_ZERO: Final = re.compile(r"(?:^|[\s,:\[])-0(?![.0-9])")


class JsonError(ValueError):
    """Why and where a text is not JSON, in the words of the other runtimes."""

    def __init__(self, message: str, line: int, column: int, is_cut_off: bool = False) -> None:
        super().__init__(f"{message} at line {line} column {column}")
        self.line = line
        self.column = column
        """The number of bytes of UTF-8 from the beginning of the line."""
        self.is_cut_off = is_cut_off


class _UnsureError(ValueError):
    """The decoder may read the text differently."""


def parse(text: str, depth: int, unique: bool) -> Json:
    """Parses the whole `text` as one value with at most `depth` nested levels. `unique`: a duplicate key is an error; otherwise,
    the last one wins. Raises `JsonError`."""
    if is_nested_deeper(text, depth) or may_be_read_differently(text):
        return _Parser(text, depth, unique).whole()
    try:
        value: Json = (_UNIQUE if unique else _LAST_WINS).decode(text)
        _check_numbers(value)
    except ValueError:
        return _Parser(text, depth, unique).whole()
    return value


def is_nested_deeper(text: str, depth: int) -> bool:
    """Returns whether the brackets outside of strings are nested deeper than `depth`. Text that is not JSON may count as deeper."""
    if text.count("[") + text.count("{") <= depth:
        return False
    brackets = _STRING.sub("", text).encode(errors="replace").translate(None, _NOT_BRACKETS)
    return max(accumulate(map(_NESTING.__getitem__, brackets)), default=0) > depth


def may_be_read_differently(text: str) -> bool:
    """Returns whether the decoder of the standard library may accept what is not JSON, or loses the sign of a zero."""
    return ("\\u" in text and _SURROGATE.search(text) is not None and _holds_lone_surrogate(text)) or (
        "-0" in text and _NEGATIVE_ZERO.search(text) is not None
    )


def _holds_lone_surrogate(text: str) -> bool:
    """Returns whether an escape may be half of a character of UTF-16, without the other half next to it."""
    # An escaped backslash begins no other escape.
    return _LONE_SURROGATE.search(text.replace("\\\\", " ")) is not None


def unique_object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Returns the object with these entries. Raises `ValueError` for a duplicate key."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise _UnsureError
    return entries


def refuse_constant(_: str) -> NoReturn:
    """Refuses `NaN` and `Infinity`, which are not JSON."""
    raise _UnsureError


_UNIQUE: Final = json.JSONDecoder(object_pairs_hook=unique_object, parse_constant=refuse_constant)
_LAST_WINS: Final = json.JSONDecoder(parse_constant=refuse_constant)


def decode_unique(text: str) -> Json:
    """Decodes JSON whose keys are unique, without a look at numbers. Raises `ValueError`."""
    value: Json = _UNIQUE.decode(text)
    return value


def _check_numbers(value: Json) -> None:
    """Raises `ValueError` if a number may have been rounded, or has more than 64 bits."""
    if isinstance(value, dict):
        for item in value.values():
            _check_numbers(item)
    elif isinstance(value, list):
        for item in value:
            _check_numbers(item)
    elif isinstance(value, float):
        if abs(value) >= 2.0**53:
            raise _UnsureError
    elif isinstance(value, int) and not number.I64_MIN <= value <= number.U64_MAX:
        raise _UnsureError


_SPACE: Final = re.compile(rb"[ \t\n\r]*")
_INTEGER: Final = re.compile(rb"0|[1-9][0-9]*")
_FRACTION: Final = re.compile(rb"[0-9]+")
_PLAIN: Final = re.compile(rb'[^"\\\x00-\x1f]*')
_HEX: Final = re.compile(rb"[0-9a-fA-F]{4}")
_WORDS: Final[dict[int, tuple[bytes, Json]]] = {
    ord("n"): (b"null", None),
    ord("t"): (b"true", True),
    ord("f"): (b"false", False),
}
_ESCAPES: Final = {
    ord('"'): b'"',
    ord("\\"): b"\\",
    ord("/"): b"/",
    ord("b"): b"\b",
    ord("f"): b"\f",
    ord("n"): b"\n",
    ord("r"): b"\r",
    ord("t"): b"\t",
}
_MAX_EXPONENT: Final = 2**31 - 1


class _Parser:
    """A parser whose errors are those of the crate `serde_json`: the same words, and the same positions in bytes."""

    def __init__(self, text: str, depth: int, unique: bool) -> None:
        self.data = text.encode()
        self.at = 0
        self.depth = depth
        self.unique = unique

    def whole(self) -> Json:
        value = self.value(self.depth)
        if self.peek() >= 0:
            self.fail("trailing characters", self.at + 1)
        return value

    def fail(self, message: str, at: int, is_cut_off: bool = False) -> NoReturn:
        """Raises an error for the bytes before `at`."""
        at = min(at, len(self.data))
        start = self.data.rfind(b"\n", 0, at) + 1
        raise JsonError(message, self.data.count(b"\n", 0, start) + 1, at - start, is_cut_off)

    def cut_off(self) -> NoReturn:
        self.fail("", len(self.data), is_cut_off=True)

    def peek(self) -> int:
        """Skips white space, and returns the next byte, or -1 at the end."""
        found = _SPACE.match(self.data, self.at)
        assert found is not None
        self.at = found.end()
        return self.here()

    def here(self) -> int:
        return self.data[self.at] if self.at < len(self.data) else -1

    def value(self, depth: int) -> Json:
        first = self.peek()
        if first == ord('"'):
            return self.string()
        if first == ord("[") or first == ord("{"):
            self.at += 1
            if depth == 0:
                self.refuse(TOO_DEEP, "]" if first == ord("[") else "}")
            return self.array(depth - 1) if first == ord("[") else self.object(depth - 1)
        if first == ord("-") or ord("0") <= first <= ord("9"):
            return self.number()
        if first in _WORDS:
            return self.word(*_WORDS[first])
        return self.cut_off() if first < 0 else self.fail("expected value", self.at + 1)

    def refuse(self, message: str, close: str) -> NoReturn:
        """Fails at the end of an array or object, which is looked for first."""
        following = self.peek()
        is_skipped = following == ord(close) or (following == ord(",") and close == "]")
        self.at += is_skipped
        if is_skipped and following == ord(","):
            self.peek()
        self.fail(message, self.at)

    def word(self, word: bytes, value: Json) -> Json:
        for letter in word:
            if self.here() < 0:
                self.cut_off()
            self.at += 1
            if self.data[self.at - 1] != letter:
                self.fail("expected ident", self.at)
        return value

    def array(self, depth: int) -> list[Json]:
        items: list[Json] = []
        while True:
            following = self.peek()
            if following < 0:
                self.cut_off()
            if following == ord("]"):
                self.at += 1
                return items
            if items:
                if following != ord(","):
                    self.fail("expected `,` or `]`", self.at + 1)
                self.at += 1
                following = self.peek()
                if following == ord("]"):
                    self.fail("trailing comma", self.at + 1)
                if following < 0:
                    self.cut_off()
            items.append(self.value(depth))

    def object(self, depth: int) -> dict[str, Json]:
        entries: dict[str, Json] = {}
        is_first = True
        while True:
            following = self.peek()
            if following < 0:
                self.cut_off()
            if following == ord("}"):
                self.at += 1
                return entries
            if not is_first:
                if following != ord(","):
                    self.fail("expected `,` or `}`", self.at + 1)
                self.at += 1
                following = self.peek()
                if following == ord("}"):
                    self.fail("trailing comma", self.at + 1)
                if following < 0:
                    self.cut_off()
            is_first = False
            if following != ord('"'):
                self.fail("key must be a string", self.at + 1)
            key = self.string()
            following = self.peek()
            if following < 0:
                self.cut_off()
            if following != ord(":"):
                self.fail("expected `:`", self.at + 1)
            self.at += 1
            value = self.value(depth)
            if self.unique and key in entries:
                self.refuse(f"the key {quoted(key)} occurs twice in one object", "}")
            entries[key] = value

    def number(self) -> number.Number:
        start = self.at
        self.at += self.here() == ord("-")
        found = _INTEGER.match(self.data, self.at)
        if found is None:
            if self.here() < 0:
                self.cut_off()
            self.fail("invalid number", self.at + 1)
        self.at = found.end()
        following = self.here()
        if found[0] == b"0" and ord("0") <= following <= ord("9"):
            self.fail("invalid number", self.at + 1)
        if following == ord("."):
            self.at += 1
            found = _FRACTION.match(self.data, self.at)
            if found is None:
                if self.here() < 0:
                    self.cut_off()
                self.fail("invalid number", self.at + 1)
            self.at = found.end()
            following = self.here()
        if following in (ord("e"), ord("E")):
            self.exponent(self.data[start : self.at])
        parsed = number.parse(self.data[start : self.at].decode())
        if parsed is None:
            self.fail(OUT_OF_RANGE, self.at)
        return parsed

    def exponent(self, significand: bytes) -> None:
        self.at += 1
        is_negative = self.here() == ord("-")
        self.at += is_negative or self.here() == ord("+")
        found = _FRACTION.match(self.data, self.at)
        if found is None:
            if self.here() < 0:
                self.cut_off()
            self.fail("invalid number", self.at + 1)
        if not is_negative and significand.strip(b"-0."):
            size = 0
            for index, digit in enumerate(found[0]):
                size = size * 10 + digit - ord("0")
                if size > _MAX_EXPONENT:
                    self.fail(OUT_OF_RANGE, self.at + index + 1)
        self.at = found.end()

    def string(self) -> str:
        self.at += 1
        parts: list[bytes] = []
        while True:
            found = _PLAIN.match(self.data, self.at)
            assert found is not None
            parts.append(found[0])
            self.at = found.end() + 1
            end = self.data[found.end() : self.at]
            if end == b'"':
                return b"".join(parts).decode()
            if not end:
                self.cut_off()
            if end != b"\\":
                self.fail("control character (\\u0000-\\u001F) found while parsing a string", self.at)
            parts.append(self.escape())

    def escape(self) -> bytes:
        letter = self.here()
        if letter < 0:
            self.cut_off()
        self.at += 1
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter != ord("u"):
            self.fail("invalid escape", self.at)
        code = self.hex()
        if 0xDC00 <= code <= 0xDFFF:
            self.fail("lone leading surrogate in hex escape", self.at)
        if 0xD800 <= code <= 0xDBFF:
            for expected in b"\\u":
                following = self.here()
                if following < 0:
                    self.cut_off()
                self.at += 1
                if following != expected:
                    self.fail("unexpected end of hex escape", self.at)
            low = self.hex()
            if not 0xDC00 <= low <= 0xDFFF:
                self.fail("lone leading surrogate in hex escape", self.at)
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        return chr(code).encode()

    def hex(self) -> int:
        digits = self.data[self.at : self.at + 4]
        if len(digits) < 4:
            self.cut_off()
        self.at += 4
        if _HEX.fullmatch(digits) is None:
            self.fail("invalid escape", self.at)
        return int(digits, 16)
