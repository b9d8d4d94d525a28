"""Readers of tables: each yields the tables of a file, row by row, and notes what looks damaged."""

from __future__ import annotations

import bz2
import codecs
import collections
import csv
import gzip
import io
import json
import lzma
import re
import sqlite3
from pathlib import Path

from table_columns import MAX_COLUMNS, Table, kind_of, shorten

MAX_LINE = 16 * 1024 * 1024  # characters of a line, and of one element of a JSON array
MAX_PROBLEMS = 40
SUSPICIOUS_LINES = 100  # a CSV row of more lines probably has a quote that is never closed
DELIMITERS = [",", ";", "\t", "|"]
NO_DELIMITER = "\x1f"


class Unreadable(Exception):
    """The file cannot be read at all."""


class Problems:
    def __init__(self) -> None:
        self.found: dict[str, list[int]] = {}

    def add(self, what: str, line: int) -> None:
        entry = self.found.setdefault(what, [0, line]) if len(self.found) < MAX_PROBLEMS else self.found.get(what)
        if entry:
            entry[0] += 1

    def report(self) -> list[str]:
        return [f"{what} ({n} times, first at line {line})" if n > 1 else f"{what} (line {line})" if line else what for what, (n, line) in self.found.items()]


class Lines:
    """The lines of a text file, with their number, decoded as they are read."""

    def __init__(self, path: Path, encoding: str | None, problems: Problems) -> None:
        self.problems, self.number = problems, 0
        self.binary, self.compression = open_binary(path)
        sample = read_fully(self.binary, 1024 * 1024)
        self.binary.seek(0)
        self.encoding = encoding or guess_encoding(sample)
        codecs.register_error("count", self.undecodable)
        try:
            self.text = io.TextIOWrapper(self.binary, encoding=self.encoding, errors="count", newline="")
        except LookupError:
            raise Unreadable(f"unknown encoding `{self.encoding}`: write one that Python knows, such as `utf-8` or `cp1252`")

    def undecodable(self, error: UnicodeError) -> tuple[str, int]:
        self.problems.add(f"bytes that are not {self.encoding}; if they are many, try --encoding cp1252", self.number + 1)
        return "\ufffd", error.end

    def read(self) -> str:
        line = self.text.readline(MAX_LINE)
        if len(line) >= MAX_LINE:
            raise Unreadable(f"line {self.number + 1} is longer than {MAX_LINE} characters: is it really a table in text form?")
        self.number += bool(line)
        if "\0" in line:
            self.problems.add("NUL characters, which were removed", self.number)
            line = line.replace("\0", "")
        return line

    def __iter__(self):
        return iter(self.read, "")


