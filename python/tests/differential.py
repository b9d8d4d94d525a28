"""Reads rows of vectors from standard input, and prints how many cases differ, with the first differences."""

from __future__ import annotations

import json
import sys
from itertools import islice

from compare import differences


def main() -> int:
    found = differences(sys.stdin)
    count = 0
    for number, expected, actual in islice(found, 3):
        count += 1
        print(f"row {number}: {expected['sent']}")
        for word, case in (("expected", expected), ("actual", actual)):
            print(f"  {word}: {json.dumps(case, ensure_ascii=False)}")
    count += sum(1 for _ in found)
    print(f"{count} cases differ")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
