"""Runs the programs of the guide `docs/languages-python.md`, and compares what they print."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
EXAMPLES = PYTHON / "examples"
sys.path.insert(0, str(PYTHON / "tests" / "libraries"))

from scripted import server

GUIDE = (ROOT / "docs" / "languages-python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```\n", GUIDE, re.DOTALL | re.MULTILINE)
LIBRARIES = ("agents", "anthropic", "fastapi", "google.genai", "langchain_core", "openai", "pydantic")
ORDER = {"customer": "c-20", "items": [{"article": "a-1", "quantity": "2"}]}

USAGE = {"input_tokens": 1, "output_tokens": 1}
MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "usage": USAGE}
RESPONSE: dict[str, Any] = {
    "id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "tools": [], "tool_choice": "auto",
    "parallel_tool_calls": True,
}  # fmt: skip
TEXT: dict[str, Any] = {"type": "output_text", "text": "done", "annotations": []}
# What each vendor's server responds to the two requests of a program.
SCRIPTS: dict[str, list[dict[str, Any]]] = {
    "ANTHROPIC": [
        {**MESSAGE, "content": [{"type": "tool_use", "id": "c", "name": "add_order", "input": ORDER}]},
        {**MESSAGE, "content": [{"type": "text", "text": "done"}]},
    ],
    "OPENAI": [
        {**RESPONSE, "output": [{"type": "function_call", "call_id": "c", "name": "add_order", "arguments": json.dumps(ORDER)}]},
        {**RESPONSE, "output": [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [TEXT]}]},
    ],
}


def program(name: str) -> str | None:
    """Returns a program of this repository: what a variable such as `TOOLC` names, or what has been built."""
    built = ROOT / "target" / "debug" / name
    return os.environ.get(name.upper()) or (str(built) if built.is_file() else None)


def missing(block: str) -> str | None:
    """Returns what a program of the guide needs and is not installed."""
    imported = block + (EXAMPLES / "shop_server.py").read_text(encoding="utf-8") * ("shop_server" in block)
    for library in LIBRARIES:
        if re.search(rf"^(from|import) {library}\b", imported, re.MULTILINE) and find_spec(library.partition(".")[0]) is None:
            return library
    if "shop_server" in block and find_spec("mcp") is None:
        return "mcp"
    return "the program `toolc`" if '"toolc"' in block and program("toolc") is None else None


class Guide(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment = {"PATH": path, "HOME": folder.name, "PYTHONPATH": f"{PYTHON / 'src'}{os.pathsep}{EXAMPLES}"}

    def run_program(self, *command: str | Path, cwd: Path = EXAMPLES, more: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            command, cwd=cwd, env={**self.environment, **(more or {})}, capture_output=True, text=True, check=False, timeout=60
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def link_program(self, name: str) -> None:
        found = program(name)
        if found is None:
            self.skipTest(f"the program `{name}` has not been built, and the variable {name.upper()} does not name it")
        (self.folder / "bin" / name).symlink_to(found)

    def test_each_program_prints_what_the_guide_says(self) -> None:
        programs = [
            (block, BLOCKS[index + 1][1])
            for index, (language, block) in enumerate(BLOCKS)
            if language == "python" and BLOCKS[index + 1][0] == "text"
        ]
        self.assertGreater(len(programs), 7)
        if program("toolc") is not None:
            self.link_program("toolc")
        for block, printed in programs:
            with self.subTest(block):
                needed = missing(block)
                if needed is not None:
                    self.skipTest(f"{needed} is not installed")
                vendor = next((one for one in SCRIPTS if f" {one.lower()} import" in block), "")
                with server(*SCRIPTS.get(vendor, ())) as (url, requests):
                    settings = {f"{vendor}_BASE_URL": url, f"{vendor}_API_KEY": "k"} if vendor else {}
                    self.assertEqual(self.run_program(sys.executable, "-c", block, more=settings), printed)
                self.assertEqual(len(requests), 2 if vendor else 0)

    def test_the_plugin_runs_in_a_host(self) -> None:
        self.link_program("toolc")
        self.link_program("xtask")
        files = {found[1]: block for _, block in BLOCKS if (found := re.match(r"# (plugins/\S+)\n", block))}
        self.assertEqual(len(files), 3)
        files["plugins/words/run"] = next(block for _, block in BLOCKS if block.startswith("#!"))
        for path, text in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (self.folder / "plugins/words/run").chmod(0o755)
        (self.folder / "README.md").write_text("one two  three\n", encoding="utf-8")
        # The host gives the program no `PYTHONPATH`.
        python = self.folder / "bin" / "python3"
        python.write_text(f'#!/bin/sh\nPYTHONPATH="{PYTHON / "src"}" exec "{sys.executable}" "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        commands = next(block for language, block in BLOCKS if language == "sh" and "--plugins" in block)
        generate = re.search(r"`cargo-toolc (gen --root plugins/words --python words)`", GUIDE)
        assert generate is not None
        self.run_program("xtask", *generate[1].split(), cwd=self.folder)
        self.assertEqual(json.loads(self.run_program("sh", "-c", commands, cwd=self.folder)), 3)

    def test_the_guide_shows_the_settings_of_the_project(self) -> None:
        settings = next(block for language, block in BLOCKS if language == "toml")
        self.assertEqual(settings, (EXAMPLES / "toolc.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
