"""Reading a compiled catalog: each value has its place, so that an error can name it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from ..errors import CatalogError
from ..text.json import string
from ..types import Json

_T = TypeVar("_T")
_NOUNS: Final[dict[type, str]] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "an object",
    type(None): "null",
}


class Document:
    """A value of a compiled catalog."""

    __slots__ = ("path", "value")

    def __init__(self, value: Json, path: str = "") -> None:
        self.value = value
        self.path = path

    def fail(self, expected: str) -> CatalogError:
        """Returns the error that something else was expected here."""
        place = self.path or "the document"
        actual = _NOUNS.get(type(self.value), type(self.value).__name__)
        return CatalogError(f"this is not a compiled catalog: {place}: expected {expected}, got {actual}")

    def get(self, key: str) -> Document | None:
        """Returns the value of a key of an object, or `None` without it."""
        entries = self.object()
        return Document(entries[key], f"{self.path}/{key}") if key in entries else None

    def require(self, key: str) -> Document:
        """Returns the value of a key of an object."""
        found = self.get(key)
        if found is None:
            raise CatalogError(f"this is not a compiled catalog: {self.path or 'the document'}: the key {string(key)} is missing")
        return found

    def object(self) -> dict[str, Json]:
        """Returns the value, which must be an object."""
        if not isinstance(self.value, dict):
            raise self.fail("an object")
        return self.value

    def items(self) -> Iterator[Document]:
        """Yields the items of an array."""
        if not isinstance(self.value, list):
            raise self.fail("an array")
        for index, item in enumerate(self.value):
            yield Document(item, f"{self.path}/{index}")

    def text(self) -> str:
        """Returns the value, which must be a string."""
        if not isinstance(self.value, str):
            raise self.fail("a string")
        return self.value

    def flag(self) -> bool:
        """Returns the value, which must be a boolean."""
        if not isinstance(self.value, bool):
            raise self.fail("a boolean")
        return self.value

    def number(self) -> int | float:
        """Returns the value, which must be a number."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise self.fail("a number")
        return self.value

    def index(self, end: int) -> int:
        """Returns an integer from 0 to `end`, which is excluded."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not 0 <= self.value < end:
            raise self.fail(f"an integer from 0 to {end - 1}")
        return self.value

    def optional(self, key: str, read: Callable[[Document], _T]) -> _T | None:
        """Returns what `read` makes of the value of a key, or `None` without it."""
        found = self.get(key)
        return None if found is None else read(found)

    def is_set(self, key: str) -> bool:
        """Returns whether a boolean is true. Without the key, it is false."""
        found = self.get(key)
        return found is not None and found.flag()

    def texts(self, key: str) -> tuple[str, ...]:
        """Returns an array of strings. Without the key, it is empty."""
        found = self.get(key)
        return () if found is None else tuple(item.text() for item in found.items())
