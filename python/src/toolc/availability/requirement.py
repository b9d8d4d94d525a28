"""Requirements of tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Union

from ..data import condition
from ..data.condition import Condition
from ..data.document import Document

Names = tuple[str, ...]


class Variables(NamedTuple):
    """All, or at least one, of these environment variables are set and not empty."""

    names: Names
    needs_all: bool


class Programs(NamedTuple):
    """All of these programs are found."""

    names: Names


class Systems(NamedTuple):
    """The operating system is one of these."""

    names: Names


class Tools(NamedTuple):
    """All, or at least one, of these tools are shown."""

    names: Names
    needs_all: bool


class When(NamedTuple):
    """A condition over facts holds."""

    condition: Condition


class Alternatives(NamedTuple):
    """At least one of these requirements is met."""

    requirements: tuple[Variables | Programs | When, ...]


class Check(NamedTuple):
    """The program reports the tool or the toolset of this name as available."""

    subject: str


Requirement = Union[Variables, Programs, Systems, Tools, When, Alternatives, Check]
"""A requirement of a tool, or of all home tools of a toolset."""


def read(document: Document | None, subject: str) -> tuple[Requirement, ...]:
    """Reads the requirements of a tool or toolset, in the order in which they are evaluated."""
    return () if document is None else tuple(_read(document, subject))


def _read(document: Document, subject: str) -> Iterator[Requirement]:
    if names := document.texts("env"):
        yield Variables(names, True)
    if names := document.texts("any_env"):
        yield Variables(names, False)
    if names := document.texts("programs"):
        yield Programs(names)
    if names := document.texts("os"):
        yield Systems(names)
    if names := document.texts("tools"):
        yield Tools(names, True)
    if names := document.texts("any_tools"):
        yield Tools(names, False)
    if (alternatives := document.get("any")) is not None:
        yield Alternatives(tuple(_alternative(one) for one in alternatives.items()))
    if (when := document.get("condition")) is not None:
        yield When(condition.read(when))
    if document.is_set("check"):
        yield Check(subject)


def _alternative(document: Document) -> Variables | Programs | When:
    if names := document.texts("env"):
        return Variables(names, True)
    if names := document.texts("programs"):
        return Programs(names)
    return When(condition.read(document.require("condition")))


def described(requirement: Requirement) -> str:
    """Returns what is needed, as the end of a sentence that begins with "needs"."""
    if isinstance(requirement, Variables):
        return (_all_of if requirement.needs_all else _one_of)("environment variable", requirement.names)
    if isinstance(requirement, Programs):
        return _all_of("program", requirement.names)
    if isinstance(requirement, Tools):
        return (_all_of if requirement.needs_all else _one_of)("tool", requirement.names)
    if isinstance(requirement, When):
        return f"`{condition.to_manifest(requirement.condition)}`"
    if isinstance(requirement, Alternatives):
        return f"one of these: {', '.join(_alternatives(requirement))}"
    return _one_of("system", requirement.names) if isinstance(requirement, Systems) else "its availability check to pass"


def _alternatives(alternatives: Alternatives) -> Iterator[str]:
    """Yields the alternatives. A row of variables is written as one."""
    row: list[str] = []
    for one in (*alternatives.requirements, None):
        if isinstance(one, Variables) and len(one.names) == 1:
            row.extend(one.names)
            continue
        if len(row) == 1:
            yield _all_of("environment variable", row)
        elif row:
            yield f"the environment variables {listed(row, 'or')}"
        row.clear()
        if one is not None:
            yield described(one)


def _all_of(noun: str, names: Names | list[str]) -> str:
    return f"the {noun}{'' if len(names) == 1 else 's'} {listed(names, 'and')}"


def _one_of(noun: str, names: Names | list[str]) -> str:
    return _all_of(noun, names) if len(names) == 1 else f"one of the {noun}s {listed(names, 'and')}"


def listed(names: Names | list[str], last: str) -> str:
    """Returns a list, for example "`a`, `b` and `c`"."""
    quoted = [f"`{name}`" for name in names]
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}" if len(quoted) > 1 else "".join(quoted)
