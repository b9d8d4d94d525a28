"""The environment of tools: variables, programs that can be run, and the operating system."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Mapping
from typing import Final

# The names of operating systems in manifests, by those of Python.
_SYSTEMS: Final = {"darwin": "macos", "win32": "windows", "cygwin": "windows"}
_EXTENSIONS: Final = ".COM;.EXE;.BAT;.CMD"


class Environment:
    """The environment in which the requirements of tools are looked up.

    Without arguments, it is the environment of the process: each lookup uses its current state. With `variables`, only these exist.
    """

    def __init__(
        self,
        variables: Mapping[str, str] | None = None,
        programs: Collection[str] = (),
        system: str | None = None,
    ) -> None:
        self._variables: Mapping[str, str] = os.environ if variables is None else dict(variables)
        self._programs = frozenset(programs)
        self.system = system or _system()
        """The operating system, by its name in manifests: `linux`, `macos`, `windows` and so on."""

    def has_variable(self, name: str) -> bool:
        """Returns whether a variable is set, and not empty."""
        return bool(self._variables.get(name))

    def has_program(self, name: str) -> bool:
        """Returns whether a program was given, or is an executable file in a directory of `PATH`. A name with a separator is a
        path."""
        if name in self._programs:
            return True
        if not name or "\0" in name:
            return False
        files = self._spellings(name)
        if os.sep in name or (os.altsep and os.altsep in name):
            return any(map(_is_executable, files))
        folders = self._variables.get("PATH", "")
        return bool(folders) and any(_is_executable(os.path.join(folder, file)) for folder in folders.split(os.pathsep) for file in files)

    def _spellings(self, name: str) -> list[str]:
        """Returns the files that `name` may refer to, on systems with extensions of programs."""
        if os.name != "nt":
            return [name]
        extensions = (self._variables.get("PATHEXT") or _EXTENSIONS).lower().split(";")
        extensions = [extension for extension in extensions if extension]
        return [name] if name.lower().endswith(tuple(extensions)) else [name + extension for extension in extensions]


def _system() -> str:
    name = re.sub(r"[0-9.]+$", "", sys.platform) if sys.platform != "win32" else sys.platform
    return _SYSTEMS.get(name, name)


def _is_executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
