"""Lists and calls the tools of an MCP server with the official client. Arguments: the server's command, and its arguments."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    parameters = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        kept = await session.call_tool("add_note", {"text": "Buy coffee", "tags": "today"})
        found = await session.call_tool("find_notes", {"word": "coffee", "limit": "1"})
        refused = await session.call_tool("find_notes", {})
        results = [json.loads(result.content[0].text) for result in (kept, found, refused)]
        print(json.dumps({"tools": tools, "results": results}))


asyncio.run(main())
