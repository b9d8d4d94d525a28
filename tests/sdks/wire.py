"""Holds recorded messages, and what toolc writes after them, against the vendors' own SDKs: `wire.py FOLDER` with a folder
for each vendor, and in it `NAME.json` (a response), `NAME.sse` (a streamed one) and `NAME.*.snap` (what became of it); for MCP the replies to requests.
What toolc itself writes, the results of calls, must have no key that the SDK does not have.

Each line that it prints is a message that an SDK does not take. Exit status 1 where there is any.
"""

import json
import pathlib
import sys

import pydantic
from anthropic.types import Message, MessageParam
from anthropic.types import RawMessageStreamEvent
from google.genai import interactions, types as gemini
from mcp import types as mcp
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam
from openai.types.responses import Response, ResponseInputItemParam, ResponseStreamEvent

# Of each vendor: a whole response, an event of a streamed one, and what is appended to a conversation.
KINDS = {
    "chat": (ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam),
    "responses": (Response, ResponseStreamEvent, ResponseInputItemParam),
    "anthropic": (Message, RawMessageStreamEvent, MessageParam),
    "gemini": (gemini.GenerateContentResponse, gemini.GenerateContentResponse, gemini.Content),
    "interactions": (interactions.Interaction, interactions.InteractionSSEEvent, interactions.Step),
}
# Responses of servers that break the rules of the API, which toolc mends. What it sends back must obey them.
BROKEN = ("no_id.json", "no_input.json", "args.json")

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
    """The JSON texts below `messages:` and `results:`, and whether toolc has written them."""
    messages, _, results = snapshot.partition("\nmessages:\n")[2].partition("results:\n")
    for rest, own in [(messages.lstrip(), False), (results.lstrip(), True)]:
        while rest:
            value, end = json.JSONDecoder().raw_decode(rest)
            yield value, own
            rest = rest[end:].lstrip()


def recorded(folder):
    """Each message's name, its kind, the message, and whether toolc has written it."""
    for vendor, (whole, event, appended) in KINDS.items():
        for path in sorted((folder / vendor).iterdir()):
            snapshot = path.with_name(path.name + ".snap")
            if path.suffix == ".snap":
                continue
            result = snapshot.read_text().split("---\n")[2]
            # What is an error, or unknown, is so on purpose.
            if result.startswith("error:") or "\nunknown: " in result:
                continue
            text = path.read_text()
            read = [(whole, json.loads(text))] if path.suffix == ".json" else [(event, one) for one in events(text)]
            for kind, value in [] if path.name in BROKEN else read:
                yield f"{vendor}/{path.name}", kind, value, False
            for value, own in written(result):
                yield f"{vendor}/{path.name}", appended, value, own
    for pair in (folder / "mcp/requests.jsonl.snap").read_text().split("▶ ")[1:]:
        request, reply = pair.strip().split("\n◀ ")
        if reply.startswith("{"):
            reply = json.loads(reply)
            result = RESULTS[json.loads(request)["method"]] if "result" in reply else None
            yield "mcp", mcp.JSONRPCResponse if result else mcp.JSONRPCError, reply, False
            if result:
                yield "mcp", result, reply["result"], False


def check(kind, value, own):
    adapter = pydantic.TypeAdapter(kind)
    taken = adapter.validate_python(value)
    # An SDK that reads what it does not know says so in the type.
    assert "Unknown" not in repr(taken), "the SDK does not know a type in it"
    if own:
        assert not getattr(taken, "model_extra", None), f"the SDK does not know {taken.model_extra}"
        again = json.loads(adapter.dump_json(taken, by_alias=True, exclude_none=True))
        assert again == value, f"the SDK makes of it {json.dumps(again)[:300]}"


def main(folder):
    checked, refused = 0, 0
    for name, kind, value, own in recorded(folder):
        checked += 1
        try:
            check(kind, value, own)
        except (pydantic.ValidationError, AssertionError) as error:
            refused += 1
            reason = error.errors()[:3] if isinstance(error, pydantic.ValidationError) else error
            print(f"{name}: {reason}\n{json.dumps(value)[:300]}")
    print(f"{checked} messages, {refused} refused")
    return 1 if refused or not checked else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
