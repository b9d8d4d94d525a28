"""The error for a call of a tool that this turn does not have."""

from __future__ import annotations

from typing import Final

from ..result.error import ErrorKind, ToolError
from ..text.names import same_spelling
from ..text.nearest import nearest_name
from .given_name import undecorated
from .misnamed import ToolNames

# The maximum number of tools that the error lists.
_MAX_LISTED: Final = 20
# The maximum length of a displayed name, in characters. A model may have made the name up, so it can have any length.
_MAX_NAME_CHARS: Final = 64


def unknown_tool(names: ToolNames, sent: str) -> ToolError:
    """Returns the error for a call of a tool that the turn does not show, with a reason or a suggestion."""
    # Otherwise, tags and tokens in the name would be removed from the error.
    shown = sent[:_MAX_NAME_CHARS].replace("<", "\\u{3c}")
    bare = undecorated(sent) or sent
    meant = names.meant(sent)
    for name, reason in names.hidden.items():
        if name == meant or not {name, names.name_in_dialect(name)}.isdisjoint((sent, bare)):
            return _error(f"the tool `{shown}` is not available now: {reason}")
    return _error(f"unknown tool `{shown}`: {_hint(names, bare)}")


def _error(message: str) -> ToolError:
    return ToolError(message, kind=ErrorKind.UNKNOWN_TOOL)


def _hint(names: ToolNames, name: str) -> str:
    near = _nearest(names, name)
    if near:
        return f"did you mean `{'` or `'.join(near)}`?"
    if not names.shown:
        return "no tool is available"
    if len(names.shown) <= _MAX_LISTED:
        return f"the available tools are {', '.join(map(names.name_in_dialect, names.shown))}"
    return f"call one of the {len(names.shown)} tools that are defined"


def _nearest(names: ToolNames, name: str) -> list[str]:
    """Returns the names of the tools that the model may mean: those with a similar name or alias. The model may also write the own name
    of a tool that has another name in this dialect."""
    known = [(one, tool) for tool in names.shown for one in (names.name_in_dialect(tool), tool, *names.tools[tool].aliases)]
    is_known = any(same_spelling(one, name) for one, _ in known)
    similar = [name] if is_known else nearest_name(name, [one for one, _ in known])
    near = (names.name_in_dialect(tool) for like in similar for one, tool in known if same_spelling(one, like))
    return list(dict.fromkeys(near))
