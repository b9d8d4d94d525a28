"""Names that models get wrong in known ways: with a prefix or another decoration, in another case, with `-` instead of `_`, or by an alias
that the tool declares.

Such a name is corrected only if it is unambiguous: it fits exactly one tool of the catalog, and the turn shows this tool. Tools that the
turn does not show count, too, so that a call never reaches a tool that the model did not name. Names come before aliases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..data.tool import Tool
from .given_name import GivenName


class ToolNames:
    """The names of the tools of a turn."""

    def __init__(self, tools: Mapping[str, Tool], dialect: str, shown: Sequence[str], hidden: Mapping[str, str]) -> None:
        self.tools = tools
        self.dialect = dialect
        self.shown = shown
        self.hidden = hidden
        # The shown tools by the names that the model sees.
        self._by_name = {self.name_in_dialect(name): name for name in shown}
        self._shown = frozenset(shown)

    def name_in_dialect(self, tool: str) -> str:
        """Returns what the model calls a tool."""
        return self.tools[tool].name_in(self.dialect)

    def resolve(self, sent: str) -> str | None:
        """Returns the own name of the shown tool that the model calls `sent`, also if the name must be corrected."""
        found = self._by_name.get(sent)
        if found is None:
            found = self.meant(sent)
        return found if found in self._shown else None

    def meant(self, sent: str) -> str | None:
        """Returns the only tool whose name a wrong name fits, or else the only one with an alias that it fits, also one that the turn
        does not show."""
        given = GivenName(sent)
        named = [name for name in self.tools if given.fits(name) or given.fits(self.name_in_dialect(name))]
        if named:
            # The model sees only the name in the dialect.
            return named[0] if len(named) == 1 and given.fits(self.name_in_dialect(named[0])) else None
        known_as = [name for name, tool in self.tools.items() if any(map(given.fits, tool.aliases))]
        return known_as[0] if len(known_as) == 1 else None
