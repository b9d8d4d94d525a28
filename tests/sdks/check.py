"""Holds files of definitions against the vendors' own SDKs: `check.py FOLDER...`, each a folder with one per dialect.

Each line that it prints is a definition that an SDK does not take as it is. Exit status 1 where there is any.

`check.py --list FILE` reads a list of pairs, each a dialect and a definition, and prints a list of those that are refused: the number
of each in the list, and why.
"""

import collections.abc
import copy
import json
import pathlib
import sys

import pydantic
import typing_extensions
from anthropic.types import ToolParam
from anthropic.types.beta import BetaMessageParam, BetaToolUnionParam
from google.genai import types as gemini
from google.genai._gaos.types import interactions
from mcp import types as mcp
from openai.lib._pydantic import _ensure_strict_json_schema
from openai.types import chat as of_chat
from openai.types import responses as of_responses
from openai.types.responses.response_input_item_param import AdditionalTools

try:
    from anthropic import transform_schema
except ImportError:
    transform_schema = None


def forbid_unknown_keys():
    """Makes every `TypedDict` of the SDKs refuse a key that it does not have. They ignore such a key, and the vendors do not."""
    packages = ("anthropic.", "openai.", "google.genai.")
    for name, module in list(sys.modules.items()):
        if name.startswith(packages):
            for kind in list(vars(module).values()):
                if typing_extensions.is_typeddict(kind) and not hasattr(kind, "__pydantic_config__"):
                    kind.__pydantic_config__ = pydantic.ConfigDict(extra="forbid")


def validate(adapter, value):
    """Validates a value as it is, without conversions."""
    exhaust(adapter.validate_python(value, strict=True))


def exhaust(value):
    """Validates what is in an iterable: pydantic does that when it is read."""
    if isinstance(value, dict):
        for one in value.values():
            exhaust(one)
    elif isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, bytes)):
        for one in value:
            exhaust(one)


def kinds(**by_type):
    """Valid by the type that the key `type` names."""
    adapters = {name: pydantic.TypeAdapter(kind) for name, kind in by_type.items()}

    def check(definition):
        kind = definition.get("type", "none")
        assert kind in adapters, f"no type `{kind}`"
        validate(adapters[kind], definition)

    return check


forbid_unknown_keys()
chat = kinds(function=of_chat.ChatCompletionFunctionToolParam, custom=of_chat.ChatCompletionCustomToolParam)
responses = kinds(
    function=of_responses.FunctionToolParam,
    custom=of_responses.CustomToolParam,
    namespace=of_responses.NamespaceToolParam,
    tool_search=of_responses.ToolSearchToolParam,
    programmatic_tool_calling=of_responses.ToolParam,
    additional_tools=AdditionalTools,
    allowed_tools=of_responses.ToolChoiceAllowedParam,
)
messages = kinds(
    none=ToolParam,
    tool_search_tool_bm25_20251119=BetaToolUnionParam,
    code_execution_20260120=BetaToolUnionParam,
)
of_interactions = kinds(function=interactions.FunctionParam, tool_search=interactions.ToolSearchParam)
conversation = pydantic.TypeAdapter(BetaMessageParam)


def anthropic(definition):
    if "role" in definition:
        validate(conversation, definition)
    else:
        messages(definition)


def openai_strict(definition):
    chat(definition)
    if definition["type"] == "custom" or not definition["function"].get("strict"):
        return
    schema = definition["function"]["parameters"]
    strict = _ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=schema)
    assert strict == schema, f"the SDK makes it strict as {json.dumps(strict)}"


def anthropic_strict(definition):
    anthropic(definition)
    if transform_schema is not None and definition.get("strict"):
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
    tool = mcp.Tool.model_validate(definition, strict=True)
    again = tool.model_dump(by_alias=True, exclude_none=True, mode="json")
    assert again == definition, f"the SDK reads it as {json.dumps(again)}"


CHECKS = {
    "openai": chat,
    "openai-strict": openai_strict,
    "openai-responses": responses,
    "anthropic": anthropic,
    "anthropic-strict": anthropic_strict,
    "gemini": declaration,
    "gemini-openapi": declaration,
    "gemini-interactions": of_interactions,
    "mcp": listed,
    "portable": chat,
}


def refusal(dialect, definition):
    """Returns why an SDK does not take a definition as it is."""
    try:
        CHECKS[dialect](definition)
    except Exception as error:  # Whatever an SDK says is what there is to tell.
        return f"{type(error).__name__}: {error}"
    return None


def main():
    if sys.argv[1] == "--list":
        pairs = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
        why = [refusal(dialect, definition) for dialect, definition in pairs]
        print(json.dumps([[at, text] for at, text in enumerate(why) if text]))
        return
    count = refused = 0
    for folder in map(pathlib.Path, sys.argv[1:]):
        for dialect in sorted(folder.iterdir()):
            for file in sorted(dialect.rglob("*.json")):
                found = json.loads(file.read_text(encoding="utf-8"))
                for definition in found if isinstance(found, list) else [found]:
                    count += 1
                    why = refusal(dialect.name, definition)
                    if why:
                        refused += 1
                        print(f"{file}: {why}")
    print(f"{count} definitions, {refused} refused")
    sys.exit(refused > 0)


main()
