"""Patterns, and the engine that compares texts with them in linear time.

The engine follows all ways through a pattern at once. The set of places in the pattern is an integer with a bit for each place,
and the set after a character is remembered, so that most characters cost one look-up. No text can make it take a step back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import Final

from .ecma import Alternatives, Assertion, InvalidPatternError, Part, Repetition, Set, complement, read

# The bytes of a text, each compared with one part of the pattern, that take as long as one step of the reader.
_PER_STEP: Final = 16
# The maximum size of a compiled pattern, in instructions.
_MAX_INSTRUCTIONS: Final = 32_000
# The number of transitions that are remembered.
_MAX_REMEMBERED: Final = 16_384
_WORD_CODES: Final = ((ord("0"), ord("9")), (ord("A"), ord("Z")), (ord("_"), ord("_")), (ord("a"), ord("z")))


class Pattern:
    """A `pattern`, which is compiled on first use."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _compiled(self) -> tuple[_Automaton, int] | None:
        try:
            pattern = read(self.text)
            return (_Automaton(pattern.root), pattern.weight) if pattern else None
        except (InvalidPatternError, _TooLargeError):
            return None

    @property
    def is_enforced(self) -> bool:
        """Whether the engine can hold the pattern. Otherwise, every text satisfies it."""
        return self._compiled is not None

    def matches(self, text: str) -> bool:
        """Returns whether a part of `text` matches, also if the engine cannot hold the pattern."""
        return self._compiled is None or self._compiled[0].matches(text)

    def steps(self, size: int) -> int:
        """Returns the steps that the comparison of a text of `size` bytes may take."""
        return 0 if self._compiled is None else size * self._compiled[1] // _PER_STEP


class _State:
    """The places that the engine has reached after a character."""

    __slots__ = ("is_start", "is_word", "next", "places")

    def __init__(self, places: int, is_word: bool, is_start: bool) -> None:
        # A bit for each character of the pattern that was just matched.
        self.places = places
        # Whether the last character is of a word.
        self.is_word = is_word
        self.is_start = is_start
        # The next state by character, or `None` if the pattern has matched.
        self.next: dict[str, _State | None] = {}


class _TooLargeError(ValueError):
    """The pattern needs too many instructions."""


class _Instruction:
    """What follows a place in the pattern: a character of a set, an assertion, several ways, or the end of the pattern."""

    __slots__ = ("assertion", "followers", "place")

    def __init__(self, *followers: _Instruction, place: int = -1, assertion: str = "") -> None:
        self.followers = followers
        # The position of the set in the list of all sets.
        self.place = place
        self.assertion = assertion


