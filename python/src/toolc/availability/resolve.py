"""Determines which of the granted tools are shown. First, requirements on the environment, facts and checks are evaluated. Then tools
whose required tools are missing are removed, repeatedly, until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Union

from ..data import condition
from ..data.condition import FactValue
from ..environment import Environment
from . import requirement
from .requirement import Alternatives, Check, Programs, Requirement, Systems, Tools, Variables, When, listed

AvailableCheck = Callable[[str], Union[bool, str]]
"""Returns whether a tool or toolset whose requirements have a check is available, or the reason why it is not."""


class Resolver:
    """What requirements are evaluated with."""

    def __init__(
        self,
        environment: Environment,
        facts: Mapping[str, FactValue],
        known: Collection[str],
        available: AvailableCheck | None,
    ) -> None:
        self._environment = environment
        self._facts = facts
        # The tools of the catalog.
        self._known = known
        self._available = available
        self._checked: dict[str, str | None] = {}

    def resolve(self, granted: Mapping[str, tuple[Requirement, ...]], undefined: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        """Returns the shown tools, and the hidden ones with the reasons. `granted` has the granted tools with their requirements,
        sorted, and `undefined` those that have no definition."""
        hidden = dict(undefined)
        shown = [tool for tool in granted if tool not in undefined]
        # Checks are evaluated last, because they may use what the other requirements ensure, for example an API key.
        for unmet in (self._unmet, self._failed):
            for tool in shown:
                reason = next(filter(None, map(unmet, granted[tool])), None)
                if reason is not None:
                    hidden[tool] = reason
            shown = [tool for tool in shown if tool not in hidden]
        self._remove_dependents(granted, set(shown), hidden)
        return [tool for tool in shown if tool not in hidden], {tool: hidden[tool] for tool in granted if tool in hidden}

    def _unmet(self, one: Requirement) -> str | None:
        """Returns why a requirement on the environment or on facts is not met."""
        has = self._environment.has_variable
        if isinstance(one, Variables):
            missing = tuple(name for name in one.names if not has(name))
            if not missing or (not one.needs_all and len(missing) < len(one.names)):
                return None
            return f"needs {requirement.described(Variables(missing, one.needs_all))}"
        if isinstance(one, Programs):
            missing = tuple(name for name in one.names if not self._environment.has_program(name))
            return f"needs {requirement.described(Programs(missing))}" if missing else None
        if isinstance(one, Systems):
            return None if self._environment.system in one.names else f"runs only on {listed(one.names, 'or')}"
        if isinstance(one, When):
            if condition.holds(one.condition, (), self._facts):
                return None
            names = sorted(set(condition.fact_names(one.condition)))
            facts, verb = ("facts", "rule") if len(names) > 1 else ("fact", "rules")
            return f"the {facts} {listed(names, 'and')} {verb} it out"
        if isinstance(one, Alternatives):
            is_met = any(self._unmet(alternative) is None for alternative in one.requirements)
            return None if is_met else f"needs {requirement.described(one)}"
        return None

    def _failed(self, one: Requirement) -> str | None:
        """Returns why a check fails. Each one is made once."""
        if not isinstance(one, Check) or self._available is None:
            return None
        if one.subject not in self._checked:
            try:
                verdict = self._available(one.subject)
            except Exception as error:  # noqa: BLE001
                verdict = f"its check failed unexpectedly: {error}"
            self._checked[one.subject] = None if verdict is True else str(verdict) if verdict else "it is not available"
        return self._checked[one.subject]

    def _remove_dependents(self, granted: Mapping[str, tuple[Requirement, ...]], present: set[str], hidden: dict[str, str]) -> None:
        """Hides tools whose required tools are missing, then those that require these, and so on."""
        requirements: dict[Tools, list[str]] = {}
        naming: dict[str, list[Tools]] = {}
        for tool, own in granted.items():
            for one in own:
                if isinstance(one, Tools):
                    requirements.setdefault(one, []).append(tool)
                    for name in one.names:
                        naming.setdefault(name, []).append(one)
        pending: list[Tools] = [one for one in requirements if not _is_met(one, present)]
        unmet = set(pending)
        while pending:
            # Described before the removal, so that tools that are removed in the same round are not given as a reason.
            described = [self._missing(one, present) for one in pending]
            removed: list[str] = []
            for one, reason in zip(pending, described):
                for tool in requirements[one]:
                    if tool in present:
                        present.remove(tool)
                        hidden[tool] = reason
                        removed.append(tool)
            pending = []
            for one in (one for tool in removed for one in naming.get(tool, ())):
                if one not in unmet and not _is_met(one, present):
                    unmet.add(one)
                    pending.append(one)

    def _missing(self, one: Tools, present: set[str]) -> str:
        """Returns why a requirement on tools is not met."""
        if not one.needs_all:
            return f"needs {requirement.described(one)}"
        unregistered = tuple(name for name in one.names if name not in self._known)
        if unregistered:
            return f"needs {requirement.described(Tools(unregistered, True))}, which no tool provider has"
        missing = tuple(name for name in one.names if name not in present)
        return f"needs {requirement.described(Tools(missing, True))}"


def _is_met(one: Tools, present: set[str]) -> bool:
    return (all if one.needs_all else any)(name in present for name in one.names)
