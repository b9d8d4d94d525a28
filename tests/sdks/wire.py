"""Holds recorded messages, and what toolc writes after them, against the vendors' own SDKs: `wire.py FOLDER` with a folder
for each vendor, and in it `NAME.json` (a response), `NAME.sse` (a streamed one) and `NAME.*.snap` (what became of it); for MCP the replies to requests.

Each line that it prints is a message that an SDK does not take. Exit status 1 where there is any.
"""

import json
import pathlib
import sys

import pydantic
from anthropic.types import Message, MessageParam
from anthropic.types import RawMessageStreamEvent
from google.genai import types as gemini
from mcp import types as mcp
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam
from openai.types.responses import Response, ResponseInputItemParam, ResponseStreamEvent

# Of each vendor: a whole response, an event of a streamed one, and what is appended to a conversation.
KINDS = {
    "chat": (ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam),
    "responses": (Response, ResponseStreamEvent, ResponseInputItemParam),
    "anthropic": (Message, RawMessageStreamEvent, MessageParam),
    "gemini": (gemini.GenerateContentResponse, gemini.GenerateContentResponse, gemini.Content),
}

# Results of an MCP server, by the client's method.
RESULTS = {
    "initialize": mcp.InitializeResult,
    "server/discover": mcp.DiscoverResult,
    "ping": mcp.EmptyResult,
    "tools/list": mcp.ListToolsResult,
    "tools/call": mcp.CallToolResult,
}


def events(text):
    for event in text.split("\n\n"):
        data = "\n".join(line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:"))
        # Anthropic's guide has pings, its SDK does not name them.
        if data and data != "[DONE]" and json.loads(data) != {"type": "ping"}:
            yield json.loads(data)


def written(snapshot):
    """The JSON texts below `messages:` and `results:`."""
    rest = snapshot.partition("\nmessages:\n")[2].replace("\nresults:\n", "\n").lstrip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        yield value
        rest = rest[end:].lstrip()


def recorded(folder):
    """Each message's name, its kind, and the message."""
    for vendor, (whole, event, appended) in KINDS.items():
        for path in sorted((folder / vendor).iterdir()):
            snapshot = path.with_name(path.name + ".snap")
            # What is an error is so on purpose.
            if path.suffix == ".snap" or snapshot.read_text().split("---\n")[2].startswith("error:"):
                continue
            text = path.read_text()
            read = [(whole, json.loads(text))] if path.suffix == ".json" else [(event, one) for one in events(text)]
            for kind, value in read + [(appended, value) for value in written(snapshot.read_text())]:
                yield f"{vendor}/{path.name}", kind, value
    for pair in (folder / "mcp/requests.jsonl.snap").read_text().split("▶ ")[1:]:
        request, reply = pair.strip().split("\n◀ ")
        if reply.startswith("{"):
            reply = json.loads(reply)
            result = RESULTS[json.loads(request)["method"]] if "result" in reply else None
            yield "mcp", mcp.JSONRPCResponse if result else mcp.JSONRPCError, reply
            if result:
                yield "mcp", result, reply["result"]


def main(folder):
    checked, refused = 0, 0
    for name, kind, value in recorded(folder):
        checked += 1
        try:
            pydantic.TypeAdapter(kind).validate_python(value)
        except pydantic.ValidationError as error:
            refused += 1
            print(f"{name}: {error.errors()[:3]}\n{json.dumps(value)[:300]}")
    print(f"{checked} messages, {refused} refused")
    return 1 if refused or not checked else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
