"""Imports a module and writes its tools as JSON: print_tools.py MODULE OUTPUT."""

import asyncio
import enum
import importlib.util
import inspect
import json
import os
import re
import sys
import types
import typing


def load(path):
    folder = os.path.dirname(os.path.abspath(path))
    # A module of a package can import its neighbours.
    package = []
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        package.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    sys.path.insert(0, folder)
    name = ".".join(package + [os.path.splitext(os.path.basename(path))[0]])
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def of_server(value):
    """Returns the tools of a server of FastMCP or of the MCP SDK."""
    listed = value.list_tools()
    listed = asyncio.run(listed) if inspect.iscoroutine(listed) else listed
    found = []
    for tool in listed.values() if isinstance(listed, dict) else listed:
        tool = tool.to_mcp_tool() if hasattr(tool, "to_mcp_tool") else tool
        found.append(tool.model_dump(mode="json", by_alias=True, exclude_none=True))
    return found


def entry(name, description, schema):
    schema = {key: part for key, part in schema.items() if key not in ("title", "description")}
    return {"name": name, "description": description or "", "inputSchema": schema}


def of_langchain(tool):
    schema = tool.tool_call_schema
    return entry(tool.name, tool.description, schema if isinstance(schema, dict) else schema.model_json_schema())


def of_agno(function):
    """Returns a function of Agno, which finds out its parameters when an agent first uses it."""
    if function.entrypoint is not None and not function.skip_entrypoint_processing:
        function = function.model_copy(deep=True)
        function.process_entrypoint()
    return entry(function.name, function.description, function.parameters)


def of_smolagents(tool):
    optional = [name for name, schema in tool.inputs.items() if schema.get("nullable")]
    required = [name for name in tool.inputs if name not in optional]
    properties = {
        name: {key: part for key, part in schema.items() if key != "nullable" and part != "any"}
        for name, schema in tool.inputs.items()
    }
    return entry(tool.name, tool.description, {"type": "object", "properties": properties, "required": required})


def of_semantic_kernel(function):
    parameters = function.metadata.parameters
    properties = {
        parameter.name: {
            **(parameter.schema_data or {}),
            **({"description": parameter.description} if parameter.description else {}),
        }
        for parameter in parameters
    }
    required = [parameter.name for parameter in parameters if parameter.is_required]
    return entry(function.name, function.description, {"type": "object", "properties": properties, "required": required})


def of_adk(tool):
    declaration = tool._get_declaration().model_dump(mode="json", exclude_none=True)
    schema = declaration.get("parameters_json_schema") or declaration.get("parameters") or {"type": "object"}
    return {"name": declaration["name"], "description": declaration.get("description", ""), "parameters": schema}


# The package that defines the type of a tool, an attribute that tools of it have, and how a tool is read.
TOOLS = [
    ("agents", "params_json_schema", lambda tool: entry(tool.name, tool.description, tool.params_json_schema)),
    ("langchain_core", "tool_call_schema", of_langchain),
    ("pydantic_ai", "function_schema", lambda tool: entry(tool.name, tool.description, tool.function_schema.json_schema)),
    ("llama_index", "metadata", lambda tool: entry(tool.metadata.name, tool.metadata.description, tool.metadata.get_parameters_dict())),
    ("agno", "entrypoint", of_agno),
    ("autogen_core", "schema", lambda tool: entry(tool.name, tool.description, tool.schema.get("parameters", {"type": "object"}))),
    ("strands", "tool_spec", lambda tool: entry(tool.tool_spec["name"], tool.tool_spec["description"], tool.tool_spec["inputSchema"]["json"])),
    ("haystack", "tool_spec", lambda tool: entry(tool.name, tool.description, tool.parameters)),
    ("crewai", "args_schema", lambda tool: entry(tool.name, tool.description, tool.args_schema.model_json_schema())),
    ("google", "_get_declaration", of_adk),
    ("semantic_kernel", "metadata", of_semantic_kernel),
    ("smolagents", "inputs", of_smolagents),
]

# The package that defines the type of a group of tools, and the attribute with its tools, as a list or by name.
GROUPS = [
    ("pydantic_ai", "tools"),
    ("pydantic_ai", "_function_toolset"),
    ("agno", "functions"),
    ("semantic_kernel", "functions"),
    ("haystack", "tools"),
]


def of_framework(value):
    """Returns the tools of an object of a framework, or None if it is something else."""
    modules = {base.__module__.split(".")[0] for base in type(value).__mro__}
    if inspect.isclass(value):
        return None
    if modules & {"fastmcp", "mcp"} and hasattr(value, "list_tools"):
        return of_server(value)
    for module, attribute, read in TOOLS:
        if module in modules and hasattr(value, attribute):
            return [read(value)]
    for module, attribute in GROUPS:
        group = getattr(value, attribute, None) if module in modules else None
        if group is not None and hasattr(group, "tools"):
            group = group.tools
        if group:
            parts = group.values() if isinstance(group, dict) else group
            return [tool for part in parts for tool in of_framework(part) or []]
    return None


