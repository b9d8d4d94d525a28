"""Operations on texts that count bytes of UTF-8 and know only ASCII case, as the other runtimes do."""

from __future__ import annotations

from typing import Final

# The property `White_Space` of Unicode. `str.strip()` without an argument also removes U+001C to U+001F.
_WHITE_SPACE: Final = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_LOWER: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def trim(text: str) -> str:
    """Returns `text` without white space at its ends."""
    return text.strip(_WHITE_SPACE)


def trim_start(text: str) -> str:
    """Returns `text` without white space at its beginning."""
    return text.lstrip(_WHITE_SPACE)


def trim_end(text: str) -> str:
    """Returns `text` without white space at its end."""
    return text.rstrip(_WHITE_SPACE)


def is_space(letter: str) -> bool:
    """Returns whether a character is white space."""
    return letter in _WHITE_SPACE


def ascii_lower(text: str) -> str:
    """Returns `text` with the letters of ASCII in lower case."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


def byte_len(text: str) -> int:
    """Returns the length of `text` in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def beginning(text: str, size: int) -> str:
    """Returns as many characters from the beginning of `text` as fit into `size` bytes of UTF-8."""
    if len(text) <= size // 4:
        return text
    head = text[:size]
    return head if head.isascii() else head.encode()[:size].decode(errors="ignore")


def is_digits(text: str) -> bool:
    """Returns whether `text` consists of digits of ASCII, also if it is empty."""
    return not text or (text.isascii() and text.isdigit())


def is_alphanumeric(letter: str) -> bool:
    """Returns whether a character is a letter or digit of ASCII."""
    return letter.isascii() and letter.isalnum()
