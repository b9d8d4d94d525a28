"""Calls: what a model wants to run, and the responses to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .args.repairs import Repair
from .result.error import ToolError


class Call:
    """A call whose arguments are valid."""

    def __init__(self, tool: str, arguments: dict[str, Any], find_repairs: Callable[[], Sequence[Repair]]) -> None:
        self.tool = tool
        """The tool's own name."""
        self.arguments = arguments
        """The arguments, repaired and valid, with the defaults of what the model left out."""
        self._find_repairs = find_repairs

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """What was repaired: at most 100 changes. The list is made when it is first read."""
        return tuple(self._find_repairs())

    def __repr__(self) -> str:
        return f"Call({self.tool!r}, {self.arguments!r})"


@dataclass(frozen=True)
class Response:
    """The response to a call."""

    text: str
    """What the model gets: the text that the handler has returned, or the JSON of any other value, or of the error."""
    error: ToolError | None = None
    """Why the call failed, or `None`. The exception of the handler is its `__cause__`."""
    call: Call | None = None
    """The call, or `None` if it could not be read."""

    @property
    def is_error(self) -> bool:
        """Whether the call failed. Some vendors' APIs have a flag for failed calls."""
        return self.error is not None

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What was repaired in the call. Empty if it could not be read."""
        return self.call.repairs if self.call else ()
