"""Argument tables: JSON Schemas in a flat form, by which one reader parses the arguments of every tool.

Nodes refer to each other by their index in the table. Node 0 is the root, which describes the arguments object. Nodes are not
nested, because schemas can be recursive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Final, NamedTuple, Union

from ..number import Number
from ..text.names import same_name
from ..types import Json
from . import condition
from .condition import Condition
from .document import Document
from .name import parameter_aliases
from .text_rule import Format, Pattern

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
"""The JSON types."""

DENY: Final = -1
"""Additional properties are not allowed: an unknown key is an error."""
ALLOW: Final = -2
"""Additional properties are allowed, with any value: unknown keys are kept."""

Types = tuple[str, ...]
"""An ordered list of JSON types. Empty for any type."""


class Hidden:
    """A value of an `enum` that is hidden in this turn. No value equals it."""


HIDDEN: Final = Hidden()

Literal = Union[Json, Hidden]
"""A value of `enum` or `const`."""


_TYPE_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


def literal_type(literal: Literal) -> str | None:
    """Returns the type of a literal. A hidden one has none."""
    if isinstance(literal, str):
        return "string"
    if isinstance(literal, Hidden):
        return None
    return _TYPE_NAMES[type(literal)]


class Bounds(NamedTuple):
    """JSON Schema's bounds, `pattern` and `format`. Numbers are compared as floats, or exactly where both sides are integers."""

    minimum: Number | None = None
    maximum: Number | None = None
    exclusive_minimum: Number | None = None
    exclusive_maximum: Number | None = None
    multiple_of: Number | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    min_properties: int | None = None
    max_properties: int | None = None
    pattern: Pattern | None = None
    format: Format | None = None

    @property
    def has_text_rule(self) -> bool:
        """Whether there is a `pattern` or a `format`."""
        return self.pattern is not None or self.format is not None

    def text_steps(self, size: int) -> int:
        """Returns the steps that the comparison of a text of `size` bytes with `pattern` and `format` may take."""
        of_pattern = self.pattern.steps(size) if self.pattern else 0
        return of_pattern + (size // 64 if self.format else 0)

    def holds(self, text: str) -> bool:
        """Returns whether `text` satisfies `pattern` and `format`."""
        return (self.format is None or self.format.holds(text)) and (self.pattern is None or self.pattern.matches(text))


NO_BOUNDS: Final = Bounds()


class Property(NamedTuple):
    """One property of an object."""

    name: str
    node: int
    required: bool = False
    secret: bool = False
    """The value is redacted in errors and repairs."""
    clamp: bool = False
    """A number beyond a bound becomes the bound."""
    aliases: tuple[str, ...] = ()
    """Other names by which models know the property. No definition shows them."""
    default: tuple[Json] | None = None
    """The value of the property if it is absent, as a tuple, because it may be null."""
    hidden: bool = False
    """The property is hidden in this turn. If a model sends it anyway, it counts as an unknown key."""


class Node:
    """One schema or subschema."""

    __slots__ = (
        "additional",
        "all_of",
        "all_types",
        "any_of",
        "bounds",
        "declared",
        "exactly_one",
        "items",
        "literals",
        "properties",
        "types",
        "untyped",
        "visible",
    )

    def __init__(
        self,
        types: Types = (),
        *,
        untyped: bool = True,
        literals: tuple[Literal, ...] = (),
        properties: tuple[Property, ...] = (),
        additional: int = ALLOW,
        items: int | None = None,
        any_of: tuple[int, ...] = (),
        exactly_one: bool = False,
        all_of: tuple[int, ...] = (),
        bounds: Bounds | None = None,
    ) -> None:
        self.types = types
        # A handler without types gets the value.
        self.untyped = untyped
        # `enum`, or `const` as one value. Empty for any value.
        self.literals = literals
        self.properties = properties
        # The node of additional properties, `DENY` or `ALLOW`.
        self.additional = additional
        self.items = items
        # `anyOf`, also `oneOf`, which demands exactly one.
        self.any_of = any_of
        self.exactly_one = exactly_one
        self.all_of = all_of
        self.bounds = bounds
        # The properties that are not hidden in this turn.
        self.visible = tuple(one for one in properties if not one.hidden)
        # The same, by name.
        self.declared = {one.name: one for one in self.visible}
        # The types, or those of `enum` if there are none.
        of_literals = () if types else map(literal_type, literals)
        self.all_types: Types = types or tuple(dict.fromkeys(one for one in of_literals if one is not None))

    def with_parts(self, properties: tuple[Property, ...], literals: tuple[Literal, ...]) -> Node:
        """Returns the node with other properties and literals."""
        return Node(
            self.types,
            untyped=self.untyped,
            literals=literals,
            properties=properties,
            additional=self.additional,
            items=self.items,
            any_of=self.any_of,
            exactly_one=self.exactly_one,
            all_of=self.all_of,
            bounds=self.bounds,
        )

    def holds_others(self) -> bool:
        """Returns whether the schema refers to schemas of other values, or to other schemas of the same value."""
        return bool(self.properties or self.items is not None or self.additional >= 0 or self.any_of or self.all_of)


ANY: Final = Node()
"""A node that allows every value."""


# The number of turns for which a table is kept.
_MAX_TURNS: Final = 64

# Parts of a table: whether each is a `property` or a `literal`, its node, and its position in the node.
_HiddenParts = tuple[tuple[str, int, int], ...]
_Conditional = tuple[str, int, int, Condition]


class Table:
    """The schema of one tool's arguments."""

    def __init__(self, nodes: Iterable[Node], conditions: Iterable[_Conditional] = ()) -> None:
        self.nodes = tuple(nodes)
        self._conditions = tuple(conditions)
        properties = [one for node in self.nodes for one in node.properties]
        self.has_secrets = any(one.secret for one in properties)
        self.has_clamped = any(one.clamp for one in properties)
        self.has_defaults = any(one.default is not None for one in properties)
        # The aliases in a form in which they are compared, each with its properties.
        self._with_aliases = [one for one in properties if one.aliases]
        self._in_turns: dict[_HiddenParts, Table] = {}
        # What the reader of arguments makes of the table on first use.
        self.kept: dict[str, object] = {}

    def node(self, index: int) -> Node:
        """Returns a node, or one that allows everything if the table has none."""
        return self.nodes[index] if index < len(self.nodes) else ANY

    @cached_property
    def other_names(self) -> dict[str, str]:
        """The names by which dialects know parameters whose own names they refuse."""
        return parameter_aliases(one.name for node in self.nodes for one in node.properties)

    def has_alias(self, name: str, key: str) -> bool:
        """Returns whether `key` is another name of a property that is called `name`."""
        return any(one.name == name and any(same_name(alias, key) for alias in one.aliases) for one in self._with_aliases)

    def in_turn(self, holds: Callable[[Condition], bool]) -> Table:
        """Returns the table for a turn, in which `holds` returns what is true. Turns in which the same parts are hidden share it."""
        hidden = tuple((part, node, at) for part, node, at, when in self._conditions if not holds(when))
        if not hidden:
            return self
        table = self._in_turns.get(hidden)
        if table is None:
            if len(self._in_turns) == _MAX_TURNS:
                self._in_turns.clear()
            table = self._in_turns[hidden] = self._without(hidden)
        return table

    def _without(self, hidden: _HiddenParts) -> Table:
        nodes = list(self.nodes)
        for part, index, at in hidden:
            node = nodes[index]
            if part == "property":
                properties = list(node.properties)
                properties[at] = properties[at]._replace(hidden=True)
                nodes[index] = node.with_parts(tuple(properties), node.literals)
            else:
                literals = list(node.literals)
                literals[at] = HIDDEN
                nodes[index] = node.with_parts(node.properties, tuple(literals))
        return Table(nodes)

    @classmethod
    def read(cls, document: Document) -> Table:
        """Reads a table of a compiled catalog."""
        documents = list(document.items())
        if not documents:
            raise document.fail("an array with the node of the arguments")
        reader = _TableReader(len(documents))
        nodes = [reader.node(index, one) for index, one in enumerate(documents)]
        return cls(nodes, reader.conditions)


class _TableReader:
    def __init__(self, count: int) -> None:
        self.count = count
        self.conditions: list[_Conditional] = []

    def node(self, index: int, document: Document) -> Node:
        types = document.texts("types")
        if any(one not in TYPES for one in types):
            raise document.require("types").fail("names of JSON types")
        properties = document.optional("properties", lambda all_: list(all_.items())) or []
        one_of = self.nodes(document, "one_of")
        additional = document.get("additional")
        literals = document.optional("enum", lambda all_: tuple(one.value for one in all_.items())) or ()
        for when in document.optional("enum_when", lambda all_: list(all_.items())) or ():
            at, written = _pair(when)
            self.conditions.append(("literal", index, at.index(len(literals)), condition.read(written)))
        return Node(
            types=types,
            untyped=document.is_set("untyped"),
            literals=literals,
            properties=tuple(self.property(index, at, one) for at, one in enumerate(properties)),
            additional=ALLOW if additional is None else self.additional(additional),
            items=document.optional("items", lambda one: one.index(self.count)),
            any_of=one_of or self.nodes(document, "any_of"),
            exactly_one=bool(one_of),
            all_of=self.nodes(document, "all_of"),
            bounds=document.optional("bounds", _bounds),
        )

    def nodes(self, document: Document, key: str) -> tuple[int, ...]:
        found = document.get(key)
        return () if found is None else tuple(one.index(self.count) for one in found.items())

    def additional(self, document: Document) -> int:
        return DENY if document.value is False else document.index(self.count)

    def property(self, node: int, at: int, document: Document) -> Property:
        when = document.get("when")
        if when is not None:
            self.conditions.append(("property", node, at, condition.read(when)))
        default = document.get("default")
        return Property(
            name=document.require("name").text(),
            node=document.require("node").index(self.count),
            required=document.is_set("required"),
            secret=document.is_set("secret"),
            clamp=document.is_set("clamp"),
            aliases=document.texts("aliases"),
            default=None if default is None else (default.value,),
        )


def _pair(document: Document) -> tuple[Document, Document]:
    items = list(document.items())
    if len(items) != 2:
        raise document.fail("an array of two items")
    return items[0], items[1]


def _bounds(document: Document) -> Bounds:
    def number(key: str) -> Number | None:
        return document.optional(key, Document.number)

    def count(key: str) -> int | None:
        return document.optional(key, lambda one: one.index(2**64))

    return Bounds(
        minimum=number("minimum"),
        maximum=number("maximum"),
        exclusive_minimum=number("exclusiveMinimum"),
        exclusive_maximum=number("exclusiveMaximum"),
        multiple_of=number("multipleOf"),
        min_length=count("minLength"),
        max_length=count("maxLength"),
        min_items=count("minItems"),
        max_items=count("maxItems"),
        unique_items=document.is_set("uniqueItems"),
        min_properties=count("minProperties"),
        max_properties=count("maxProperties"),
        pattern=document.optional("pattern", lambda one: Pattern(one.text())),
        format=document.optional("format", _format),
    )


def _format(document: Document) -> Format:
    found = Format.from_name(document.text())
    if found is None:
        raise document.fail("the name of a format")
    return found
