"""The compiled catalog: the tools, toolsets and facts of a project."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from . import graph
from .args.limits import Limits
from .args.tree import is_nested_deeper, refuse_constant
from .availability.requirement import Check, Requirement
from .availability.resolve import AvailableCheck, Resolver
from .data.condition import FactValue, read_fact
from .data.document import Document
from .data.tool import Tool, ToolsetDeclaration
from .dispatch.given_name import GivenName
from .environment import Environment
from .errors import CatalogError
from .graph import Toolset
from .text.nearest import did_you_mean, nearest_name, suggestion, suggestion_or_names
from .turn import Turn

FORMAT: Final = 1
"""The format of compiled catalogs that this version of the runtime reads."""

# The names that select all tools.
_EVERYTHING: Final = ("all", "*")
_MAX_BYTES: Final = 256 << 20
_MAX_DEPTH: Final = 256
# The range of integers of a fact.
_MAX_INTEGER: Final = 2**53
_NOUNS: Final[dict[type, str]] = {str: "a string", bool: "a boolean", int: "an integer"}


class Catalog:
    """A compiled catalog. It is immutable, and can be shared by all conversations of a program."""

    def __init__(self, document: Document) -> None:
        """Reads a catalog. Use `Catalog.parse` or `Catalog.load`."""
        _check_format(document)
        self.dialects: tuple[str, ...] = document.texts("dialects")
        """The dialects in which the tools are defined."""
        tools = [Tool.read(one, self.dialects) for one in document.require("tools").items()]
        self.tools: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in sorted(tools, key=lambda one: one.name)})
        """The tools, by their own names, sorted."""
        declared = [ToolsetDeclaration.read(one) for one in document.require("toolsets").items()]
        self._aliases = {alias: one.name for one in declared for alias in one.aliases}
        self._graph = self._link(declared)
        self._requires = self._all_requirements({one.name: one.requires for one in declared})
        facts = {one.require("name").text(): read_fact(one.require("default")) for one in document.require("facts").items()}
        self.facts: Mapping[str, FactValue] = MappingProxyType(facts)
        """The facts, each with its default."""

    @classmethod
    def parse(cls, text: str | bytes) -> Catalog:
        """Reads a compiled catalog, which `cargo xtask gen` of toolc writes.

        Raises `CatalogError` if the text is not a catalog, or one of another format.
        """
        if len(text) > _MAX_BYTES:
            raise CatalogError(f"this is not a compiled catalog: it has more than {_MAX_BYTES >> 20} MiB")
        try:
            text = text if isinstance(text, str) else text.decode()
            if is_nested_deeper(text, _MAX_DEPTH):
                raise CatalogError(f"this is not a compiled catalog: it has more than {_MAX_DEPTH} levels")
            document = json.loads(text, parse_constant=refuse_constant)
        except CatalogError:
            raise
        except ValueError as error:
            raise CatalogError(f"this is not a compiled catalog: {error}") from None
        return cls(Document(document))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Catalog:
        """Reads a compiled catalog from a file.

        Raises `CatalogError` as `parse` does, and `OSError` if the file cannot be read.
        """
        with open(path, "rb") as file:
            return cls.parse(file.read(_MAX_BYTES + 1))

    @property
    def toolsets(self) -> tuple[str, ...]:
        """The names of the toolsets, sorted."""
        return tuple(self._graph)

    def turn(
        self,
        dialect: str,
        *,
        facts: Mapping[str, FactValue] | None = None,
        toolsets: Iterable[str] = (),
        tools: Iterable[str] = (),
        without_toolsets: Iterable[str] = (),
        without_tools: Iterable[str] = (),
        environment: Environment | None = None,
        available: AvailableCheck | None = None,
        limits: Limits | None = None,
    ) -> Turn:
        """Returns what one request to a model shows: the tools that are granted and available, and their definitions.

        Args:
            dialect: The vendor's form of definitions, such as `anthropic` or `openai-responses`.
            facts: The facts that differ from their defaults.
            toolsets: The toolsets whose tools are granted, by name or alias. `all` and `*` mean all tools. Without toolsets and
                tools, all tools are granted.
            tools: Single tools that are granted.
            without_toolsets: Toolsets whose tools are denied, except for the tools of their bases. Denying wins.
            without_tools: Single tools that are denied.
            environment: Where requirements on variables and programs are looked up. By default, the environment of the process.
            available: Returns whether a tool or a toolset whose requirements have a check is available, or the reason why it is not.
                Without it, checks count as passed.
            limits: Lower limits of the arguments of a call.

        Raises `CatalogError` for an unknown dialect, toolset, tool or fact, and for a fact of another type.
        """
        if dialect not in self.dialects:
            hint = suggestion(dialect, self.dialects) or f": the dialects of the catalog are {_quoted(self.dialects)}"
            raise CatalogError(f"unknown dialect `{dialect}`{hint}")
        granted = self._granted(
            _names(toolsets, "toolsets"),
            _names(tools, "tools"),
            _names(without_toolsets, "without_toolsets"),
            _names(without_tools, "without_tools"),
        )
        values = {**self.facts, **self._checked_facts(facts or {})}
        resolver = Resolver(environment or Environment(), values, self.tools, available)
        requires = {name: self._requires[name] for name in self.tools if name in granted}
        undefined = {name: "has no definition in this dialect" for name in requires if dialect not in self.tools[name].definitions}
        shown, hidden = resolver.resolve(requires, undefined)
        return Turn(self.tools, dialect, shown, hidden, values, limits or Limits())

    def _link(self, declared: Iterable[ToolsetDeclaration]) -> dict[str, Toolset]:
        """Returns the graph of all toolsets: the declared ones, and undeclared home toolsets."""
        homes: dict[str, set[str]] = {}
        for tool in self.tools.values():
            homes.setdefault(tool.toolset, set()).add(tool.name)
        declarations = {name: ToolsetDeclaration(name) for name in homes}
        declarations.update((one.name, one) for one in declared)

        def known(names: Iterable[str]) -> Iterable[str]:
            real = (self._aliases.get(name, name) if name not in declarations else name for name in names)
            return (name for name in real if name in declarations)

        linked: dict[str, Toolset] = {}
        for name in sorted(declarations):
            one = declarations[name]
            home_tools: set[str] = set() if one.closed else homes.get(name, set())
            linked[name] = Toolset(
                tools=frozenset(home_tools.union(tool for tool in one.tools if tool in self.tools)),
                includes=tuple(known(one.includes)),
                base=next(iter(known((one.extends,))), None) if one.extends is not None else None,
                excludes=frozenset(tool for tool in one.excludes if tool in self.tools),
            )
        return linked

    def _all_requirements(self, of_toolsets: Mapping[str, tuple[Requirement, ...]]) -> dict[str, tuple[Requirement, ...]]:
        """Returns the requirements of each tool: those of its home toolset and its own ones, checks last."""
        all_requirements: dict[str, tuple[Requirement, ...]] = {}
        for tool in self.tools.values():
            own = (*of_toolsets.get(tool.toolset, ()), *tool.requires)
            all_requirements[tool.name] = tuple(sorted(own, key=lambda one: isinstance(one, Check)))
        return all_requirements

    def _granted(self, toolsets: list[str], tools: list[str], without_toolsets: list[str], without_tools: list[str]) -> set[str]:
        picked = [self._toolset(name) for name in toolsets]
        denied = [self._toolset(name) for name in without_toolsets]
        members = {self._tool(name) for name in tools}
        if not picked and not tools:
            members = set(self.tools)
        for name in picked:
            members |= set(self.tools) if name is None else graph.resolve(self._graph, name)
        for name in denied:
            if name is None:
                members.clear()
            else:
                graph.deny(self._graph, members, name)
        return members - {self._tool(name) for name in without_tools}

    def _toolset(self, name: str) -> str | None:
        """Returns the name of a toolset, or `None` for all tools."""
        if name in _EVERYTHING:
            return None
        real = name if name in self._graph else self._aliases.get(name)
        if real is not None:
            return real
        question = did_you_mean(nearest_name(name, self._graph))
        if name in self.tools:
            hint = f"it is a tool, of the toolset `{self.tools[name].toolset}`"
        else:
            hint = question or f"the known toolsets are {_quoted(('all', *self._graph))}"
        raise CatalogError(f"unknown toolset `{name}`: {hint}")

    def _tool(self, given: str) -> str:
        """Returns the own name of a tool, which may be given by another spelling or an alias, if that is unambiguous."""
        if given in self.tools:
            return given
        name = GivenName(given)
        found = [tool.name for tool in self.tools.values() if name.fits(tool.name)]
        found = found or [tool.name for tool in self.tools.values() if any(map(name.fits, tool.aliases))]
        if len(found) != 1:
            raise CatalogError(f"unknown tool `{given}`{suggestion_or_names(given, 'tools', self.tools)}")
        return found[0]

    def _checked_facts(self, facts: Mapping[str, FactValue]) -> Mapping[str, FactValue]:
        for name, value in facts.items():
            if name not in self.facts:
                raise CatalogError(f"unknown fact `{name}`{suggestion_or_names(name, 'facts', self.facts)}")
            wanted = type(self.facts[name])
            if type(value) is not wanted:
                actual = _NOUNS.get(type(value), f"a value of the type {type(value).__name__}")
                raise CatalogError(f"the fact `{name}` must be {_NOUNS[wanted]}, not {actual}")
            if wanted is int and not -_MAX_INTEGER <= int(value) <= _MAX_INTEGER:
                raise CatalogError(f"the fact `{name}` must be an integer from -2^53 to 2^53")
        return facts


def _check_format(document: Document) -> None:
    if not isinstance(document.value, dict):
        raise document.fail("an object")
    found = document.require("format").value
    if found != FORMAT:
        written = json.dumps(found)[:40]
        raise CatalogError(
            f"this catalog has the format {written}, and this version of the runtime reads {FORMAT}: run `cargo xtask gen` with the "
            "toolc of the same version"
        )


def _names(names: Iterable[str], parameter: str) -> list[str]:
    """Returns a list of names. A string would be a list of its letters."""
    if isinstance(names, str):
        raise TypeError(f"{parameter} must be a list of names, such as [{names!r}], not a string")
    return list(names)


def _quoted(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
