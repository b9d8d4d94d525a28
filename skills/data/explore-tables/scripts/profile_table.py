#!/usr/bin/env python3
"""Describe the tables in a CSV, JSON, JSON Lines or SQLite file.

The file is read once, row by row, in memory that does not grow with the number of rows. Nothing is written. Text files may be
compressed with gzip, bzip2 or xz.

Per column: the kinds of its values, empty values, the number of different values (exact below 1,024, otherwise estimated to about
3 %), the range and the most frequent values. About the file: encoding, delimiter, header, rows of another length, and damaged
parts, each with the number of its first line.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import os
import sqlite3
import sys
import time
import zlib
from pathlib import Path

sys.dont_write_bytecode = True  # the folder of a skill stays as it was installed

from table_columns import NAMES, shorten
from table_readers import MAX_LINE, Problems, Unreadable, tables_of

EXIT_STATUS = """\
exit status:
  0    the file was read, and nothing looks damaged
  1    the file was read, and `problems` lists what looks damaged
  2    the file cannot be read, or the arguments are wrong
  130  interrupted
"""

def number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def print_column(index: int, column: dict, rows: int, unit: str) -> None:
    def share(n: int) -> str:
        percent = 100 * n / rows
        return "100 %" if n == rows else "under 0.1 %" if percent < 0.1 else "over 99.9 %" if percent > 99.9 else f"{percent:.1f} %"

    print(f"\n{index} {shorten(column['name'])}" + (f" [{column['declared']}]" if column["declared"] else ""))
    for kind, count in column["kinds"].items():
        examples = ", ".join(f"{text} ({unit} {place})" for text, place in column["examples"].get(kind, []))
        print(f"    {NAMES.get(kind, kind)}: {count:,} ({share(count)})" + (f": {examples}" if examples else ""))
    if column["empty"]:
        print(f"    empty: {column['empty']:,} ({share(column['empty'])})")
    if column["kinds"]:
        print(f"    different values: {'' if column['distinct_is_exact'] else 'about '}{column['distinct']:,}")
    if "number" in column:
        of = column["number"]
        quartiles = "; quartiles about " + ", ".join(map(number, of["quartiles"])) if "quartiles" in of else ""
        print(f"    from {number(of['min'])} to {number(of['max'])}, mean {number(of['mean'])}{quartiles}")
    for kind in ("date", "datetime"):
        if kind in column:
            print(f"    {kind}: from {column[kind]['min']} to {column[kind]['max']}")
    if "characters" in column:
        print(f"    characters: {column['characters']['min']} to {column['characters']['max']:,}")
    if column["frequent"]:
        low = " (counts are too low by at most " + f"{column['frequent_too_low_by']:,})" if column["frequent_too_low_by"] else ""
        print("    most frequent: " + ", ".join(f"{key} ({count:,})" for key, count in column["frequent"]) + low)
    for advice in column["advice"]:
        print(f"    note: {advice}")


def print_report(report: dict) -> None:
    for table in report["tables"]:
        print(f"{table['table']}: {table['rows']:,} rows, {len(table['columns']) + table.get('columns_left_out', 0):,} columns")
        for key, value in table.items():
            if key not in ("table", "rows", "columns", "places_are") and value not in (None, [], ""):
                print(f"  {key.replace('_', ' ')}: {shorten(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
        for index, column in enumerate(table["columns"], 1):
            print_column(index, column, max(1, table["rows"]), table["places_are"])
        print()
    print("problems:" if report["problems"] else "problems: none found")
    for problem in report["problems"]:
        print(f"  {problem}")
    print(f"read in {report['seconds']} s")


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXIT_STATUS, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="the file")
    parser.add_argument("--format", choices=["auto", "csv", "jsonl", "json", "sqlite"], default="auto", help="by default guessed from the content")
    parser.add_argument("--delimiter", help="one character, or `tab`; by default guessed")
    parser.add_argument("--encoding", help="such as cp1252; by default guessed")
    parser.add_argument("--header", dest="header", action="store_true", default=None, help="the first row has the names of the columns")
    parser.add_argument("--no-header", dest="header", action="store_false", help="the first row is data; by default this is guessed")
    parser.add_argument("--table", help="only this table of a SQLite database")
    parser.add_argument("--rows", type=int, default=0, metavar="N", help="stop after N rows of each table; by default all are read")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def main() -> int:
    parser = arguments()
    options = parser.parse_args()
    if options.delimiter in ("tab", "\\t"):
        options.delimiter = "\t"
    if options.delimiter is not None and len(options.delimiter) != 1:
        parser.error("--delimiter takes one character, or `tab`")
    if options.rows < 0:
        parser.error("--rows takes a number from 0 on")
    csv.field_size_limit(MAX_LINE)
    problems, started = Problems(), time.monotonic()
    try:
        if not options.file.is_file():
            raise Unreadable("no such file" if not options.file.exists() else "this is not a file")
        tables = [table.report() for table in tables_of(options.file, options, problems)]
    except (Unreadable, OSError, EOFError, zlib.error, lzma.LZMAError, sqlite3.Error) as error:
        print(f"error: {options.file}: {error}", file=sys.stderr)
        return 2
    report = {"tables": tables, "problems": problems.report(), "seconds": round(time.monotonic() - started, 1)}
    if options.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        print_report(report)
    sys.stdout.flush()
    return 1 if report["problems"] else 0


if __name__ == "__main__":
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
