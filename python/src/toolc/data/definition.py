"""Definitions of tools as texts with pieces, some of which depend on the turn."""

from __future__ import annotations

import json as standard_json
import re
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple, Union

from ..text import json
from ..text.strings import is_space, trim, trim_end
from . import condition
from .condition import Condition, FactValue
from .document import Document

_MAX_DEPTH: Final = 64
_LINE_ENDS: Final = re.compile("[\u2028\u2029\x85]")
_HIDDEN: Final = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Fact(NamedTuple):
    """The value of a fact."""

    name: str


class Choice(NamedTuple):
    """The pieces of the first branch whose condition holds, or the others."""

    branches: tuple[tuple[Condition, Pieces], ...]
    otherwise: Pieces


class Join(NamedTuple):
    """The texts whose conditions hold, joined."""

    texts: tuple[tuple[Condition, str], ...]
    separator: str


class Comment(NamedTuple):
    """A comment of a declaration, from the pieces of its sentences."""

    sentences: tuple[Pieces, ...]
    indent: str


Piece = Union[str, Fact, Choice, Join, Comment]
Pieces = tuple[Piece, ...]


def read(document: Document, depth: int = 0) -> Pieces:
    """Reads the pieces of a definition."""
    if depth == _MAX_DEPTH:
        raise document.fail("pieces that are less deep")
    return tuple(_piece(one, depth + 1) for one in document.items())


def _piece(document: Document, depth: int) -> Piece:
    if isinstance(document.value, str):
        return document.value
    if (fact := document.get("fact")) is not None:
        return Fact(fact.text())
    if document.get("when") is not None:
        return Choice((_branch(document, depth),), ())
    if (first := document.get("first")) is not None:
        otherwise = document.get("otherwise")
        branches = tuple(_branch(one, depth) for one in first.items())
        return Choice(branches, () if otherwise is None else read(otherwise, depth))
    if (join := document.get("join")) is not None:
        texts = tuple((condition.read(one.require("when")), one.require("text").text()) for one in join.items())
        return Join(texts, document.require("with").text())
    if (sentences := document.get("comment")) is not None:
        indent = " " * document.require("indent").index(1000)
        return Comment(tuple(read(one, depth) for one in sentences.items()), indent)
    raise document.fail("a piece of a text")


def _branch(document: Document, depth: int) -> tuple[Condition, Pieces]:
    return condition.read(document.require("when")), read(document.require("text"), depth)


def render(pieces: Pieces, tools: Collection[str], facts: Mapping[str, FactValue], is_json: bool) -> str:
    """Returns the text of pieces. `is_json`: facts are inside of JSON strings."""
    parts: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            parts.append(piece)
        elif isinstance(piece, Fact):
            value = facts.get(piece.name, "")
            text = value if isinstance(value, str) else standard_json.dumps(value)
            parts.append(json.escaped(text) if is_json else text)
        elif isinstance(piece, Choice):
            chosen = (one for when, one in piece.branches if condition.holds(when, tools, facts))
            parts.append(render(next(chosen, piece.otherwise), tools, facts, is_json))
        elif isinstance(piece, Join):
            parts.append(piece.separator.join(one for when, one in piece.texts if condition.holds(when, tools, facts)))
        else:
            parts.append(_comment([render(one, tools, facts, is_json) for one in piece.sentences], piece.indent))
    return "".join(parts)


def _comment(sentences: list[str], indent: str) -> str:
    """Returns a comment of TypeScript, which no text can end early."""
    text = ""
    for sentence in sentences:
        if trim(sentence):
            text += (" " if text and not is_space(text[-1]) else "") + sentence
    text = _LINE_ENDS.sub("\n", text.replace("\r", "").replace("\t", " ").replace("*/", "*\\/"))
    text = _HIDDEN.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text)
    lines = [trim_end(line) for line in trim(text).split("\n")]
    if len(lines) == 1 and lines[0] and lines[0][0] not in "@/*":
        return f"/** {lines[0]} */"
    return "/**" + "".join(f"\n{indent} *{' ' if line else ''}{line}" for line in lines) + f"\n{indent} */"
