"""Measures the reading of arguments, also by other libraries, definitions, and the import.

`python benches/read.py` prints a table. Other libraries are measured if they are installed: pydantic, jsonschema, fastjsonschema.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from toolc import Catalog, Environment, ToolError, Turn

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "limit": {"type": "integer", "minimum": 1, "maximum": 2000},
        "mode": {"type": "string", "enum": ["text", "lines", "outline"]},
        "recursive": {"type": "boolean"},
        "globs": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["path"],
    "additionalProperties": False,
}
TABLE: list[dict[str, Any]] = [
    {
        "types": ["object"],
        "properties": [{"name": name, "node": node + 1, "required": name == "path"} for node, name in enumerate(SCHEMA["properties"])],
        "additional": False,
    },
    {"types": ["string"], "bounds": {"minLength": 1}},
    {"types": ["integer"], "bounds": {"minimum": 1, "maximum": 2000}},
    {"types": ["string"], "enum": ["text", "lines", "outline"]},
    {"types": ["boolean"]},
    {"types": ["array"], "items": 6},
    {"types": ["string"]},
]
VALID = '{"path": "src/main.rs", "limit": 200, "mode": "lines", "recursive": true, "globs": ["*.rs", "*.toml"]}'
REPAIRED = '{"path": "src/main.rs", "limit": "200", "mode": "lines", "recursive": "true", "globs": ["*.rs", "*.toml"]}'
INVALID = '{"path": "src/main.rs", "limit": 5000, "mode": "lines", "recursive": true, "globs": ["*.rs", "*.toml"]}'


def catalog(count: int) -> Catalog:
    """Returns a catalog with this number of tools, every tenth of which depends on a fact."""
    tools: list[dict[str, Any]] = []
    for number in range(count):
        name = f"read_{number:02}"
        schema = json.dumps(SCHEMA, separators=(",", ":"))
        text = f'{{"name":"{name}","description":"Read a file, or the files of a folder.","input_schema":{schema}}}'
        pieces: list[Any] = [text]
        if number % 10 == 0:
            when = {"fact": "vision", "is": "==", "value": True}
            pieces = [text[:60], {"when": when, "text": [" Also pictures."]}, text[60:]]
        tools.append({"name": name, "toolset": "file", "description": "Read.", "arguments": TABLE, "definitions": {"anthropic": pieces}})
    facts = [{"name": "vision", "default": False}]
    document = {"format": 1, "dialects": ["anthropic"], "facts": facts, "toolsets": [{"name": "file"}], "tools": tools}
    return Catalog.parse(json.dumps(document))


def microseconds(work: Callable[[], object]) -> float:
    """Returns the least time of one call."""
    timer = timeit.Timer(work)
    count, _ = timer.autorange()
    return min(timer.repeat(5, count)) / count * 1e6


def show(what: str, work: Callable[[], object]) -> None:
    print(f"{what:60} {microseconds(work):9.1f} µs")


def refused(turn: Turn) -> str:
    try:
        turn.read("read_01", INVALID)
    except ToolError as error:
        return error.to_json()
    raise AssertionError("the arguments are invalid")


def measure_reading() -> None:
    turn = catalog(50).turn("anthropic", environment=Environment({}))
    assert turn.read("read_01", VALID).repairs == ()
    assert len(turn.read("read_01", REPAIRED).repairs) == 2
    show("toolc: valid", lambda: turn.read("read_01", VALID))
    show("toolc: two repairs", lambda: turn.read("read_01", REPAIRED))
    show("toolc: two repairs, and their list", lambda: turn.read("read_01", REPAIRED).repairs)
    show("toolc: one problem, and its JSON", lambda: refused(turn))
    show("json.loads alone", lambda: json.loads(VALID))


def measure_others() -> None:
    try:
        pydantic: Any = importlib.import_module("pydantic")
        from typing import Annotated

        from typing_extensions import NotRequired, TypedDict

        class Arguments(TypedDict):
            path: Annotated[str, pydantic.Field(min_length=1)]
            limit: NotRequired[Annotated[int, pydantic.Field(ge=1, le=2000)]]
            mode: NotRequired[Literal["text", "lines", "outline"]]
            recursive: NotRequired[bool]
            globs: NotRequired[list[str]]

        setattr(Arguments, "__pydantic_config__", {"extra": "forbid"})  # noqa: B010
        adapter = pydantic.TypeAdapter(Arguments)
        show(f"pydantic {pydantic.VERSION}: valid", lambda: adapter.validate_json(VALID))
        show(f"pydantic {pydantic.VERSION}: the same two repairs", lambda: adapter.validate_json(REPAIRED))
    except ImportError:
        print("pydantic is not installed")
    try:
        jsonschema: Any = importlib.import_module("jsonschema")
        validator = jsonschema.Draft202012Validator(SCHEMA)
        show("jsonschema: valid", lambda: validator.validate(json.loads(VALID)))
    except ImportError:
        print("jsonschema is not installed")
    try:
        fastjsonschema: Any = importlib.import_module("fastjsonschema")
        validate = fastjsonschema.compile(SCHEMA)
        show("fastjsonschema: valid", lambda: validate(json.loads(VALID)))
    except ImportError:
        print("fastjsonschema is not installed")


def measure_turns() -> None:
    many = catalog(50)
    environment = Environment({})

    def first() -> object:
        return many.turn("anthropic", environment=environment).definitions

    turn = many.turn("anthropic", environment=environment)
    show("50 tools: a turn", lambda: many.turn("anthropic", environment=environment))
    show("50 tools: a turn and its text", lambda: many.turn("anthropic", environment=environment).text)
    show("50 tools: a turn and its definitions", first)
    show("50 tools: definitions, later", lambda: turn.definitions)
    show("50 tools: Catalog", lambda: catalog(50))


def measure_import() -> None:
    code = "import sys,time;sys.path.insert(0,sys.argv[1]);import json;t=time.perf_counter();import toolc;print(time.perf_counter()-t)"
    source = str(Path(__file__).resolve().parents[1] / "src")
    command = [sys.executable, "-c", code, source]
    with tempfile.TemporaryDirectory() as folder:
        # The first run compiles the modules.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        runs = [subprocess.run(command, capture_output=True, check=True, env=environment) for _ in range(11)]
    times = [float(run.stdout) for run in runs]
    print(f"{'import toolc':60} {min(times) * 1e6:9.1f} µs")


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}")
    measure_reading()
    measure_others()
    measure_turns()
    measure_import()