def schema_of(hint):
    """Returns the JSON Schema of a type."""
    plain = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
    if hint in plain:
        return {"type": plain[hint]}
    if hint in (typing.Any, inspect.Parameter.empty, object):
        return {}
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        texts = [text for text in args[1:] if isinstance(text, str)]
        return {**schema_of(args[0]), **({"description": texts[0]} if texts else {})}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema_of(arg) for arg in args]}
    if origin is typing.Literal:
        return {"enum": list(args)}
    if inspect.isclass(hint) and issubclass(hint, enum.Enum):
        return {"enum": [member.value for member in hint]}
    if hint in (list, set, frozenset, tuple) or origin in (list, set, frozenset) or origin is not None and args and origin.__module__ == "collections.abc" and len(args) == 1:
        unique = {"uniqueItems": True} if set in (hint, origin) or frozenset in (hint, origin) else {}
        return {"type": "array", "items": schema_of(args[0]) if args else {}, **unique}
    if origin is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            return {"type": "array", "items": schema_of(args[0])}
        return {"type": "array", "prefixItems": [schema_of(arg) for arg in args], "items": False, "minItems": len(args)}
    if hint is dict or origin is not None and origin is not list and len(args) == 2:
        return {"type": "object", "additionalProperties": schema_of(args[1]) if args else True}
    if typing.is_typeddict(hint):
        names = typing.get_type_hints(hint)
        return {
            "type": "object",
            "properties": {name: schema_of(part) for name, part in names.items()},
            "required": sorted(hint.__required_keys__, key=list(names).index),
        }
    from pydantic import TypeAdapter

    return TypeAdapter(hint).json_schema()


def docstring(text):
    """Returns the description of a docstring, and those of its parameters: in the styles of Google, NumPy and Sphinx."""
    lines = inspect.cleandoc(text).split("\n")
    description, params, section, name = [], {}, None, None
    for index, line in enumerate(lines):
        after = lines[index + 1].strip() if index + 1 < len(lines) else ""
        title = line.strip().rstrip(":").lower()
        sphinx = re.match(r"\s*:(\w+)(?:\s+[^:]*?(\w+))?:\s*(.*)", line)
        is_numpy = bool(line.strip()) and set(after) == {"-"}
        is_google = line.endswith(":") and not line.startswith(" ") and title in SECTIONS
        if sphinx:
            section, name = "sphinx", sphinx.group(2) if sphinx.group(1) in ("param", "parameter", "arg") else None
            if name:
                params[name] = sphinx.group(3)
        elif is_numpy or is_google:
            section, name = (title, "numpy" if is_numpy else "google"), None
        elif section is None:
            description.append(line)
        elif section == "sphinx":
            if name and line.strip():
                params[name] += " " + line.strip()
        elif section[0] in ("args", "arguments", "parameters", "params"):
            is_google = section[1] == "google"
            head = re.match(r"\s+\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)" if is_google else r"\*{0,2}(\w+)\s*(?::.*)?$()", line)
            indent = len(line) - len(line.lstrip())
            if head and (not is_google or name is None or indent <= first):
                name, first = head.group(1), indent
                params[name] = head.group(2)
            elif name and line.strip() and set(line.strip()) != {"-"}:
                params[name] = (params[name] + " " + line.strip()).strip()
    return "\n".join(description).strip(), params


SECTIONS = ("args", "arguments", "parameters", "params", "returns", "return", "yields", "raises", "example", "examples", "note", "notes")


def of_function(function):
    description, texts = docstring(function.__doc__)
    hints = typing.get_type_hints(function, include_extras=True)
    properties, required, further = {}, [], False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            further = True
            continue
        schema = schema_of(hints.get(name, parameter.empty))
        if texts.get(name):
            schema = {**schema, "description": texts[name]}
        if parameter.default is parameter.empty:
            required.append(name)
        elif is_json(parameter.default):
            schema = {**schema, "default": parameter.default}
        properties[name] = schema
    arguments = {"type": "object", "properties": properties, "required": required, "additionalProperties": further}
    return {"name": function.__name__, "description": description, "inputSchema": lifted(arguments)}


def lifted(schema):
    """Moves the definitions of parts to the root, where their references lead."""
    definitions = {}

    def lift(part):
        if isinstance(part, dict):
            definitions.update(part.pop("$defs", {}))
            list(map(lift, part.values()))
        elif isinstance(part, list):
            list(map(lift, part))

    lift(schema)
    return {**schema, "$defs": definitions} if definitions else schema


def is_json(value):
    try:
        return json.loads(json.dumps(value, allow_nan=False)) == value
    except (TypeError, ValueError):
        return False


def main(path, output):
    module = load(path)
    tools, broken, seen = [], [], set()
    members = [(name, value) for name, value in vars(module).items() if not name.startswith("_")]

    def collect(read):
        for name, value in members:
            if id(value) in seen:
                continue
            try:
                found = read(value)
            except Exception as error:  # One tool does not affect the others.
                found = None
                broken.append({"name": name, "why": f"{type(error).__name__}: {error}"})
            if found is not None:
                seen.add(id(value))
                # An agent and its tools can both be names of the module.
                tools.extend(tool for tool in found if tool not in tools)

    collect(of_framework)
    if not tools and not broken:
        is_own = lambda value: inspect.isfunction(value) and value.__module__ == module.__name__ and value.__doc__
        collect(lambda value: [of_function(value)] if is_own(value) else None)
    with open(output, "w", encoding="utf-8") as file:
        json.dump({"tools": tools, "broken": broken}, file)


main(sys.argv[1], sys.argv[2])
