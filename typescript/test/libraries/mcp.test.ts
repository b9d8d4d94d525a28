import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { mcpTools } from "@toolc/runtime/mcp";

import { echoes, golden } from "./support.ts";

test("MCP: a client of the SDK lists the tools, and gets results, structured results and errors", async () => {
  const turn = golden.turn("mcp");
  const tools = mcpTools(turn, { ...echoes, count_words: () => ({ a: 2 }), return_word: () => "yes" });
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the low-level server is what takes JSON Schema
  const server = new Server({ name: "golden", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, tools.list);
  server.setRequestHandler(CallToolRequestSchema, tools.call);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(ours), client.connect(theirs)]);

  const listed = await client.listTools();
  const isObject = (schema: unknown): boolean => (schema as { type?: string } | undefined)?.type === "object";
  const expected = (turn.definitions as Record<string, unknown>[]).map(({ outputSchema, ...tool }) =>
    isObject(outputSchema) ? { ...tool, outputSchema } : tool,
  );
  assert.deepEqual(listed.tools, expected);
  assert.ok(listed.tools.some((tool) => tool.outputSchema !== undefined));

  const plain = await client.callTool({ name: "no_parameters" });
  assert.deepEqual(plain, { content: [{ type: "text", text: '{"tool":"no_parameters","args":{}}' }] });
  const text = await client.callTool({ name: "return_word", arguments: {} });
  assert.deepEqual(text, { content: [{ type: "text", text: "yes" }] });
  const structured = await client.callTool({ name: "count_words", arguments: { texts: { a: "b c" } } });
  assert.deepEqual(structured, { content: [{ type: "text", text: '{"a":2}' }], structuredContent: { a: 2 } });

  const failed = await client.callTool({ name: "every_bound", arguments: { unknown: 1 } });
  assert.equal(failed.isError, true);
  assert.match((failed.content as { text: string }[])[0]?.text ?? "", /"kind":"invalid_arguments"/);
  const unknown = await client.callTool({ name: "nothing", arguments: {} });
  assert.equal(unknown.isError, true);
  await client.close();
});

test("MCP: a tool with an output schema has structured results, and must return an object", async () => {
  const turn = golden.turn("mcp");
  const [name, args] = ["count_words", { texts: { n: "word" } }] as const;
  for (const [returned, structured] of [[{ n: 1 }, { n: 1 }], ['{"n":1}', undefined], [[1], undefined]]) {
    const result = await mcpTools(turn, { [name]: () => returned }).call({ params: { name, arguments: args } });
    assert.deepEqual(result.structuredContent, structured);
    assert.equal(result.isError, structured === undefined ? true : undefined);
  }
});
