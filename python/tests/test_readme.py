from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any

import compare

CATALOG: dict[str, Any] = {
    "format": 1,
    "dialects": ["openai"],
    "facts": [],
    "toolsets": [],
    "tools": [
        {
            "name": "add_note",
            "toolset": "notes",
            "arguments": [
                {"types": ["object"], "properties": [{"name": "text", "node": 1}, {"name": "tags", "node": 2}]},
                {"types": ["string"]},
                {"types": ["array"], "items": 1},
            ],
            "definitions": {"openai": ["{}"]},
        }
    ],
}


class Readme(unittest.TestCase):
    def test_the_example_prints_what_its_comments_say(self) -> None:
        text = (compare.ROOT / "python" / "README.md").read_text(encoding="utf-8")
        examples = [one for one in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "Catalog.load" in one]
        self.assertEqual(len(examples), 1)
        printed = io.StringIO()
        before = Path.cwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
            os.chdir(folder)
            try:
                Path("catalog.json").write_text(json.dumps(CATALOG), encoding="utf-8")
                exec(compile(examples[0], "README.md", "exec"), {})
            finally:
                os.chdir(before)
        self.assertEqual(printed.getvalue().splitlines(), re.findall(r"print\(.*\)  # (.*)", examples[0]))


if __name__ == "__main__":
    unittest.main()