def read_fully(file, size: int) -> bytes:
    parts, left = [], size
    while left and (part := file.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def open_binary(path: Path):
    """Opens a file, decompressed, and returns the name of the compression."""
    with open(path, "rb") as file:
        head = file.read(8)
    for magic, name, opener in [(b"\x1f\x8b", "gzip", gzip.open), (b"BZh", "bzip2", bz2.open), (b"\xfd7zXZ", "xz", lzma.open)]:
        if head.startswith(magic):
            return opener(path, "rb"), name
    others = {b"PK\x03\x04": "a ZIP archive, perhaps XLSX or ODS: export a sheet as CSV", b"PAR1": "Parquet: DuckDB or pyarrow read it", b"%PDF": "a PDF: extract the table first", b"\xd0\xcf\x11\xe0": "an old Office file: export it as CSV", b"\x28\xb5\x2f\xfd": "compressed with zstd: `zstd -dk` unpacks it"}
    for magic, name in others.items():
        if head.startswith(magic):
            raise Unreadable(f"this is {name}")
    return open(path, "rb"), None


def guess_encoding(sample: bytes) -> str:
    for bom, name in [(codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")]:
        if sample.startswith(bom):
            return name
    for offset, name in [(1, "utf-16-le"), (0, "utf-16-be")]:
        if len(sample) >= 4 and sample[offset::2].count(0) > len(sample) * 0.3:
            return name
    control = sum(sample.count(byte) for byte in range(32) if byte not in b"\t\n\f\r")
    if control > len(sample) * 0.02:
        raise Unreadable("this looks like a binary file; if it is text, give --encoding")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


# CSV


def guess_delimiter(lines: list[str], only: str | None) -> tuple[str, int]:
    """Returns the delimiter by which most rows of the sample have the same number of cells, and this number.

    The first row counts most, because headers rarely contain another delimiter. Without a delimiter, each line is one cell.
    """
    best, width, score = NO_DELIMITER, 1, (False, 0.0, 0)
    for delimiter in [only] if only else DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:
            continue
        if not widths:
            continue
        usual, count = collections.Counter(widths).most_common(1)[0]
        share = count / len(widths)
        fits = widths[0] == usual and share >= 0.3
        if usual > 1 and (fits or share >= 0.6) and (fits, round(share, 2), usual) > score:
            best, width, score = delimiter, usual, (fits, round(share, 2), usual)
    return (only or best), width


def looks_like_header(row: list[str]) -> bool:
    kinds = [kind_of(cell) for cell in row]
    return any(kind != "empty" for kind in kinds) and all(kind in ("text", "empty") for kind in kinds)


def unique_names(row: list[str], problems: Problems, line: int) -> list[str]:
    names: dict[str, None] = {}
    for index, cell in enumerate(row):
        name = base = cell.strip() or f"column {index + 1}"
        if not cell.strip():
            problems.add("the header has a column without a name", line)
        number = 2
        while name in names:
            name, number = f"{base} ({number})", number + 1
        if name != base:
            problems.add(f"the header has the name {shorten(base)} more than once", line)
        names[name] = None
    return list(names)


def csv_tables(path: Path, options, problems: Problems):
    lines = Lines(path, options.encoding, problems)
    head = []
    while len(head) < 200 and sum(map(len, head)) < 256 * 1024 and (line := lines.read()):
        head.append(line)
    marked = re.match(r"sep=(.)\r?\n?\Z", head[0]) if head else None  # Excel writes and reads this line
    skipped = 1 if marked else 0
    delimiter, width = guess_delimiter(head[skipped:], options.delimiter or (marked and marked[1]))
    records = Records(Counted(head[skipped:], lines, skipped), delimiter, problems)
    table = None
    for row, line in records:
        if table is None:
            if len(row) != width and line < len(head):
                problems.add("rows before the table, which were skipped; if they belong to it, give --delimiter", line)
                continue
            header = options.header if options.header is not None else looks_like_header(row)
            names = unique_names(row, problems, line) if header else [f"column {i + 1}" for i in range(len(row))]
            table = Table(path.name, names)
            table.facts = {"format": "CSV", "encoding": lines.encoding, "compression": lines.compression}
            table.facts["delimiter"] = "none found" if delimiter == NO_DELIMITER else delimiter
            table.facts["header_line"] = line if header else "no header"
            if header:
                continue
        if len(row) != len(names):
            problems.add(f"rows of {len(row)} cells instead of {len(names)}", line)
            row = row[: len(names)] + [None] * (len(names) - len(row))
        table.add(row, line, records.source.chars)
        if options.rows and table.rows >= options.rows:
            table.facts["stopped_after_rows"] = options.rows
            break
    if table is None:
        problems.add("the file has no rows", 0)
        return
    if records.long:
        table.facts["rows_with_line_breaks"] = {"rows": records.long, "most_lines": records.longest, "at_line": records.longest_at}
    yield table


class Records:
    """The records of a CSV file, each with the number of its first line. Notes the traces of quotes that are never closed."""

    def __init__(self, source: Counted, delimiter: str, problems: Problems) -> None:
        self.source, self.problems = source, problems
        self.reader = csv.reader(source, delimiter=delimiter)
        self.long, self.longest, self.longest_at = 0, 1, 0

    def __iter__(self):
        last, open_since = self.source.number, 0
        while True:
            self.source.quotes = self.source.chars = 0
            try:
                row = next(self.reader, None)
            except csv.Error as error:
                self.problems.add(f"reading stopped, {error}: probably a quote that is never closed", last + 1)
                return
            if row is None:
                break
            first, last = last + 1, self.source.number
            open_since = 0
            if last > first:
                self.long += 1
                open_since = first if self.source.quotes % 2 else 0
                if last - first >= self.longest:
                    self.longest, self.longest_at = last - first + 1, first
            if row:
                yield row, first
            else:
                self.problems.add("empty lines", first)
        if open_since:
            self.problems.add(f"a quote that is never closed: the rest of the file, to line {last}, became one row", open_since)
        elif self.longest > SUSPICIOUS_LINES:
            self.problems.add(f"a row of {self.longest} lines: perhaps a quote that is never closed", self.longest_at)


class Counted:
    """Lines that were read ahead and those that follow, with the number of lines and quotes that were taken."""

    def __init__(self, head: list[str], rest: Lines, number: int) -> None:
        self.head, self.rest, self.number, self.quotes, self.chars = iter(head), iter(rest), number, 0, 0

    def __iter__(self):
        return self

    def __next__(self) -> str:
        line = next(self.head, None)
        if line is None:
            line = next(self.rest)
        self.number += 1
        self.chars += len(line)
        self.quotes += line.count('"')
        return line


# JSON


def flattened(value: object) -> dict:
    """Returns a row: objects become names with dots, down to three levels, and anything else the column `value`."""
    if not isinstance(value, dict):
        return {"value": value}
    row: dict[str, object] = {}
    stack = [("", value, 0)]
    while stack:
        prefix, part, depth = stack.pop()
        for key, inner in part.items():
            if isinstance(inner, dict) and inner and depth < 2:
                stack.append((f"{prefix}{key}.", inner, depth + 1))
            else:
                row[prefix + key] = inner
    return row


def jsonl_tables(path: Path, options, problems: Problems):
    lines, table = Lines(path, options.encoding, problems), Table(path.name)
    table.facts = {"format": "JSON Lines", "encoding": lines.encoding, "compression": lines.compression}
    for line in lines:
        if not line.strip():
            continue
        try:
            table.add(flattened(json.loads(line)), lines.number, len(line))
        except (ValueError, RecursionError) as error:
            problems.add(f"lines that are not JSON: {getattr(error, 'msg', type(error).__name__)}", lines.number)
        if options.rows and table.rows >= options.rows:
            table.facts["stopped_after_rows"] = options.rows
            break
    yield table


class JsonStream:
    """Decodes one value after another from a text of any length."""

    def __init__(self, lines: Lines) -> None:
        self.lines, self.buffer, self.at, self.ended, self.taken = lines, "", 0, False, 0
        self.decoder = json.JSONDecoder()

    def fill(self) -> None:
        kept = self.buffer[self.at :]
        if len(kept) > MAX_LINE:
            raise ValueError(f"a value is damaged, or longer than {MAX_LINE:,} characters")
        part = self.lines.text.read(max(256 * 1024, len(kept)))
        self.lines.number += self.buffer.count("\n", 0, self.at)
        self.buffer, self.at, self.ended = kept + part, 0, not part

    def peek(self) -> str:
        """Returns the next character that is not white space, or an empty text at the end."""
        while True:
            while self.at < len(self.buffer) and self.buffer[self.at] in " \t\r\n":
                self.at += 1
            if self.at < len(self.buffer) or self.ended:
                return self.buffer[self.at : self.at + 1]
            self.fill()

    def take(self, expected: str) -> None:
        if self.peek() != expected:
            raise ValueError(f"expected `{expected}`, found `{self.peek() or 'the end of the file'}`")
        self.at += 1

    def value(self) -> object:
        self.peek()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.buffer, self.at)
            except ValueError:
                if self.ended:
                    raise
            else:
                # A number at the end of the buffer can continue after it.
                if self.ended or self.buffer[end : end + 1] in (" ", "\t", "\r", "\n", ",", ":", "]", "}"):
                    self.taken, self.at = end - self.at, end
                    return value
            self.fill()

    def line(self) -> int:
        return self.lines.number + 1 + self.buffer.count("\n", 0, self.at)


def elements(stream: JsonStream, table: Table, options) -> None:
    stream.take("[")
    if stream.peek() == "]":
        stream.take("]")
        return
    while True:
        row = flattened(stream.value())
        table.add(row, table.rows + 1, stream.taken)
        if options.rows and table.rows >= options.rows:
            table.facts["stopped_after_rows"] = options.rows
            return
        if stream.peek() != ",":
            stream.take("]")
            return
        stream.take(",")


def json_tables(path: Path, options, problems: Problems):
    lines = Lines(path, options.encoding, problems)
    stream = JsonStream(lines)
    facts = {"format": "JSON", "encoding": lines.encoding, "compression": lines.compression}
    stopped = False
    try:
        tables = [(path.name, None)] if stream.peek() == "[" else members(stream)
        single: dict[str, object] = {}
        for name, value in tables:
            if value is not None:
                single[name] = value[0]
                continue
            table = Table(name if name == path.name else f"{path.name}: {name}", unit="row")
            table.facts = dict(facts)
            try:
                elements(stream, table, options)
            finally:
                yield table
            if stopped := "stopped_after_rows" in table.facts:
                break
        if single:
            table = Table(f"{path.name}: other members", unit="row")
            table.facts = dict(facts)
            table.add(flattened(single), 1, 0)
            yield table
        if not stopped and stream.peek():
            problems.add("text after the end of the JSON value; if each line is a value, give --format jsonl", stream.line())
    except (ValueError, RecursionError) as error:
        problems.add(f"damaged JSON, reading stopped: {getattr(error, 'msg', None) or error or type(error).__name__}", stream.line())


def members(stream: JsonStream):
    """Yields the members of an object: the name with a value in a tuple, or with None if an array follows, which the caller reads."""
    stream.take("{")
    while stream.peek() != "}":
        name = stream.value()
        if not isinstance(name, str):
            raise ValueError("expected the name of a member")
        stream.take(":")
        yield name, (None if stream.peek() == "[" else (stream.value(),))
        if stream.peek() != "}":
            stream.take(",")
    stream.take("}")


# SQLite


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def sqlite_tables(path: Path, options, problems: Problems):
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")]
    if options.table and options.table not in names:
        raise Unreadable(f"there is no table `{options.table}`; there are: {', '.join(names) or 'none'}")
    listed_only = len(names) > 20 and not options.table
    if not names:
        problems.add("the database has no tables", 0)
    for name in [options.table] if options.table else names:
        try:
            about = database.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
            keys = database.execute(f"PRAGMA foreign_key_list({quoted(name)})").fetchall()
            table = Table(name, [column[1] for column in about], [column[2] + (" PRIMARY KEY" if column[5] else "") for column in about], unit="row")
            table.facts = {"format": "SQLite", "foreign_keys": [f"{key[3]} → {key[2]}.{key[4]}" for key in keys]}
            if listed_only:
                table.facts["listed_only"] = "more than 20 tables: give --table NAME"
                (table.rows,) = database.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()
                table.columns, table.hidden = {}, len(about)
            else:
                columns = ", ".join(quoted(column[1]) for column in about[:MAX_COLUMNS])
                limit = f" LIMIT {options.rows}" if options.rows else ""
                for number, row in enumerate(database.execute(f"SELECT {columns} FROM {quoted(name)}{limit}"), 1):
                    table.add(row, number, sum(len(cell) for cell in row if isinstance(cell, (str, bytes))))
                if options.rows and table.rows >= options.rows:
                    table.facts["stopped_after_rows"] = options.rows
        except sqlite3.Error as error:
            problems.add(f"the table `{name}` cannot be read: {error}", 0)
            continue
        yield table
    database.close()


def tables_of(path: Path, options, problems: Problems):
    form = options.format
    if form == "auto":
        with open(path, "rb") as file:
            is_sqlite = file.read(16) == b"SQLite format 3\0"
        form = "sqlite" if is_sqlite else guess_text_format(path, options.encoding)
    return {"csv": csv_tables, "jsonl": jsonl_tables, "json": json_tables, "sqlite": sqlite_tables}[form](path, options, problems)


def guess_text_format(path: Path, encoding: str | None) -> str:
    lines = Lines(path, encoding, Problems())
    start = lines.text.read(64 * 1024).lstrip("\ufeff \t\r\n")
    lines.text.close()
    first = start.splitlines()[0] if start else ""
    if start[:1] == "[" and re.match(r'\[\s*([\[{"\]\d-]|true|false|null|\Z)', start):
        return "json"
    if start[:1] == "{" and re.match(r'\{\s*("|\}|\Z)', start):
        try:
            return "jsonl" if isinstance(json.loads(first), dict) and len(start.splitlines()) > 1 else "json"
        except (ValueError, RecursionError):
            return "jsonl" if path.suffix in (".jsonl", ".ndjson") else "json"
    return "jsonl" if path.suffix in (".jsonl", ".ndjson") else "csv"
