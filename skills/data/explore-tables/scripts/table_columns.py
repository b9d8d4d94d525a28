"""What is known about the columns of a table, in memory that does not grow with the number of rows."""

from __future__ import annotations

import collections
import hashlib
import heapq
import json
import math
import random
import re

BATCH = 2_000  # rows that are counted together
SKETCH = 1_024  # hashes kept per column: the error of an estimate is about 1 / sqrt(SKETCH)
FREQUENT = 1_000  # values kept per column to find the most frequent ones
SAMPLE = 1_000  # rows kept to estimate quantiles
KEY = 120  # characters by which long values are kept; a hash stands for the rest
MAX_COLUMNS = 512
BATCH_CHARS = 8 * 1024 * 1024  # a batch with more characters is counted earlier

KIND = re.compile(
    r"""(?P<padded>0\d+)\Z
    |(?P<integer>[+-]?\d+)\Z
    |(?P<number>[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?)\Z
    |(?P<decimal_comma>[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+)\Z
    |(?P<thousands>[+-]?\d{1,3}(?:,\d{3}){2,}(?:\.\d+)?|[+-]?\d{1,3},\d{3}\.\d+)\Z
    |(?P<boolean>(?i:true|false|yes|no))\Z
    |(?P<datetime>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\ ?(?:Z|UTC|[+-]\d\d:?\d\d))?)\Z
    |(?P<date>\d{4}-\d\d-\d\d)\Z
    |(?P<other_date>\d{1,2}(?P<mark>[./-])\d{1,2}(?P=mark)(?:\d{4}|\d\d))\Z
    |(?P<null_word>(?i:na|n/a|null|none|nan|nil|-|\?|\\N|\#n/a))\Z
    """,
    re.VERBOSE | re.ASCII,
)
NUMERIC = {"integer", "number", "padded", "decimal_comma", "thousands"}
ORDERED = {"date", "datetime"}
NAMES = {
    "padded": "digits with leading zeros",
    "decimal_comma": "number with a decimal comma",
    "thousands": "number with thousands separators",
    "other_date": "date such as 31.12.2024 or 12/31/24",
    "null_word": "word for a missing value",
}
ADVICE = {
    "padded": "keep it as text: a number loses the zeros",
    "decimal_comma": "replace the comma before converting it",
    "thousands": "remove the separators before converting it",
    "other_date": "whether day or month comes first is not certain: look for values above 12",
    "null_word": "treat it as missing",
}


def shorten(text: str, limit: int = 60) -> str:
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return json.dumps(text, ensure_ascii=False) if text != text.strip() or not text.isprintable() or not text else text


def kind_of(value: object) -> str:
    """Returns the kind of a cell. Texts are looked into, other values have the kind of their type."""
    if isinstance(value, str):
        stripped = value.strip()
        if not stripped:
            return "empty"
        found = KIND.match(stripped) if len(stripped) <= 64 else None
        return found.lastgroup if found else "text"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return {list: "array", dict: "object", bytes: "blob"}.get(type(value), type(value).__name__)


def as_number(value: object, kind: str) -> float | None:
    try:
        if not isinstance(value, str):
            return float(value)
        text = value.strip()
        if kind == "decimal_comma":
            text = text.replace(".", "").replace(",", ".")
        elif kind == "thousands":
            text = text.replace(",", "")
        return float(text)
    except (ValueError, OverflowError):
        return None


