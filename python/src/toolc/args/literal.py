"""Almost JSON, as models write it: in Python's spelling (`{'a': True, 'b': [None,],}`), or with line breaks inside of strings.

It supports single quotes, Python's constants and escapes, a trailing comma, and line breaks and tabs that are not escaped, also
mixed with JSON. Nothing else of Python is supported: no tuples, sets, prefixes, comments or number forms.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .. import number
from ..types import Json

# The maximum depth of a text that is read for its digits.
_MAX_SPELLED_DEPTH: Final = 127
# The maximum number of objects that say the same.
_MAX_SAID: Final = 16

# The first letter of the strings in which numbers are kept, and of those in which strings are.
_NUMBER: Final = "n"
_TEXT: Final = "t"

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DIGITS: Final = re.compile(r"[0-9+\-.eE]*")
_WORD: Final = re.compile("True|False|None|true|false|null")
_WORDS: Final[dict[str, Json]] = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}
_PLAIN: Final = {quote: re.compile(rf"[^{quote}\\]*") for quote in "'\""}
_STRICTLY_PLAIN: Final = {quote: re.compile(rf"[^{quote}\\\x00-\x08\x0b\x0c\x0e-\x1f]*") for quote in "'\""}
_ESCAPES: Final = {"'": "'", '"': '"', "\\": "\\", "/": "/", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_PYTHON_ESCAPES: Final = {"a": "\a", "v": "\v"}
_HEX: Final = re.compile("[0-9a-fA-F]+")


class NotLiteralError(ValueError):
    """The text is not almost JSON."""


def parse(text: str, depth: int) -> Json:
    """Returns the value in `text`, a string of the arguments, with at most `depth` nested levels."""
    return _Parser(text).whole(depth)


def parse_arguments(text: str, depth: int) -> Json:
    """Returns the value in `text`, which are the arguments as a whole. A key that occurs twice is not accepted, nor are escapes
    that JSON does not have: they show that the model did not escape its backslashes, so that others may be wrong."""
    return _Parser(text, strict=True).whole(depth)


def spelled_value(text: str) -> Json:
    """Returns the value in `text`, JSON or almost JSON, with the digits of its numbers: see `spelling`."""
    return _Parser(text, spells=True).whole(_MAX_SPELLED_DEPTH)


class Spelling(NamedTuple):
    """How a string or a number is written in a value of `spelled_value`."""

    text: str
    """The digits of a number, or the content of a string."""
    is_number: bool


def spelling(spelled: Json) -> Spelling | None:
    """Returns how a string or a number is written."""
    return Spelling(spelled[1:], spelled[0] == _NUMBER) if isinstance(spelled, str) else None


def last_said(text: str) -> str | None:
    """Returns the last of several objects, if all of them are equal, except for empty ones before the others: the model or the
    server has said the arguments twice, or has begun with an empty object."""
    parser = _Parser(text, strict=True, spells=True)
    before: Json = {}
    last: str | None = None
    for _ in range(_MAX_SAID):
        parser.skip_space()
        if parser.at == len(text):
            return last
        start = parser.at
        try:
            value = parser.value(_MAX_SPELLED_DEPTH)
        except NotLiteralError:
            return None
        if not isinstance(value, dict) or before not in ({}, value):
            return None
        before, last = value, text[start : parser.at]
    return None


class _Parser:
    def __init__(self, text: str, *, strict: bool = False, spells: bool = False) -> None:
        self.text = text
        self.at = 0
        # Whether keys must be unique, and escapes those of JSON.
        self.strict = strict
        # Whether numbers and strings are returned with their spelling.
        self.spells = spells
        self.plain = _STRICTLY_PLAIN if strict else _PLAIN

    def whole(self, depth: int) -> Json:
        value = self.value(depth)
        self.skip_space()
        if self.at < len(self.text):
            raise NotLiteralError
        return value

    def skip_space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def eat(self, letter: str) -> bool:
        """Skips white space and `letter`, if that comes next."""
        self.skip_space()
        is_next = self.text.startswith(letter, self.at)
        self.at += is_next
        return is_next

    def value(self, depth: int) -> Json:
        self.skip_space()
        first = self.text[self.at : self.at + 1]
        if first in ("[", "{"):
            if depth == 0:
                raise NotLiteralError
            return self.array(depth - 1) if first == "[" else self.object(depth - 1)
        if first in ("'", '"'):
            text = self.string()
            return _TEXT + text if self.spells else text
        if first == "-" or (first.isascii() and first.isdigit()):
            digits, parsed = self.number()
            return _NUMBER + digits if self.spells else parsed
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise NotLiteralError
        self.at = word.end()
        return _WORDS[word[0]]

    def array(self, depth: int) -> list[Json]:
        self.at += 1
        items: list[Json] = []
        while not self.eat("]"):
            items.append(self.value(depth))
            if not self.eat(","):
                if not self.eat("]"):
                    raise NotLiteralError
                break
        return items

    def object(self, depth: int) -> dict[str, Json]:
        self.at += 1
        entries: dict[str, Json] = {}
        while not self.eat("}"):
            key = self.string()
            if not self.eat(":"):
                raise NotLiteralError
            value = self.value(depth)
            if self.strict and key in entries:
                raise NotLiteralError
            entries[key] = value
            if not self.eat(","):
                if not self.eat("}"):
                    raise NotLiteralError
                break
        return entries

    def number(self) -> tuple[str, number.Number]:
        found = _DIGITS.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        parsed = number.parse(found[0])
        if parsed is None:
            raise NotLiteralError
        return found[0], parsed

    def string(self) -> str:
        quote = self.text[self.at : self.at + 1]
        plain = self.plain.get(quote)
        if plain is None:
            raise NotLiteralError
        self.at += 1
        parts: list[str] = []
        while True:
            found = plain.match(self.text, self.at)
            assert found is not None
            parts.append(found[0])
            self.at = found.end() + 1
            end = self.text[found.end() : self.at]
            if end == quote:
                return "".join(parts)
            if end != "\\":
                raise NotLiteralError
            parts.append(self.escape())

    def escape(self) -> str:
        letter = self.text[self.at : self.at + 1]
        self.at += 1
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter == "u":
            code = self.hex(4)
            if 0xD800 <= code <= 0xDBFF:
                if not self.text.startswith("\\u", self.at):
                    raise NotLiteralError
                self.at += 2
                low = self.hex(4) - 0xDC00
                if not 0 <= low < 0x400:
                    raise NotLiteralError
                code = 0x10000 + ((code - 0xD800) << 10) + low
            return _character(code)
        if self.strict or not letter or letter in "0123456789\nN\r":
            raise NotLiteralError
        if letter in _PYTHON_ESCAPES:
            return _PYTHON_ESCAPES[letter]
        if letter in "xU":
            return _character(self.hex(2 if letter == "x" else 8))
        # Python keeps the backslash of an unknown escape: '\d' is two characters.
        return "\\" + letter

    def hex(self, digits: int) -> int:
        text = self.text[self.at : self.at + digits]
        if len(text) < digits or _HEX.fullmatch(text) is None:
            raise NotLiteralError
        self.at += digits
        return int(text, 16)


def _character(code: int) -> str:
    """Returns a character, which half of a character of UTF-16 is not."""
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        raise NotLiteralError
    return chr(code)
