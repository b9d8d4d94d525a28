// A client of the official SDK for TypeScript: client.mjs TARGET MODE PROGRAM TOKEN. Prints `ok` if everything is as expected.
// TARGET is `stdio` or an address, MODE `sessions` (version 1 of the SDK) or `stateless` (version 2).

import assert from "node:assert/strict";

const [target, mode, program, token] = process.argv.slice(2);
const questions = [];
const answer = (request) => {
  questions.push(request.params.message);
  return { action: "accept", content: { decision: "approve once" } };
};

async function connect() {
  const command = { command: program, args: ["mcp", "serve", "--toolset", "safe,terminal"], env: process.env };
  const http = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
  const info = { name: "a test", version: "1" };
  const capabilities = { elicitation: { form: {} } };
  if (mode === "sessions") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const client = new Client(info, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, answer);
    if (target === "stdio") {
      const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
      await client.connect(new StdioClientTransport(command));
    } else {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
      await client.connect(new StreamableHTTPClientTransport(new URL(target), http));
    }
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(info, { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  client.setRequestHandler("elicitation/create", answer);
  if (target === "stdio") {
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    await client.connect(new StdioClientTransport(command));
  } else {
    await client.connect(new StreamableHTTPClientTransport(new URL(target), http));
  }
  return client;
}

const client = await connect();
const names = (await client.listTools()).tools.map((tool) => tool.name);
assert.deepEqual(names, [...names].sort());
assert.ok(names.includes("read_file") && names.includes("terminal"), names.join());
const right = await client.callTool({ name: "read_file", arguments: { path: "home/config.toml" } });
assert.ok(!right.isError && right.content[0].text.includes("config.toml"), JSON.stringify(right));
const wrong = await client.callTool({ name: "read_file", arguments: { path: 7, limit: "many" } });
assert.ok(wrong.isError && wrong.content[0].text.includes("invalid_arguments"), JSON.stringify(wrong));
await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), { code: -32602 });
const ran = await client.callTool({ name: "terminal", arguments: { command: "rm -rf build" } });
assert.ok(!ran.isError, JSON.stringify(ran));
assert.equal(questions.length, 1);
assert.ok(questions[0].includes("rm -rf build"), questions[0]);
await client.close();
console.log("ok");
