"""A client of the official SDK for Python: client.py TARGET MODE PROGRAM TOKEN. Prints `ok` if everything is as expected.

TARGET is `stdio` or an address, MODE `sessions` or `stateless`."""

import asyncio
import os
import sys

import httpx2
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client

target, mode, program, token = sys.argv[1:]
questions = []


async def answer(context, params):
    questions.append(params.message)
    return types.ElicitResult(action="accept", content={"decision": "approve once"})


async def check(client):
    expected = "2026-07-28" if mode == "stateless" else "2025-11-25"
    assert client.protocol_version == expected, client.protocol_version
    listed = await client.list_tools()
    names = [tool.name for tool in listed.tools]
    assert names == sorted(names) and "read_file" in names and "terminal" in names, names
    right = await client.call_tool("read_file", {"path": "home/config.toml"})
    assert not right.is_error and "config.toml" in right.content[0].text, right
    wrong = await client.call_tool("read_file", {"path": 7, "limit": "many"})
    assert wrong.is_error and "invalid_arguments" in wrong.content[0].text, wrong
    try:
        await client.call_tool("no_such_tool", {})
        raise AssertionError("an unknown tool was called")
    except MCPError as error:
        assert error.error.code == -32602, error
    ran = await client.call_tool("terminal", {"command": "rm -rf build"})
    assert not ran.is_error, ran
    assert len(questions) == 1 and "rm -rf build" in questions[0], questions


async def main():
    if target == "stdio":
        args = ["mcp", "serve", "--toolset", "safe,terminal"]
        server = StdioServerParameters(command=program, args=args, env=dict(os.environ))
        await connect(server)
    else:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60, trust_env=False) as http:
            await connect(streamable_http_client(target, http_client=http))
    print("ok")


async def connect(server):
    version = "2026-07-28" if mode == "stateless" else "legacy"
    async with Client(server, mode=version, elicitation_callback=answer) as client:
        await check(client)


asyncio.run(main())
