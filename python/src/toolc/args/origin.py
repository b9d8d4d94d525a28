"""Where repaired values come from: follows a path in the arguments as the model sent them and in the repaired ones at the same time.

A path of the repaired arguments can differ from what the model sent: an array was made from a single value, an object was read from
a string, a key was spelled in another way. Errors and reports name the place in what the model sent. A path continues inside a
string that contains JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Union

from ..data.name import may_be_alias
from ..data.table import Table
from ..text.names import same_name
from ..text.strings import beginning
from ..types import Json
from .json_type import identical
from .open import opened
from .reader import Reader
from .rules import RepairRule

# The maximum length of a key in a path, in bytes.
_MAX_KEY_BYTES: Final = 200

Step = Union[str, int]
"""A step of a path in the repaired arguments: a key or an index."""


class Opened(NamedTuple):
    """The content of a string that was sent."""

    value: Json
    rule: RepairRule


class Wrapped:
    """What was sent is the only item."""


Origin = Union[Opened, Wrapped, None]
"""What a repaired array or object was made from. `None` for what was sent."""


@dataclass
class SentValue:
    """A place in what the model sent."""

    pointer: str
    sent: tuple[Json] | None
    """The value that was sent there, as a tuple, or `None` if there is none."""
    wrapped_at: int | None = None
    """The number of steps before the value was made the only item of an array, if nothing but that leads to the place."""


def origin(reader: Reader, sent: Json, repaired: Json) -> Origin:
    """Returns what `repaired` was made from, if it is an array or object."""
    if isinstance(sent, list) or not isinstance(repaired, (list, dict)):
        return None
    if isinstance(repaired, dict):
        found = opened(reader, sent) if isinstance(sent, str) else None
        return Opened(*found) if found is not None and isinstance(found[0], dict) else None
    if len(repaired) == 1 and identical(repaired[0], sent):
        return Wrapped()
    found = opened(reader, sent) if isinstance(sent, str) else None
    return Opened(*found) if found is not None and isinstance(found[0], list) else Wrapped()


def place(reader: Reader, path: Sequence[Step], sent: Json, repaired: Json) -> SentValue:
    """Returns the place in `sent` of the value at `path` in `repaired`."""
    at = SentValue("", (sent,))
    now: tuple[Json] | None = (repaired,)
    # One more round than steps, for the value at the end of the path.
    for index in range(len(path) + 1):
        if at.sent is not None and now is not None:
            of = origin(reader, at.sent[0], now[0])
            if isinstance(of, Opened):
                at.sent = (of.value,)
            elif of is not None:
                if at.wrapped_at is None:
                    at.wrapped_at = index
                now = child(now[0], 0)
                continue
        if index == len(path):
            break
        at.wrapped_at = None
        step = path[index]
        sent_step: Step = step
        if isinstance(step, str):
            if at.sent is not None and now is not None and isinstance(at.sent[0], dict) and isinstance(now[0], dict):
                sent_step = sent_key(reader.table, step, at.sent[0], now[0]) or step
            at.pointer = with_key(at.pointer, str(sent_step))
        else:
            at.pointer += f"/{step}"
        at.sent = None if at.sent is None else child(at.sent[0], sent_step)
        now = None if now is None else child(now[0], step)
    return at


def sent_key(table: Table, key: str, sent: Mapping[str, Json], repaired: Mapping[str, Json]) -> str | None:
    """Returns the key by which the model sent the property `key` of a repaired object."""
    if key in sent:
        return key
    if key not in repaired:
        return None
    return next(iter(renamed_keys(table, key, lost_keys(sent, repaired))), None)


def lost_keys(sent: Iterable[str], repaired: Mapping[str, Json]) -> list[str]:
    """Returns the keys of an object that repair has renamed or dropped."""
    return [key for key in sent if key not in repaired]


def renamed_keys(table: Table, key: str, lost: Iterable[str]) -> Iterable[str]:
    """Returns those of the lost keys of an object that the name `key` replaces."""
    return (other for other in lost if same_name(other, key) or may_be_alias(other, key) or table.has_alias(key, other))


def with_key(pointer: str, key: str) -> str:
    """Returns a JSON pointer with one more key."""
    return f"{pointer}/{beginning(key, _MAX_KEY_BYTES).replace('~', '~0').replace('/', '~1')}"


def child(value: Json, step: Step) -> tuple[Json] | None:
    """Returns the value of a key or an index as a tuple."""
    if isinstance(value, dict) and isinstance(step, str):
        return (value[step],) if step in value else None
    if isinstance(value, list) and isinstance(step, int):
        return (value[step],) if step < len(value) else None
    return None
