"""The rules of repair. `docs/repair.md` of toolc explains them."""

from __future__ import annotations

from enum import Enum


class RepairRule(str, Enum):
    """A rule by which arguments are repaired."""

    TOOL_NAME = "tool_name"
    """A tool gets its declared name."""
    EMPTY_ARGUMENTS = "empty_arguments"
    """Missing arguments become `{}`."""
    PARAMETER_NAME = "parameter_name"
    """A parameter gets its declared name."""
    NULL_WORD = "null_word"
    """The string `null` becomes null."""
    ENUM_WORD = "enum_word"
    """A string becomes a word of the `enum`."""
    NUMBER = "number"
    """A string becomes a number."""
    BOUND = "bound"
    """A number beyond a bound becomes the nearest allowed number."""
    BOOLEAN = "boolean"
    """A string becomes a boolean."""
    JSON_TEXT = "json_text"
    """A string becomes the array or object whose JSON it holds."""
    ALMOST_JSON = "almost_json"
    """A text that is almost JSON becomes an array or object."""
    REPETITION = "repetition"
    """Arguments that are said twice become one object."""
    CODE_FENCE = "code_fence"
    """A code fence is removed."""
    STRING = "string"
    """A number or boolean becomes a string."""
    SINGLE_ITEM = "single_item"
    """A value becomes an array with this one item."""

    def __str__(self) -> str:
        return self.value
