"""The declarations of tools and toolsets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..availability import requirement
from ..availability.requirement import Requirement
from . import definition
from .condition import FactValue
from .definition import Pieces
from .document import Document
from .table import Table


@dataclass(frozen=True)
class Tool:
    """The declaration of a tool."""

    name: str
    """The tool's own name, which is the same in every dialect."""
    toolset: str
    """The home toolset."""
    title: str
    """A title for people. Empty without one."""
    description: str
    """What the tool does, in every turn."""
    aliases: tuple[str, ...]
    """Other names by which models know the tool. No definition shows them."""
    requires: tuple[Requirement, ...] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    """The names in dialects where the tool is not called by its own name."""
    definitions: Mapping[str, Pieces] = field(repr=False)
    """The pieces of the definition in each dialect that has the tool."""
    table: Table = field(repr=False, compare=False)
    """The table of the arguments, with all parts."""

    def name_in(self, dialect: str) -> str:
        """Returns what the tool is called in a dialect."""
        return self.names.get(dialect, self.name)

    @staticmethod
    def read(document: Document, dialects: Collection[str]) -> Tool:
        """Reads a tool of a compiled catalog."""
        name = document.require("name").text()
        definitions = document.require("definitions")
        return Tool(
            name=name,
            toolset=document.require("toolset").text(),
            title=document.optional("title", Document.text) or "",
            description=document.optional("description", Document.text) or "",
            aliases=document.texts("aliases"),
            requires=requirement.read(document.get("requires"), name),
            names={dialect: one.text() for dialect, one in _by_dialect(document.get("names"), dialects)},
            definitions={dialect: definition.read(one) for dialect, one in _by_dialect(definitions, dialects)},
            table=Table.read(document.require("arguments")),
        )


def _by_dialect(document: Document | None, dialects: Collection[str]) -> Iterator[tuple[str, Document]]:
    if document is not None:
        for dialect in document.object():
            if dialect not in dialects:
                raise document.fail("the dialects of the catalog as keys")
            yield dialect, document.require(dialect)


class ToolsetDeclaration(NamedTuple):
    """The declaration of a toolset."""

    name: str
    aliases: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    extends: str | None = None
    excludes: tuple[str, ...] = ()
    closed: bool = False
    requires: tuple[Requirement, ...] = ()

    @staticmethod
    def read(document: Document) -> ToolsetDeclaration:
        """Reads a toolset of a compiled catalog."""
        name = document.require("name").text()
        return ToolsetDeclaration(
            name=name,
            aliases=document.texts("aliases"),
            tools=document.texts("tools"),
            includes=document.texts("includes"),
            extends=document.optional("extends", Document.text),
            excludes=document.texts("excludes"),
            closed=document.is_set("closed"),
            requires=requirement.read(document.get("requires"), name),
        )


Facts = Mapping[str, FactValue]
"""The values of facts, by name."""
