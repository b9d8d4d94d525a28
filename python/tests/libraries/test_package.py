"""The package: what the wheel and the source distribution contain, and that the wheel works in an empty environment without a network."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
from pathlib import Path
from typing import ClassVar
from zipfile import ZipFile

from scripted import require

require("hatchling")

PYTHON = Path(__file__).resolve().parents[2]
IMPORT = """
import importlib, pkgutil, sys, toolc
names = [one.name for one in pkgutil.walk_packages(toolc.__path__, "toolc.") if not one.name.startswith("toolc.adapters.")]
free = ["calls", "openai", "openai.chat", "openai.responses", "anthropic", "google"]
for name in [*names, *(f"toolc.adapters.{one}" for one in free)]:
    importlib.import_module(name)
vendors = {"openai", "anthropic", "google", "mcp", "agents", "langchain_core", "pydantic"}
print(len(names), sorted(vendors & set(sys.modules)), toolc.__version__)
"""


class Package(unittest.TestCase):
    folder: ClassVar[Path]
    wheel: ClassVar[Path]
    sources: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        run(sys.executable, "-m", "hatchling", "build", "-d", folder.name, cwd=PYTHON)
        (cls.wheel,) = cls.folder.glob("*.whl")
        (cls.sources,) = cls.folder.glob("*.tar.gz")

    def test_the_wheel_contains_the_package_and_nothing_else(self) -> None:
        with ZipFile(self.wheel) as wheel:
            names = set(wheel.namelist())
        source = {str(file.relative_to(PYTHON / "src")) for file in (PYTHON / "src").rglob("*.py")}
        info = f"{self.wheel.name.split('-py3')[0]}.dist-info"
        licenses = {f"{info}/licenses/LICENSE-{name}" for name in ("APACHE", "MIT")}
        self.assertEqual(names, {*source, "toolc/py.typed", f"{info}/METADATA", f"{info}/RECORD", f"{info}/WHEEL", *licenses})
        self.assertLess(self.wheel.stat().st_size, 200_000)

    def test_the_source_distribution_has_no_caches(self) -> None:
        with tarfile.open(self.sources) as sources:
            names = sources.getnames()
        self.assertFalse([name for name in names if "__pycache__" in name or "/target/" in name])
        self.assertIn(f"{self.sources.name.removesuffix('.tar.gz')}/src/toolc/__init__.py", names)
        self.assertLess(self.sources.stat().st_size, 300_000)

    def test_the_wheel_works_in_an_empty_environment_without_a_network(self) -> None:
        environment = self.folder / "environment"
        venv.create(environment, with_pip=True)
        scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
        run(scripts / "python", "-m", "pip", "install", "--no-index", "--quiet", self.wheel)
        count, vendors, version = run(scripts / "python", "-I", "-c", IMPORT).split()
        self.assertGreater(int(count), 40)
        self.assertEqual(vendors, "[]")
        self.assertIn(f"-{version}-", self.wheel.name)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


if __name__ == "__main__":
    unittest.main()
