from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Literal, Optional, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class ToolError(Exception):
    """The error of a call. `kind` is a word for programs, such as `invalid_arguments` or `denied`; `problems` lists what is
    wrong with the arguments."""

    def __init__(self, message: str, kind: str = "failed", problems: Optional[List[Any]] = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.problems = problems or []


_run: Optional[Callable[[str, Dict[str, Any]], Any]] = None


def connect(run: Callable[[str, Dict[str, Any]], Any]) -> None:
    """Sets the function that runs calls. It gets the name of a tool and the arguments, and returns the result or raises
    `ToolError`."""
    global _run
    _run = run


def _call(tool: str, required: Dict[str, Any], optional: Dict[str, Any]) -> Any:
    if _run is None:
        raise ToolError("the tools are not connected: pass the function that runs calls to `connect`")
    return _run(tool, {**required, **{name: value for name, value in optional.items() if value is not None}})
