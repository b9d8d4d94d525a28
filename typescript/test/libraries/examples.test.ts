import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { connectStdio } from "@toolc/runtime/client/stdio";

import { client } from "./examples/notes-tools/index.ts";
import { vendor } from "./support.ts";

const example = (name: string): string => fileURLToPath(new URL(`examples/${name}.js`, import.meta.url));

/** Returns the first text that a program prints. */
async function firstText({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout);
  const [bytes] = (await once(stdout, "data")) as [Buffer];
  return String(bytes);
}

test("the HTTP server lists the tools, repairs and validates bodies, and runs the tools", async () => {
  const server = spawn(process.execPath, [example("server"), "0"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const url = /http:\S+/.exec(await firstText(server))?.[0] ?? "";
    const tools = (await (await fetch(`${url}/tools`)).json()) as { name: string }[];
    assert.deepEqual(tools.map((tool) => tool.name), ["add_note", "find_notes", "remind"]);
    const post = async (tool: string, body: string): Promise<unknown[]> => {
      const response = await fetch(`${url}/tools/${tool}`, { method: "POST", body });
      return [response.status, (await response.json()) as unknown];
    };
    assert.deepEqual(await post("add_note", '{"text":"Buy tea","tags":"shopping"}'), [200, { number: 1 }]);
    assert.deepEqual(await post("find_notes", '{"word":"TEA"}'), [200, { notes: ["Buy tea #shopping"] }]);
    const time = '{"note":1,"at_nanoseconds":1800000000123456789}';
    assert.deepEqual(await post("remind", time), [200, "a reminder of note 1 is set for 2027-01-15T08:00:00.000Z"]);
    const [status, error] = await post("find_notes", '{"word":""}');
    assert.equal(status, 400);
    assert.equal((error as { problems: { path: string }[] }).problems[0]?.path, "/word");
    assert.equal((await post("no_tool", "{}"))[0], 400);
    assert.equal((await fetch(url)).status, 404);
  } finally {
    server.kill();
  }
});

test("the agent answers with the tools", async () => {
  const message = (one: object): object => ({ choices: [{ index: 0, message: { role: "assistant", content: null, ...one }, finish_reason: "stop" }] });
  const call = { id: "1", type: "function", function: { name: "find_notes", arguments: '{"word":"tea","limit":"3"}' } };
  using server = await vendor(message({ tool_calls: [call] }), message({ content: "Tea." }));
  const env = { ...process.env, OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.url };
  const { stdout } = await promisify(execFile)(process.execPath, [example("agent"), "What did I want to buy?"], { env });
  assert.equal(stdout, "Tea.\n");
  const [, , result] = server.requests[1]?.body["messages"] as object[];
  assert.deepEqual(result, { role: "tool", tool_call_id: "1", content: '{"notes":["Buy tea #shopping"]}' });
});

test("the MCP server serves the tools, and the generated functions call them", async () => {
  const connection = await connectStdio(process.execPath, [example("mcp_server")]);
  const notes = client(connection.call);
  assert.deepEqual(await notes.add_note({ text: "Buy tea" }), { number: 1 });
  assert.deepEqual((await notes.find_notes({ word: "tea", limit: 1 })).notes, ["Buy tea"]);
  assert.match(String(await notes.remind({ note: 1, at_nanoseconds: 1_800_000_000_123_456_789n })), /2027-01-15/);
  await assert.rejects(notes.find_notes({ word: "" }), { name: "ToolError", kind: "invalid_arguments" });
  await connection.close();
});

test("the program of a plugin answers a call", async () => {
  const program = spawn(process.execPath, [example("plugin")], { stdio: ["pipe", "pipe", "inherit"] });
  program.stdin.end('{"tool":"add_note","arguments":{"text":"Buy tea","tags":[]}}\n');
  assert.equal(await firstText(program), '{"result":{"number":1}}\n');
});
