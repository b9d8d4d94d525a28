"""Holds files of definitions against the vendors' own SDKs: `check.py FOLDER...`, each a folder with one per dialect.

Each line that it prints is a definition that an SDK does not take as it is. Exit status 1 where there is any.
"""

import copy
import json
import pathlib
import sys

import pydantic
from anthropic.types import ToolParam
from google.genai import types as gemini
from mcp import types as mcp
from openai.lib._pydantic import _ensure_strict_json_schema
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import FunctionToolParam

try:
    from anthropic import transform_schema
except ImportError:
    transform_schema = None


def typed(kind, of=lambda definition: definition):
    """Valid by a `TypedDict`, and without keys that it does not have."""
    adapter = pydantic.TypeAdapter(kind)

    def check(definition):
        adapter.validate_python(definition)
        unknown = set(of(definition)) - set(of_kind(kind, definition))
        assert not unknown, f"unknown keys {unknown}"

    return check


def of_kind(kind, definition):
    if kind is ChatCompletionFunctionToolParam:
        from openai.types.shared_params import FunctionDefinition

        return FunctionDefinition.__annotations__
    return kind.__annotations__


chat = typed(ChatCompletionFunctionToolParam, lambda definition: definition["function"])
responses = typed(FunctionToolParam)
messages = typed(ToolParam)


def openai_strict(definition):
    chat(definition)
    schema = definition["function"]["parameters"]
    strict = _ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=schema)
    assert strict == schema, f"the SDK makes it strict as {json.dumps(strict)}"


def anthropic_strict(definition):
    messages(definition)
    if transform_schema is not None:
        for_words(definition["input_schema"], transform_schema(copy.deepcopy(definition["input_schema"])))


def for_words(ours, theirs, path=""):
    """What the SDK would move into words has been."""
    if isinstance(ours, dict):
        for key in ours:
            if key == "type" and "enum" in ours:
                continue  # Which goes without saying there.
            assert key in theirs, f"the SDK takes `{key}` out of {path or 'the root'}"
            if key != "description":
                for_words(ours[key], theirs[key], f"{path}/{key}")
            else:
                assert ours[key] == theirs[key], f"the SDK says more of {path}: {theirs[key]}"
    elif isinstance(ours, list):
        for index, (one, other) in enumerate(zip(ours, theirs)):
            for_words(one, other, f"{path}/{index}")


def declaration(definition):
    gemini.FunctionDeclaration.model_validate(definition)


def listed(definition):
    tool = mcp.Tool.model_validate(definition)
    again = tool.model_dump(by_alias=True, exclude_none=True, mode="json")
    assert set(definition) <= set(again), f"the SDK drops {set(definition) - set(again)}"
    assert definition["annotations"] == again["annotations"]


CHECKS = {
    "openai": chat,
    "openai-strict": openai_strict,
    "openai-responses": responses,
    "anthropic": messages,
    "anthropic-strict": anthropic_strict,
    "gemini": declaration,
    "gemini-openapi": declaration,
    "mcp": listed,
    "portable": chat,
}


def main():
    count = refused = 0
    for folder in map(pathlib.Path, sys.argv[1:]):
        for dialect in sorted(folder.iterdir()):
            for file in sorted(dialect.rglob("*.json")):
                found = json.loads(file.read_text(encoding="utf-8"))
                for definition in found if isinstance(found, list) else [found]:
                    count += 1
                    try:
                        CHECKS[dialect.name](definition)
                    except Exception as error:  # Whatever an SDK says is what there is to tell.
                        refused += 1
                        print(f"{file}: {type(error).__name__}: {error}")
    print(f"{count} definitions, {refused} refused")
    sys.exit(refused > 0)


main()
