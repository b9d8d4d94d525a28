"""Validation: finds all paths at which a value does not satisfy its schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ..data import bounds
from ..data.table import ALLOW, Bounds, Node, Property, Table
from ..result.error import Problem
from ..types import Json
from . import expectation_text, json_type
from .expectation_text import counted
from .origin import Step, child, place, with_key
from .reader import Reader
from .redact import REDACTED, redacted
from .verdict import MAX_DEPTH, are_unique, count_hits, holds, in_range

# The maximum number of reported problems; the rest is counted.
_MAX_LISTED: Final = 20
# Replaces the description of a secret value.
_SECRET: Final = "a secret value"
_TOO_MUCH: Final = ("something simpler", "too much to check")


class Problems:
    """The problems of the arguments."""

    def __init__(self) -> None:
        self.listed: list[Problem] = []
        # The number of problems that are not listed.
        self.more = 0


def problems(reader: Reader, value: Json, sent: Json) -> Problems:
    """Returns all problems of the arguments, with their places in what was `sent`."""
    report = _Report(value, sent, (redacted(reader, value),) if reader.table.has_secrets else None)
    check = _Validator(reader, report)
    if isinstance(value, dict):
        check.node(value, 0, _ROOT)
    else:
        root = reader.table.node(0)
        check.fail(_ROOT, lambda: ("object", _got(reader.table, value, root)))
    return report.problems


class _Path:
    """The path of the current value in the arguments. It is formatted only for a problem."""

    __slots__ = ("depth", "index", "parent", "step")

    def __init__(self, parent: _Path | None, step: Step | None, index: int) -> None:
        self.parent = parent
        # The step from the parent, or `None` for another schema of the same value.
        self.step = step
        # The node of the value.
        self.index = index
        self.depth: int = parent.depth + 1 if parent else 0

    def chain(self) -> list[_Path]:
        """Returns the paths from the root to this one."""
        chain: list[_Path] = []
        at: _Path | None = self
        while at is not None:
            chain.append(at)
            at = at.parent
        return chain[::-1]

    def steps(self) -> list[Step]:
        return [one.step for one in self.chain() if one.step is not None]

    def to_secret(self, redacted_arguments: Json) -> _Path | None:
        """Returns the shortest prefix of this path whose value is redacted."""
        value: tuple[Json] | None = (redacted_arguments,)
        for one in self.chain():
            if one.step is not None:
                value = None if value is None else child(value[0], one.step)
            if value is not None and value[0] == REDACTED:
                return one
        return None

    def after(self, steps: int) -> _Path:
        """Returns the shortest prefix of this path with this number of steps."""
        count = 0
        for one in self.chain():
            count += one.step is not None
            if count >= steps:
                return one
        return self

    def pointer(self) -> str:
        pointer = ""
        for step in self.steps():
            pointer = with_key(pointer, step) if isinstance(step, str) else f"{pointer}/{step}"
        return pointer


_ROOT: Final = _Path(None, None, 0)

_Describe = Callable[[], "tuple[str, str]"]


class _Report:
    def __init__(self, arguments: Json, sent: Json, redacted: tuple[Json] | None) -> None:
        # The arguments that are validated.
        self.arguments = arguments
        # The arguments before repair.
        self.sent = sent
        # The redacted arguments as a tuple, if the table has secrets.
        self.redacted = redacted
        self.problems = Problems()

    def problem(self, reader: Reader, path: _Path, describe: _Describe) -> Problem:
        # The keys inside a secret are not shown either.
        secret = path.to_secret(self.redacted[0]) if self.redacted is not None else None
        path = secret or path
        expected, got = describe()
        if secret is not None:
            got = _SECRET
        at = place(reader, path.steps(), self.sent, self.arguments)
        if at.wrapped_at is not None and at.sent is not None:
            # The model did not send this array, so the problem names the array as what was expected.
            node = reader.table.node(path.after(at.wrapped_at).index)
            expected = expectation_text.expected(reader.table, node)
            if secret is None:
                got = _got(reader.table, at.sent[0], node)
        return Problem(at.pointer, expected, got)


class _Validator:
    def __init__(self, reader: Reader, report: _Report) -> None:
        self.reader = reader
        self.report = report

    def fail(self, path: _Path, describe: _Describe) -> None:
        found = self.report.problems
        if len(found.listed) < _MAX_LISTED:
            found.listed.append(self.report.problem(self.reader, path, describe))
        else:
            found.more += 1

    def node(self, value: Json, index: int, path: _Path) -> None:
        if path.depth > MAX_DEPTH or not self.reader.spend(1):
            return self.fail(path, lambda: _TOO_MUCH)
        table = self.reader.table
        node = table.node(index)
        if not json_type.fits(node.types, value):
            return self.fail(path, lambda: (_expected_type(table, node, value), _got(table, value, node)))
        if node.literals and not any(json_type.equals(literal, value) for literal in node.literals):
            return self.fail(path, lambda: (expectation_text.expected(table, node), _got(table, value, node)))
        if node.bounds is not None:
            out_of_bounds = _out_of_bounds(self.reader, value, node.bounds)
            if out_of_bounds is not None:
                self.fail(path, lambda: (expectation_text.expected(table, node), out_of_bounds))
        if isinstance(value, dict):
            self.object(value, node, path)
        elif isinstance(value, list) and node.items is not None:
            for position, item in enumerate(value):
                self.node(item, node.items, _Path(path, position, node.items))
        for part in node.all_of:
            self.node(value, part, _Path(path, None, part))
        if node.any_of:
            self.alternatives(value, node, path)
        return None

    def object(self, entries: dict[str, Json], node: Node, path: _Path) -> None:
        self.reader.spend(len(node.properties))
        for one in node.visible:
            if one.name in entries:
                self.node(entries[one.name], one.node, _Path(path, one.name, one.node))
            elif one.required:
                self.missing(one, path)
        limits = node.bounds
        if limits is not None and not in_range(len(entries), limits.min_properties, limits.max_properties):
            self.fail(path, lambda: (expectation_text.expected(self.reader.table, node), counted(len(entries), "key")))
        if node.additional == ALLOW:
            return
        for key, value in entries.items():
            if key in node.declared:
                continue
            if node.additional >= 0:
                self.node(value, node.additional, _Path(path, key, node.additional))
            else:
                self.unknown(key, value, node, path)

    def missing(self, one: Property, path: _Path) -> None:
        table = self.reader.table
        inner = _Path(path, one.name, one.node)
        self.fail(inner, lambda: (_required(expectation_text.expected(table, table.node(one.node))), "nothing"))

    def unknown(self, key: str, value: Json, node: Node, path: _Path) -> None:
        self.fail(_Path(path, key, 0), lambda: (expectation_text.unknown_key(key, node), expectation_text.got(value)))

    def alternatives(self, value: Json, node: Node, path: _Path) -> None:
        table = self.reader.table
        hits = count_hits(self.reader, value, node, path.depth, nulls=False)

        def expected() -> str:
            # The other keywords of `node` are satisfied, or have been reported.
            return expectation_text.expected(table, Node(any_of=node.any_of))

        if hits > 1:
            return self.fail(path, lambda: (f"exactly one of these: {expected()}", "more than one"))
        if hits == 1 or self.explain(value, node.any_of, path):
            return None
        return self.fail(path, lambda: (expected(), _got(table, value, node)))

    def explain(self, value: Json, branches: Sequence[int], path: _Path) -> bool:
        """Reports the problems of the alternative that was probably meant. Returns whether there is one."""
        table = self.reader.table
        near = [one for one in branches if json_type.fits(table.node(one).all_types, value) and self.matches_tag(value, table.node(one))]
        # The problems of the only alternative of this type say what to correct, while a text or number may belong to any.
        if len(near) == 1 and (isinstance(value, (dict, list)) or len(branches) == 1):
            only = near[0]
            others = [one for one in branches if one != only]
            self.naming(others, path, lambda: self.node(value, only, _Path(path, None, only)))
            return True
        if len(self.report.problems.listed) >= _MAX_LISTED or not isinstance(value, dict):
            return False
        found = self.tag(value, branches)
        if found is None:
            return False
        name, tags = found
        is_sent = name in value
        sent = value.get(name)
        if is_sent and any(json_type.equals(literal, sent) for tag in tags for literal in tag.literals):
            return False

        def describe() -> tuple[str, str]:
            text = expectation_text.one_of(tags)
            return (text, expectation_text.got(sent)) if is_sent else (_required(text), "nothing")

        others = [one for one in branches if not json_type.fits(table.node(one).all_types, value)]
        self.naming(others, path, lambda: self.fail(_Path(path, name, 0), describe))
        return True

    def matches_tag(self, value: Json, node: Node) -> bool:
        """Returns whether the properties of `value` that distinguish alternatives (those with an `enum` or `const`) match this
        alternative. Missing properties match."""
        if not isinstance(value, dict):
            return True
        for one in node.visible:
            literals = self.reader.table.node(one.node).literals
            if literals and one.name in value:
                sent = value[one.name]
                if not any(json_type.equals(literal, sent) for literal in literals):
                    return False
        return True

    def tag(self, value: Json, branches: Sequence[int]) -> tuple[str, list[Node]] | None:
        """Returns the property that distinguishes the objects among alternatives, and its node in each of them."""
        table = self.reader.table
        objects = [one for one in map(table.node, branches) if json_type.fits(one.all_types, value)]
        if not objects:
            return None
        for candidate in objects[0].visible:
            tags: list[Node] = []
            for one in objects:
                tag = next((of for of in one.visible if of.required and of.name == candidate.name), None)
                if tag is None or not table.node(tag.node).literals:
                    break
                tags.append(table.node(tag.node))
            else:
                return candidate.name, tags
        return None

    def naming(self, others: Sequence[int], path: _Path, report_problems: Callable[[], None]) -> None:
        """Reports problems of one alternative at `path`. The first of them also names the others."""
        listed = self.report.problems.listed
        before = len(listed)
        report_problems()
        table = self.reader.table
        others = [one for one in others if table.node(one).types != ("null",)]
        if not others or before >= len(listed):
            return
        at = place(self.reader, path.steps(), self.report.sent, self.report.arguments)
        # The problem of an array that the model did not send names all alternatives.
        if at.wrapped_at is None:
            problem = listed[before]
            here = at.pointer or "the arguments"
            expected = f"{problem.expected} (or {here}: {expectation_text.alternatives(table, others)})"
            listed[before] = Problem(problem.path, expected, problem.got)


def _required(expected: str) -> str:
    return f"{expected} (required)"


def _expected_type(table: Table, node: Node, value: Json) -> str:
    """Describes the type of a node. An integer within the bounds may have too many bits."""
    is_integer = isinstance(value, (int, float)) and json_type.is_whole(value) and "integer" in node.types
    if is_integer and isinstance(value, (int, float)) and (node.bounds is None or bounds.within(value, node.bounds)):
        return expectation_text.INTEGER_RANGE
    return expectation_text.expected(table, node)


def _got(table: Table, value: Json, node: Node) -> str:
    """Describes `value`, unless it may contain a secret, such as a string in place of an object."""
    if not node.holds_others() or isinstance(value, (dict, list)) or not table.has_secrets:
        return expectation_text.got(value)
    return _SECRET


def _out_of_bounds(reader: Reader, value: Json, limits: Bounds) -> str | None:
    """Describes a value that is out of bounds."""
    if isinstance(value, str):
        if not in_range(len(value), limits.min_length, limits.max_length):
            return counted(len(value), "character")
        return None if holds(reader, value, limits) else expectation_text.got(value)
    if isinstance(value, list):
        if not in_range(len(value), limits.min_items, limits.max_items):
            return counted(len(value), "item")
        return "duplicate items" if limits.unique_items and not are_unique(value) else None
    if json_type.is_number(value) and isinstance(value, (int, float)):
        return None if bounds.within(value, limits) else expectation_text.got(value)
    return None
