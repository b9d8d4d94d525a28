"""Suggestions of similar names ("did you mean")."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Final

from .strings import ascii_lower, byte_len

# Longer names are ignored, because the time is quadratic in their length.
_MAX_BYTES: Final = 128
_MAX_WORDS: Final = 12
_MAX_NEAR: Final = 3
# The maximum number of names that a message lists.
_MAX_LISTED: Final = 20


def nearest(name: str, candidates: Iterable[str]) -> list[str]:
    """Returns up to three of `candidates` that `name` probably is a misspelling of, the most similar first.

    A candidate is similar if at most a third of its letters differ (swapped neighbours count as one difference; case, and `-`
    instead of `_`, are ignored), or if one name is a prefix of the other and has at least three letters.
    """
    if byte_len(name) > _MAX_BYTES:
        return []
    wanted = _fold(name)
    wanted_len = byte_len(wanted)
    similar: list[tuple[int, str]] = []
    for candidate in candidates:
        if byte_len(candidate) > _MAX_BYTES:
            continue
        folded = _fold(candidate)
        distance = _osa_distance(wanted, folded)
        short, long = sorted((wanted_len, byte_len(folded)))
        is_close = distance * 3 <= max(long, 3) and distance < long
        is_prefix = short >= 3 and (wanted.startswith(folded) or folded.startswith(wanted))
        if is_close or is_prefix:
            _insert(similar, (distance, candidate))
    return [candidate for _, candidate in similar]


def nearest_name(name: str, candidates: Iterable[str]) -> list[str]:
    """Does the same as `nearest` for names of several words, such as those of tools: also finds the same words in another order,
    form or number (`fileSearch` for `search_files`), and names with more words or fewer (`fs_read_file`)."""
    candidates = list(candidates)
    wanted = _words(name)
    ranked: list[tuple[int, str]] = []
    for candidate in candidates:
        more = _additional_words(wanted, _words(candidate))
        if more is not None:
            _insert(ranked, (more, candidate))
    same = [candidate for more, candidate in ranked if more == 0]
    if same:
        return same
    near = nearest(name, candidates)
    near.extend([candidate for _, candidate in ranked if candidate not in near])
    return near[:_MAX_NEAR]


def did_you_mean(near: Sequence[str]) -> str | None:
    """Returns the question "did you mean `a` or `b`?", or `None` if `near` is empty."""
    return f"did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else None


def suggestion(name: str, candidates: Iterable[str]) -> str:
    """Returns the question about `name` with a colon before it, to append to the message that `name` is unknown."""
    question = did_you_mean(nearest_name(name, candidates))
    return f": {question}" if question else ""


def suggestion_or_names(name: str, noun: str, known: Collection[str]) -> str:
    """Returns what `suggestion` does, or the known names if none of them is similar. `noun` says what they are, such as "tools"."""
    listed = ", ".join(f"`{one}`" for one in islice(known, _MAX_LISTED))
    more = f" and {len(known) - _MAX_LISTED} more" if len(known) > _MAX_LISTED else ""
    return suggestion(name, known) or (f": the known {noun} are {listed}{more}" if known else "")


def _insert(ranked: list[tuple[int, str]], item: tuple[int, str]) -> None:
    """Inserts an item into a sorted list without repetitions, which keeps the first three."""
    at = bisect_left(ranked, item)
    if at == len(ranked) or ranked[at] != item:
        ranked.insert(at, item)
        del ranked[_MAX_NEAR:]


def _fold(name: str) -> str:
    return ascii_lower(name).replace("-", "_")


def _osa_distance(a: str, b: str) -> int:
    """Returns the number of letters to insert, to remove, to replace or to swap with a neighbour."""
    before_last: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a):
        row = [i + 1]
        for j, other in enumerate(b):
            cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (letter != other))
            if i and j and letter != other and letter == b[j - 1] and a[i - 1] == other:
                cost = min(cost, before_last[j - 1] + 1)
            row.append(cost)
        before_last, last = last, row
    return last[-1]


def _additional_words(one: list[str], other: list[str]) -> int | None:
    """Returns how many words one of two names has in addition to all words of the other, or `None` if neither has all of them."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    rest = list(many)
    for word in few:
        for at, candidate in enumerate(rest):
            if word == candidate or (byte_len(word) > 4 and _osa_distance(word, candidate) < 2):
                del rest[at]
                break
        else:
            return None
    # A short word, such as `get`, says little.
    return len(rest) if sum(map(byte_len, few)) > 3 else None


def _words(name: str) -> list[str]:
    """Returns the words of a name in lower case and in the singular, without words such as `tool`."""
    words = [""]
    was_lower = False
    for letter in name[:128]:
        is_word = letter.isalnum()
        if not is_word or (was_lower and letter.isupper()):
            words.append("")
        if is_word:
            words[-1] += letter.lower()
        was_lower = letter.islower()
    singular = map(_singular, words)
    return [word for word in singular if word not in ("", "tool", "function")][:_MAX_WORDS]


def _singular(word: str) -> str:
    stem = word.removesuffix("s")
    return stem if stem != word and byte_len(stem) > 2 and not stem.endswith("s") else word
