#!/usr/bin/env python3
"""Print what has changed in a list since the last run.

The input has one item per line. Items that are new, gone or changed are printed, and the list is remembered in the state file. The
first run remembers the list and prints nothing, unless `--report-first` is given. Empty lines and the order of lines do not count.

    COMMAND > new.txt && only_new.py --state list.json new.txt

A command that fails then changes nothing. The state file is replaced at once, or not at all, and has the last 20 reports: `--last`
prints the latest one again.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import sys
import tempfile
from pathlib import Path

EXIT_STATUS = """\
exit status:
  0  compared; no output means that nothing has changed
  2  the arguments are wrong, or a file cannot be read or written; the state is as before
  3  the input is empty, and --allow-empty is not given; the state is as before
"""

MAX_BYTES = 20 * 1024 * 1024
MAX_STATE_BYTES = 64 * 1024 * 1024
KEPT_REPORTS = 20


class Failure(Exception):
    """The comparison is not possible."""


def pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"not a regular expression: {error}")


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXIT_STATUS, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", nargs="?", help="the file with the list, or `-` for standard input")
    parser.add_argument("--state", type=Path, required=True, metavar="FILE", help="where the list is remembered, such as list.json")
    parser.add_argument("--key", type=pattern, metavar="REGEX", help="what identifies an item: group 1, or the match. Other text of the item is its value, so a change of it is shown as one change")
    parser.add_argument("--ignore", type=pattern, metavar="REGEX", help="text that does not count, such as times")
    parser.add_argument("--allow-empty", action="store_true", help="an empty list means that everything is gone, not that something failed")
    parser.add_argument("--no-gone", action="store_true", help="do not print what is gone")
    parser.add_argument("--report-first", action="store_true", help="the first run prints all items as new")
    parser.add_argument("--max", type=int, default=50, metavar="N", help="print at most N changes, and the number of the others (default: 50)")
    parser.add_argument("--last", action="store_true", help="print the latest report again, and compare nothing")
    return parser


def read_items(source: str, key: re.Pattern[str] | None, ignore: re.Pattern[str] | None) -> dict[str, str]:
    """Returns the items by their key. If two items have one key, both are kept, the second with a number."""
    if source == "-":
        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        with open(source, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise Failure(f"the input has more than {MAX_BYTES:,} bytes: make a shorter list")
    items: dict[str, str] = {}
    # Sorted, so that the numbers of equal keys do not depend on the order of the lines.
    for line in sorted(filter(None, (line.strip() for line in raw.decode("utf-8-sig", "replace").splitlines()))):
        compared = ignore.sub("", line).strip() if ignore else line
        found = key.search(compared) if key else None
        name = base = ((found[1] if found.re.groups else found[0]) or compared) if found else compared
        number = 2
        while name in items:
            name, number = f"{base} #{number}", number + 1
        items[name] = compared
    return items


def read_state(path: Path) -> dict | None:
    """Returns the state, or `None` before the first run."""
    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_STATE_BYTES + 1)
    except FileNotFoundError:
        return None
    try:
        state = json.loads(raw)
        items, reports = state["items"], state["reports"]
        if all(isinstance(text, str) for text in items.values()) and all(isinstance(report["text"], str) for report in reports):
            return state
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise Failure(f"{path} is not a state file of this program; move it away to begin again")


def write_state(path: Path, state: dict) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(state, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def changes(old: dict[str, str], new: dict[str, str], with_gone: bool) -> list[str]:
    found = [f"new: {new[name]}" for name in new if name not in old]
    found += [f"changed: {old[name]} -> {new[name]}" for name in new if name in old and old[name] != new[name]]
    return found + [f"gone: {old[name]}" for name in old if name not in new and with_gone]


def main() -> int:
    parser = arguments()
    options = parser.parse_args()
    if options.max < 1:
        parser.error("--max takes a number from 1 on")
    if options.last == bool(options.input):
        parser.error("give either an input or --last")
    try:
        state = read_state(options.state)
        if options.last:
            reports = state["reports"] if state else []
            print(f"{reports[-1]['time']}\n{reports[-1]['text']}" if reports else "no report yet")
            return 0
        items = read_items(options.input, options.key, options.ignore)
        if not items and not options.allow_empty:
            print("the input is empty: nothing was compared. If this is right, give --allow-empty", file=sys.stderr)
            return 3
        old = state["items"] if state else {} if options.report_first else items
        found = changes(old, items, not options.no_gone)
        shown = found[: options.max] + ([f"and {len(found) - options.max} more changes"] if len(found) > options.max else [])
        reports = state["reports"] if state else []
        if found:
            now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
            reports = [*reports, {"time": now, "text": "\n".join(shown)}][-KEPT_REPORTS:]
        if not state or state["items"] != items:
            write_state(options.state, {"items": items, "reports": reports})
    except (OSError, Failure) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for line in shown:
        print(line)
    return 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main())
