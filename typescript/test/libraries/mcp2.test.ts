import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { mcpTools } from "@toolc/runtime/mcp";

import { echoes, golden } from "./support.ts";

test("MCP, version 2 of the SDK: a client lists the tools, and gets structured results and errors", async () => {
  const turn = golden.turn("mcp");
  const tools = mcpTools(turn, { ...echoes, count_words: () => ({ a: 2 }) });
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the low-level server is what takes JSON Schema
  const server = new Server({ name: "golden", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", tools.list);
  server.setRequestHandler("tools/call", tools.call);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(ours), client.connect(theirs)]);

  assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), turn.tools);
  const counted = await client.callTool({ name: "count_words", arguments: { texts: { a: "b c" } } });
  assert.deepEqual(counted.structuredContent, { a: 2 });
  const failed = await client.callTool({ name: "every_bound", arguments: { unknown: 1 } });
  assert.equal(failed.isError, true);
  await client.close();
});