class _Automaton:
    def __init__(self, root: Alternatives) -> None:
        self.count = 0
        self.sets: list[Set] = []
        # The instruction after each place.
        self.after: list[_Instruction] = []
        self.has_words = False
        self.end = self.add()
        self.start = self.compile(root, self.end)
        self.end_bit = 1 << len(self.sets)
        self.size = len(self.sets) // 8 + 1
        self.bounds, self.masks, self.are_words = self.classes()
        # The places with which the pattern can begin, by the context.
        self.begins: dict[int, int] = {}
        # The places that can follow a byte of places, by the context and the position of the byte.
        self.following: dict[tuple[int, int, int], int] = {}
        self.states: dict[tuple[int, bool], _State] = {}
        self.remembered = 0

    def add(self, *followers: _Instruction, place: int = -1, assertion: str = "") -> _Instruction:
        self.count += 1
        if self.count > _MAX_INSTRUCTIONS:
            raise _TooLargeError
        return _Instruction(*followers, place=place, assertion=assertion)

    def compile(self, part: Part, follower: _Instruction) -> _Instruction:
        """Returns the instruction with which a part begins that is before `follower`."""
        if isinstance(part, Set):
            self.sets.append(part)
            self.after.append(follower)
            return self.add(place=len(self.sets) - 1)
        if isinstance(part, Assertion):
            self.has_words |= part.kind in "bB"
            return self.add(follower, assertion=part.kind)
        if isinstance(part, Repetition):
            return self.repeat(part, follower)
        begins: list[_Instruction] = []
        for sequence in part.sequences:
            begin = follower
            for one in reversed(sequence):
                begin = self.compile(one, begin)
            begins.append(begin)
        return begins[0] if len(begins) == 1 else self.add(*begins)

    def repeat(self, repetition: Repetition, follower: _Instruction) -> _Instruction:
        begin = follower
        if repetition.most is None:
            begin = self.add()
            begin.followers = (self.compile(repetition.part, begin), follower)
        else:
            for _ in range(repetition.most - repetition.least):
                begin = self.add(self.compile(repetition.part, begin), follower)
        for _ in range(repetition.least):
            begin = self.compile(repetition.part, begin)
        return begin

    def classes(self) -> tuple[list[int], list[int], list[bool]]:
        """Returns the classes of characters that the pattern does not distinguish: where each begins, the places that a character of
        it matches, and whether it is of a word."""
        sets = [complement(one.ranges) if one.is_complement else one.ranges for one in self.sets]
        ranges = [*_WORD_CODES] if self.has_words else []
        ranges.extend(one for of_set in sets for one in of_set)
        bounds = sorted({0, *(first for first, _ in ranges), *(last + 1 for _, last in ranges)})
        masks = [0] * len(bounds)
        for place, of_set in enumerate(sets):
            for first, last in of_set:
                for index in range(bisect_right(bounds, first) - 1, bisect_right(bounds, last)):
                    masks[index] |= 1 << place
        are_words = [any(first <= code <= last for first, last in _WORD_CODES) for code in bounds]
        return bounds, masks, are_words

    def matches(self, text: str) -> bool:
        state = _State(0, False, True)
        for letter in text:
            try:
                following = state.next[letter]
            except KeyError:
                following = self.step(state, letter)
            if following is None:
                return True
            state = following
        return bool(self.reached(state, True, state.is_word) & self.end_bit)

    def step(self, state: _State, letter: str) -> _State | None:
        """Returns the state after a character, or `None` if the pattern matches before it."""
        index = bisect_right(self.bounds, ord(letter)) - 1
        is_word = self.has_words and self.are_words[index]
        reached = self.reached(state, False, state.is_word != is_word)
        following = None
        if not reached & self.end_bit:
            key = (reached & self.masks[index], is_word)
            following = self.states.get(key)
            if following is None:
                following = self.states[key] = _State(*key, False)
        self.remembered += 1
        if self.remembered > _MAX_REMEMBERED:
            # A state that is forgotten here is made again when it is needed.
            self.remembered = 0
            self.states.clear()
            self.following.clear()
        else:
            state.next[letter] = following
        return following

    def reached(self, state: _State, is_end: bool, is_boundary: bool) -> int:
        """Returns the places whose characters may come next, with the bit of the end of the pattern."""
        context = state.is_start | is_end << 1 | is_boundary << 2
        # The pattern may begin anywhere.
        places = self.begin(context)
        for position, byte in enumerate(state.places.to_bytes(self.size, "little")):
            if byte:
                found = self.following.get((context, position, byte))
                if found is None:
                    found = 0
                    for bit in range(8):
                        if byte >> bit & 1:
                            found |= self.closure(self.after[position * 8 + bit], context)
                    self.following[context, position, byte] = found
                places |= found
        return places

    def begin(self, context: int) -> int:
        """Returns the places with which the pattern can begin."""
        found = self.begins.get(context)
        if found is None:
            found = self.begins[context] = self.closure(self.start, context)
        return found

    def closure(self, begin: _Instruction, context: int) -> int:
        """Returns the places that can be reached without a character, with the bit of the end of the pattern."""
        places = 0
        seen = {begin}
        pending = [begin]
        while pending:
            instruction = pending.pop()
            if instruction.place >= 0:
                places |= 1 << instruction.place
            elif instruction is self.end:
                places |= self.end_bit
            elif not instruction.assertion or _HOLDS[instruction.assertion](context):
                new = [one for one in instruction.followers if one not in seen]
                seen.update(new)
                pending.extend(new)
        return places


# What an assertion asks of the context: bit 0 for the beginning of the text, bit 1 for its end, bit 2 for the boundary of a word.
_HOLDS: Final[dict[str, Callable[[int], bool]]] = {
    "^": lambda context: bool(context & 1),
    "$": lambda context: bool(context & 2),
    "b": lambda context: bool(context & 4),
    "B": lambda context: not context & 4,
}
