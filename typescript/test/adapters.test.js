// @ts-check
/** The adapters without the libraries of vendors, whose tests are in `libraries/`. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { aiTools } from "../dist/adapters/ai_sdk.js";
import { anthropicTools, runAnthropicCalls } from "../dist/adapters/anthropic.js";
import { googleTools, runGoogleCalls } from "../dist/adapters/google.js";
import { mcpTools } from "../dist/adapters/mcp.js";
import { chatTools, responsesTools, runChatCalls, runResponsesCalls } from "../dist/adapters/openai.js";
import { Catalog } from "../dist/index.js";

const catalog = Catalog.parse(readFileSync(new URL("../../tests/vectors/golden.json", import.meta.url), "utf8"));

/** An object whose handlers use it. */
const handlers = {
  count: 0,
  no_parameters() {
    this.count += 1;
    return { count: this.count };
  },
};
/** @type {any} */
const tools = handlers;

test("a handler gets its object as `this`, in every adapter", async () => {
  const call = { name: "no_parameters", arguments: "" };
  const [chat] = await runChatCalls(catalog.turn("openai"), { tool_calls: [{ id: "1", type: "function", function: call }] }, tools);
  assert.equal(chat?.content, '{"count":1}');
  const output = [{ type: "function_call", call_id: "1", ...call }, { type: "message" }];
  const [item] = await runResponsesCalls(catalog.turn("openai-responses"), { output }, tools);
  assert.deepEqual(item, { type: "function_call_output", call_id: "1", output: '{"count":2}' });
  const content = [{ type: "text" }, { type: "tool_use", id: "1", name: "no_parameters", input: undefined }];
  const [message] = await runAnthropicCalls(catalog.turn("anthropic"), { content }, tools);
  assert.equal(message?.content[0]?.content, '{"count":3}');
  const candidates = [{ content: { parts: [{ functionCall: { name: "no_parameters" } }] } }];
  const [google] = await runGoogleCalls(catalog.turn("gemini"), { candidates }, tools);
  assert.deepEqual(google?.parts[0]?.functionResponse, { name: "no_parameters", response: { output: { count: 4 } } });
  const result = await mcpTools(catalog.turn("mcp"), tools).call({ params: { name: "no_parameters" } });
  assert.deepEqual(result, { content: [{ type: "text", text: '{"count":5}' }] });
  const one = aiTools(catalog.turn("portable"), tools, (schema) => schema)["no_parameters"];
  assert.deepEqual(await one?.execute({}), { count: 6 });
});

test("a response without calls has no results", async () => {
  assert.deepEqual(await runChatCalls(catalog.turn("openai"), { tool_calls: null }, tools), []);
  assert.deepEqual(await runResponsesCalls(catalog.turn("openai-responses"), { output: [] }, tools), []);
  assert.deepEqual(await runAnthropicCalls(catalog.turn("anthropic"), { content: [] }, tools), []);
  assert.deepEqual(await runGoogleCalls(catalog.turn("gemini"), {}, tools), []);
});

test("an adapter refuses the definitions of another dialect, and names those that it takes", () => {
  const turn = catalog.turn("typescript");
  const adapters = [chatTools, responsesTools, anthropicTools, googleTools].map((adapter) => () => adapter(turn));
  for (const adapter of [...adapters, () => mcpTools(turn, tools), () => aiTools(turn, tools, (schema) => schema)]) {
    assert.throws(adapter, /^TypeError: .* takes definitions in the dialect `[a-z-]+`.*, and this turn has `typescript`$/);
  }
});

test("without tools, the request to Google has none", () => {
  assert.deepEqual(googleTools(catalog.turn("gemini", { enableTools: ["no_parameters"], disableTools: ["no_parameters"] })), []);
});
