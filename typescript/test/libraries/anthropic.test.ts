import assert from "node:assert/strict";
import { test } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import { anthropicTools, runAnthropicCalls } from "@toolc/runtime/anthropic";

import { echoes, golden, vendor } from "./support.ts";

const message = (content: readonly object[]): object => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

test("Anthropic: definitions are sent as they are, and all results are in one message", async () => {
  for (const dialect of ["anthropic", "anthropic-strict"]) {
    const called = [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "1", name: "no_parameters", input: {}, caller: { type: "direct" } },
      { type: "tool_use", id: "2", name: "every_bound", input: { unknown: 1 }, toolset_name: "set", caller: { type: "direct" } },
    ];
    using server = await vendor(message(called), message([{ type: "text", text: "Done." }]));
    const client = new Anthropic({ apiKey: "key", baseURL: server.url });
    const turn = golden.turn(dialect);
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Go." }];
    const tools: Anthropic.ToolUnion[] = anthropicTools(turn);
    const first = await client.messages.create({ model: "m", max_tokens: 100, messages, tools });
    assert.deepEqual(server.requests[0]?.body["tools"], turn.definitions);

    const results = await runAnthropicCalls(turn, first, echoes);
    messages.push({ role: "assistant", content: first.content }, ...results);
    const last = await client.messages.create({ model: "m", max_tokens: 100, messages, tools });
    assert.deepEqual(await runAnthropicCalls(turn, last, echoes), []);
    const sent = (server.requests[1]?.body["messages"] as { content: { content: string }[] }[]).at(-1);
    const error = sent?.content[1]?.content ?? "";
    assert.deepEqual(sent, {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "1", content: '{"tool":"no_parameters","args":{}}' },
        { type: "tool_result", tool_use_id: "2", content: error, is_error: true, toolset_name: "set" },
      ],
    });
    assert.match(error, /"kind":"invalid_arguments"/);
  }
});

test("Anthropic: the message of a stream is answered", async () => {
  const start = { type: "message_start", message: { ...message([]), stop_reason: null } };
  const block = { type: "tool_use", id: "1", name: "no_parameters", input: {}, caller: { type: "direct" } };
  const events = [
    start,
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  using server = await vendor(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  const client = new Anthropic({ apiKey: "key", baseURL: server.url });
  const turn = golden.turn("anthropic");
  const stream = client.messages.stream({ model: "m", max_tokens: 100, messages: [], tools: anthropicTools(turn) });
  const results = await runAnthropicCalls(turn, await stream.finalMessage(), echoes);
  const content = [{ type: "tool_result", tool_use_id: "1", content: '{"tool":"no_parameters","args":{}}' }];
  assert.deepEqual(results, [{ role: "user", content }]);
});

test("Anthropic: results for programs are in a message of their own", async () => {
  const turn = golden.turn("anthropic");
  const content = [
    { type: "tool_use", id: "1", name: "no_parameters", input: {}, caller: { type: "direct" } },
    { type: "tool_use", id: "2", name: "no_parameters", input: {}, caller: { type: "code_execution_20260120", tool_id: "s" } },
  ];
  const results = await runAnthropicCalls(turn, { content }, echoes);
  assert.deepEqual(results.map((one) => one.content.map((result) => result.tool_use_id)), [["2"], ["1"]]);
});