class Column:
    """What is known about a column. Its size does not depend on the number of rows."""

    def __init__(self, name: str, declared: str = "") -> None:
        self.name, self.declared = name, declared
        self.kinds: collections.Counter[str] = collections.Counter()
        self.examples: dict[str, list[tuple[str, int]]] = {}
        self.spaces = 0
        self.total, self.numbers = 0.0, 0
        self.low: dict[str, object] = {}
        self.high: dict[str, object] = {}
        self.longest = self.shortest = None
        self.frequent: dict[str, int] = {}
        self.dropped = 0  # by how much the counts in `frequent` can be too low
        self.sketch: list[int] = []  # the smallest hashes, negated: a heap with the largest on top
        self.hashes: set[int] = set()
        self.large = False  # an integer that a double cannot hold

    def add(self, values: list, lines: list[int]) -> None:
        cells = [value if isinstance(value, (str, int, float, type(None))) else rendered(value) for value in values]
        seen: dict[tuple, int] = {}
        for position, key in enumerate(zip(map(type, values), cells)):
            seen[key] = seen.get(key, 0) + 1
            if seen[key] == 1:
                kind = kind_of(values[position])
                kept = self.examples.setdefault(kind, [])
                if len(kept) < 3 and kind not in ("null", "empty"):
                    kept.append((shorten(str(cells[position])), lines[position]))
        for (of_type, cell), count in seen.items():
            self.count(of_type, cell, count)
        if len(self.frequent) > 2 * FREQUENT:
            self.forget()

    def count(self, of_type: type, cell: object, count: int) -> None:
        kind = kind_of(cell) if of_type in (str, int, float, bool, type(None)) else kind_of(of_type())
        self.kinds[kind] += count
        if kind in ("null", "empty"):
            return
        text = cell if isinstance(cell, str) else str(cell)
        if of_type is str and (cell[0].isspace() or cell[-1].isspace()):
            self.spaces += count
        if kind in NUMERIC:
            self.measure(kind, cell, count)
        elif kind in ORDERED:
            self.widen(kind, text.strip())
        length = len(text)
        self.shortest = length if self.shortest is None else min(self.shortest, length)
        self.longest = length if self.longest is None else max(self.longest, length)
        hashed = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        key = text if length <= KEY else f"{text[:KEY]}…#{hashed:016x}"
        self.frequent[key] = self.frequent.get(key, 0) + count
        if len(self.sketch) < SKETCH or hashed < -self.sketch[0]:
            self.remember(hashed)

    def measure(self, kind: str, cell: object, count: int) -> None:
        number = as_number(cell, kind)
        if number is None or not math.isfinite(number):
            return
        self.total += number * count
        self.numbers += count
        self.widen("number", number)
        if kind == "integer" and abs(number) > 2**53:
            self.large = True

    def widen(self, kind: str, value: object) -> None:
        if kind not in self.low or value < self.low[kind]:
            self.low[kind] = value
        if kind not in self.high or value > self.high[kind]:
            self.high[kind] = value

    def remember(self, hashed: int) -> None:
        if hashed in self.hashes:
            return
        self.hashes.add(hashed)
        heapq.heappush(self.sketch, -hashed)
        if len(self.sketch) > SKETCH:
            self.hashes.discard(-heapq.heappop(self.sketch))

    def forget(self) -> None:
        """Keeps the most frequent values (Misra and Gries): every count is too low by at most `dropped`."""
        limit = heapq.nlargest(FREQUENT + 1, self.frequent.values())[-1]
        self.dropped += limit
        self.frequent = {key: count - limit for key, count in self.frequent.items() if count > limit}

    def distinct(self) -> tuple[int, bool]:
        """Returns the number of different values, and whether it is exact."""
        if len(self.sketch) < SKETCH:
            return len(self.sketch), True
        return round((SKETCH - 1) * 2**64 / -self.sketch[0]), False

    def report(self, rows: int, sample: list) -> dict:
        missing = self.kinds["null"] + self.kinds["empty"]
        kinds = {kind: n for kind, n in self.kinds.most_common() if kind not in ("null", "empty")}
        distinct, exact = self.distinct()
        known = rows - missing
        report = {"name": self.name, "declared": self.declared, "kinds": kinds, "empty": missing, "distinct": min(distinct, known), "distinct_is_exact": exact}
        main = next(iter(kinds), None)
        report["examples"] = {k: self.examples.get(k, []) for k in kinds if k != main or k in ADVICE}
        if self.numbers:
            numbers = sorted(n for n in (as_number(v, kind_of(v)) for v in sample if kind_of(v) in NUMERIC) if n is not None)
            report["number"] = {"min": self.low.get("number"), "max": self.high.get("number"), "mean": self.total / self.numbers}
            if numbers:
                report["number"]["quartiles"] = [numbers[min(len(numbers) - 1, len(numbers) * q // 4)] for q in (1, 2, 3)]
        for kind in ORDERED & kinds.keys():
            report[kind] = {"min": self.low[kind], "max": self.high[kind]}
        if self.longest is not None and main in ("text", "array", "object", "blob"):
            report["characters"] = {"min": self.shortest, "max": self.longest}
        top = heapq.nsmallest(5, self.frequent.items(), key=lambda item: (-item[1], item[0]))
        report["frequent"] = [[shorten(key), n] for key, n in top if n > 1 and n > self.dropped / 10]
        report["frequent_too_low_by"] = self.dropped
        report["advice"] = [f"{NAMES[k]}: {ADVICE[k]}" for k in kinds if k in ADVICE]
        if self.spaces:
            report["advice"].append(f"{self.spaces} values begin or end with white space: strip them before comparing")
        if self.large:
            report["advice"].append("integers above 2^53: a float, JavaScript and spreadsheets round them")
        if len(set(kinds) & NUMERIC) > 1 and set(kinds) & {"decimal_comma", "thousands"}:
            report["advice"].append("numbers in several notations: convert each by its own rule")
        return report


def rendered(value: object) -> str:
    if isinstance(value, bytes):
        return f"{len(value)} bytes {value[:16].hex()}"
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def small(cell: object) -> object:
    """Returns a cell for the sample: what cannot be a number is left out."""
    return cell if isinstance(cell, (int, float)) or isinstance(cell, str) and len(cell) <= 64 else None


class Table:
    """Counts rows in batches: equal values of a batch are looked at once."""

    def __init__(self, name: str, columns: list[str] = (), declared: list[str] = (), unit: str = "line") -> None:
        self.name, self.rows, self.hidden, self.facts, self.unit = name, 0, 0, {}, unit
        self.columns: dict[str, Column] = {}
        for index, column in enumerate(list(columns)[:MAX_COLUMNS]):
            self.columns[column] = Column(column, declared[index] if index < len(declared) else "")
        self.hidden = max(0, len(columns) - MAX_COLUMNS)
        self.batch: list = []
        self.chars = 0  # of the batch
        self.lines: list[int] = []
        self.sample: list = []
        self.random = random.Random(0)

    def add(self, row: object, line: int, chars: int) -> None:
        """Adds a row of about `chars` characters: a list in the order of the columns, or a dict."""
        self.rows += 1
        place = self.rows - 1 if self.rows <= SAMPLE else self.random.randrange(self.rows)
        if place < SAMPLE:
            kept = {key: small(cell) for key, cell in row.items()} if isinstance(row, dict) else [small(cell) for cell in row]
            self.sample[place : place + 1] = [kept]
        self.batch.append(row)
        self.lines.append(line)
        self.chars += chars
        if len(self.batch) >= BATCH or self.chars >= BATCH_CHARS:
            self.flush()

    def flush(self) -> None:
        if self.batch and isinstance(self.batch[0], dict):
            new = [name for name in {name: None for row in self.batch for name in row} if name not in self.columns]
            room = MAX_COLUMNS - len(self.columns)
            self.hidden = max(self.hidden, len(new) - room)
            for name in new[:room]:
                self.columns[name] = Column(name)
                self.columns[name].kinds["null"] = self.rows - len(self.batch)
            for name, column in self.columns.items():
                column.add([row.get(name) for row in self.batch], self.lines)
        elif self.batch:
            for column, values in zip(self.columns.values(), zip(*self.batch)):
                column.add(values, self.lines)
        self.batch, self.lines, self.chars = [], [], 0

    def report(self) -> dict:
        self.flush()
        columns = []
        for index, (name, column) in enumerate(self.columns.items()):
            values = [row.get(name) if isinstance(row, dict) else row[index] for row in self.sample]
            columns.append(column.report(self.rows, values))
        report = {"table": self.name, "rows": self.rows, "places_are": self.unit, **self.facts, "columns": columns}
        if self.hidden:
            report["columns_left_out"] = self.hidden
        return report
