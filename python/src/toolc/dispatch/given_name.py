"""A name that a model or a person gave, which may be another spelling of a name or an alias."""

from __future__ import annotations

from typing import Final

from ..text.names import same_spelling
from ..text.strings import byte_len, is_digits, trim, trim_end, trim_start

# The namespaces that models put before the names of tools, because functions had them in the training data.
_NAMESPACES: Final = ("functions", "default_api")
# What models write between a namespace and a name.
_SEPARATORS: Final = (".", "::", ":", "/")
# The delimiters of the tokens of chat templates. GPT writes `<|channel|>` after a name.
_TOKENS: Final = (("<|", "|>"), ("<｜", "｜>"))
# The maximum length of a name that may be corrected, in bytes.
_MAX_BYTES: Final = 256


class GivenName:
    """A name as it was given."""

    def __init__(self, given: str) -> None:
        # A name that is too long is not corrected.
        is_short = byte_len(given) <= _MAX_BYTES
        self._spellings = tuple(filter(None, (given, undecorated(given)))) if is_short else ()

    def fits(self, name: str) -> bool:
        """Returns whether this is another spelling of `name`."""
        return any(same_spelling(spelling, name) for spelling in self._spellings)


def undecorated(name: str) -> str | None:
    """Removes what models and servers are known to add to a name: white space, tokens of a chat template and what follows them, the
    number of the call, and a namespace. Returns `None` if nothing was added, or nothing remains."""
    text = _without_prefix(_without_number(_without_tokens(name)))
    bare = trim(text)
    return bare if bare and bare != name else None


def _without_tokens(name: str) -> str:
    """Returns a text without the tokens of a chat template at its beginning, and without what follows a later one."""
    text = trim(name)
    while True:
        for opening, closing in _TOKENS:
            end = text.find(closing, len(opening)) if text.startswith(opening) else -1
            if end >= 0:
                text = trim_start(text[end + len(closing) :])
                break
        else:
            break
    ends = [at for opening, _ in _TOKENS if (at := text.find(opening)) >= 0]
    return trim_end(text[: min(ends, default=len(text))])


def _without_number(name: str) -> str:
    """Returns a name without the number of the call, which Kimi appends."""
    bare, colon, number = name.rpartition(":")
    return bare if colon and number and is_digits(number) else name


def _without_prefix(name: str) -> str:
    """Returns a name without the prefix that models are known to put before it."""
    for namespace in _NAMESPACES:
        if name.startswith(namespace):
            for separator in _SEPARATORS:
                if name.startswith(separator, len(namespace)):
                    return name[len(namespace) + len(separator) :] or name
            break
    return name
