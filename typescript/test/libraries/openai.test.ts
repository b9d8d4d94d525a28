import assert from "node:assert/strict";
import { test } from "node:test";

import { chatTools, responsesTools, runChatCalls, runResponsesCalls } from "@toolc/runtime/openai";
import OpenAI from "openai";

import { echoes, golden, vendor } from "./support.ts";

const completion = (message: object): object => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, finish_reason: "tool_calls", logprobs: null, message: { role: "assistant", refusal: null, ...message } }],
});

test("Chat Completions: definitions are sent as they are, and all calls are answered", async () => {
  for (const dialect of ["openai", "openai-strict", "portable"]) {
    const called = {
      content: null,
      tool_calls: [
        { id: "1", type: "function", function: { name: "no_parameters", arguments: "" } },
        { id: "2", type: "function", function: { name: "every_default", arguments: '{"unknown":1}' } },
        { id: "3", type: "function", function: { name: "nothing", arguments: "{}" } },
        { id: "4", type: "custom", custom: { name: "any_text", input: 'a "text"' } },
      ],
    };
    using server = await vendor(completion(called), completion({ content: "Done." }));
    const client = new OpenAI({ apiKey: "key", baseURL: server.url });
    const turn = golden.turn(dialect);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Go." }];
    const tools: OpenAI.ChatCompletionTool[] = chatTools(turn);
    const first = await client.chat.completions.create({ model: "m", messages, tools });
    assert.deepEqual(server.requests[0]?.body["tools"], turn.definitions);

    const message = first.choices[0]?.message;
    assert.ok(message);
    const results = await runChatCalls(turn, message, echoes);
    messages.push(message, ...results);
    assert.deepEqual(results.map((result) => result.tool_call_id), ["1", "2", "3", "4"]);
    assert.equal(results[0]?.content, '{"tool":"no_parameters","args":{}}');
    assert.equal((JSON.parse(results[1]?.content ?? "") as { kind: string }).kind, "invalid_arguments");
    assert.equal((JSON.parse(results[2]?.content ?? "") as { kind: string }).kind, "unknown_tool");
    assert.deepEqual((JSON.parse(results[3]?.content ?? "") as { tool: string }).tool, "any_text");
    assert.ok(results[3]?.content.includes('a \\"text\\"'));

    const last = await client.chat.completions.create({ model: "m", messages, tools });
    assert.deepEqual(await runChatCalls(turn, last.choices[0]?.message ?? {}, echoes), []);
    assert.deepEqual((server.requests[1]?.body["messages"] as unknown[]).slice(2), results);
  }
});

test("Responses: function calls, custom calls and calls of programs are answered", async () => {
  const caller = { type: "program", caller_id: "p" };
  const output = [
    { type: "reasoning", id: "r", summary: [] },
    { type: "function_call", id: "f1", call_id: "1", name: "no_parameters", arguments: "{}" },
    { type: "function_call", id: "f2", call_id: "2", name: "count_words", arguments: '{"texts":{"a":"b c"}}', caller },
    { type: "custom_tool_call", id: "f3", call_id: "3", name: "any_text", input: "text" },
  ];
  using server = await vendor({ id: "r1", object: "response", output }, { id: "r2", object: "response", output: [] });
  const client = new OpenAI({ apiKey: "key", baseURL: server.url });
  const turn = golden.turn("openai-responses");
  const tools: OpenAI.Responses.Tool[] = responsesTools(turn);
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Go." }];
  const first = await client.responses.create({ model: "m", input, tools });
  assert.deepEqual(server.requests[0]?.body["tools"], turn.definitions);

  const results = await runResponsesCalls(turn, first, echoes);
  input.push(...results);
  await client.responses.create({ model: "m", input, tools });
  assert.deepEqual((server.requests[1]?.body["input"] as unknown[]).slice(1), [
    { type: "function_call_output", call_id: "1", output: '{"tool":"no_parameters","args":{}}' },
    { type: "function_call_output", call_id: "2", output: '{"tool":"count_words","args":{"texts":{"a":"b c"},"minimum":1}}', caller },
    { type: "custom_tool_call_output", call_id: "3", output: results[2]?.output },
  ]);
  assert.match(results[2]?.output ?? "", /"any_text".*"text"/);
});

test("Chat Completions: the message of a stream is answered", async () => {
  const piece = (delta: object): string => {
    const choices = [{ index: 0, delta, finish_reason: null }];
    return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
  };
  const call = (one: object): object => ({ tool_calls: [{ index: 0, ...one }] });
  const end = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
  const pieces = [
    piece({ role: "assistant", content: null }),
    piece(call({ id: "1", type: "function", function: { name: "no_parameters", arguments: "{" } })),
    piece(call({ function: { arguments: "}" } })),
    `data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`,
  ];
  using server = await vendor(pieces.join(""));
  const client = new OpenAI({ apiKey: "key", baseURL: server.url });
  const turn = golden.turn("openai");
  const stream = client.chat.completions.stream({ model: "m", messages: [], tools: chatTools(turn) });
  const results = await runChatCalls(turn, await stream.finalMessage(), echoes);
  assert.deepEqual(results, [{ role: "tool", tool_call_id: "1", content: '{"tool":"no_parameters","args":{}}' }]);
});

test("calls run at the same time, or one after the other", async () => {
  const turn = golden.turn("openai");
  for (const sequential of [false, true]) {
    let running = 0;
    let most = 0;
    const no_parameters = async (): Promise<string> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return "done";
    };
    const call = (id: string) => ({ id, type: "function", function: { name: "no_parameters", arguments: "{}" } }) as const;
    const results = await runChatCalls(turn, { tool_calls: [call("a"), call("b")] }, { no_parameters }, { sequential });
    assert.deepEqual(results.map((result) => [result.tool_call_id, result.content]), [["a", "done"], ["b", "done"]]);
    assert.equal(most, sequential ? 1 : 2);
  }
});

test("a missing handler and another dialect are mistakes of the program", async () => {
  const turn = golden.turn("anthropic");
  assert.throws(() => chatTools(turn), /^TypeError: Chat Completions takes definitions in the dialect `openai` or .* `anthropic`$/);
  assert.throws(() => responsesTools(turn), TypeError);
  const call = { id: "1", type: "function", function: { name: "no_parameters", arguments: "{}" } } as const;
  await assert.rejects(runChatCalls(golden.turn("openai"), { tool_calls: [call] }, {}), /no handler for the tool `no_parameters`/);
});
