"""Errors of calls, which the model gets as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from ..text.json import compact, string
from ..types import Json
from .scrub import MAX_CHARS, scrub

# The maximum length of each text of a problem, in characters. Problems contain keys that the model made up.
_MAX_PROBLEM_CHARS: Final = 500
# The keys of an error's JSON that are not fields.
_OWN_KEYS: Final = ("error", "kind", "problems")


class ErrorKind(str, Enum):
    """The kind of a `ToolError`, which programs can match on."""

    MALFORMED_ARGUMENTS = "malformed_arguments"
    """The arguments are not a valid JSON object, or exceed the limits on size and depth."""
    INVALID_ARGUMENTS = "invalid_arguments"
    """The arguments do not satisfy the tool's schema: see `ToolError.problems`."""
    UNKNOWN_TOOL = "unknown_tool"
    """The turn has no tool of this name."""
    FAILED = "failed"
    """The handler failed."""
    REFUSED = "refused"
    """The handler refused the call for safety, for example because of a path or a command."""
    NOT_FOUND = "not_found"
    """A resource that the call needs, such as a file, does not exist."""

    def __str__(self) -> str:
        return self.value


class Problem(NamedTuple):
    """A problem with the arguments of a call."""

    path: str
    """The path of the value: a JSON Pointer (RFC 6901) into the arguments. Empty for the arguments as a whole."""
    expected: str
    """A description of what the schema requires."""
    got: str
    """A description of the actual value. Long values are truncated."""


class ToolError(Exception):
    """The error of a failed call. A handler raises it to say more to the model than that it failed."""

    def __init__(
        self,
        message: str,
        *,
        kind: ErrorKind = ErrorKind.FAILED,
        problems: Sequence[Problem] = (),
        fields: Mapping[str, Json] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        """The message for the model, which should say what to do instead."""
        self.kind = ErrorKind(kind)
        """The kind of the error."""
        self.problems = tuple(problems)
        """The problems of the arguments."""
        self.fields = {f"{name}_" if name in _OWN_KEYS else name: value for name, value in (fields or {}).items()}
        """What the model can act on, such as an exit code or the path of a log. A field with the name of one of the error's own keys gets
        a `_` at the end of its name."""

    def to_json(self) -> str:
        """Returns the JSON that the model gets. Its strings are scrubbed of anything that a model could mistake for structure, such
        as tags, and truncated: the message to 2,000 characters, each text of a problem to 500. A field whose JSON is longer than 2,000
        characters becomes a string with the beginning of it."""
        parts = [f'{{"error":{string(scrub(self.message, MAX_CHARS))},"kind":{string(self.kind.value)}']
        if self.problems:
            parts.append(f',"problems":[{",".join(map(_problem_json, self.problems))}]')
        parts.extend(f",{string(scrub(name, _MAX_PROBLEM_CHARS))}:{_field_json(value)}" for name, value in self.fields.items())
        return "".join((*parts, "}"))

    def __repr__(self) -> str:
        return f"ToolError({self.message!r}, kind={self.kind.value!r})"


def _field_json(value: Json) -> str:
    text = compact(_scrubbed(value))
    return string(scrub(text, MAX_CHARS)) if len(text) > MAX_CHARS and not isinstance(value, str) else text


def _scrubbed(value: Json) -> Json:
    """Returns a value whose keys and strings are scrubbed."""
    if isinstance(value, str):
        return scrub(value, MAX_CHARS)
    if isinstance(value, list):
        return [_scrubbed(item) for item in value]
    if isinstance(value, dict):
        return {scrub(key, _MAX_PROBLEM_CHARS): _scrubbed(item) for key, item in value.items()}
    return value


def _problem_json(problem: Problem) -> str:
    path, expected, got = (string(scrub(text, _MAX_PROBLEM_CHARS)) for text in (problem.path, problem.expected, problem.got))
    return f'{{"path":{path},"expected":{expected},"got":{got}}}'
