"""The graph of toolsets: resolves toolsets to tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Toolset(NamedTuple):
    """A toolset, whose names are resolved."""

    tools: frozenset[str]
    """The set's own tools: its home tools (unless it is closed), and the tools that it lists."""
    includes: tuple[str, ...] = ()
    """The toolsets whose tools it also holds."""
    base: str | None = None
    """The toolset that it extends."""
    excludes: frozenset[str] = frozenset()
    """The tools that it does not hold, even if a toolset that it includes holds them."""

    def edges(self) -> Iterator[str]:
        """Yields the toolsets that it includes, and its base."""
        yield from self.includes
        if self.base is not None:
            yield self.base


Graph = Mapping[str, Toolset]
"""All toolsets, by name."""


def resolve(graph: Graph, name: str) -> set[str]:
    """Returns the tools of a toolset: those that can be reached from it on a path of toolsets none of which excludes them."""
    reached = _reach(graph, name, frozenset())
    members = {tool for one in reached for tool in graph[one].tools}
    excluders: dict[str, set[str]] = defaultdict(set)
    for one in reached:
        for tool in graph[one].excludes:
            excluders[tool].add(one)
    # Tools that the same toolsets exclude share one traversal.
    groups: dict[frozenset[str], set[str]] = defaultdict(set)
    for tool, without in excluders.items():
        groups[frozenset(without)].add(tool)
    for without_sets, tools in groups.items():
        held = {tool for one in _reach(graph, name, without_sets) for tool in graph[one].tools}
        members -= tools - held
    return members


def deny(graph: Graph, members: set[str], name: str) -> None:
    """Removes the tools of a disabled toolset from `members`, except for those of its base."""
    base = graph[name].base
    members -= resolve(graph, name) - (resolve(graph, base) if base is not None else set())


def _reach(graph: Graph, name: str, without: frozenset[str]) -> list[str]:
    """Returns the toolsets that can be reached from one, itself included, on paths that avoid `without`."""
    seen = set(without)
    pending, reached = [name], list[str]()
    while pending:
        one = pending.pop()
        if one not in seen:
            seen.add(one)
            reached.append(one)
            pending.extend(graph[one].edges())
    return reached
