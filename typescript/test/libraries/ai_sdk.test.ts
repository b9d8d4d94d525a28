import assert from "node:assert/strict";
import { test } from "node:test";

import { aiTools } from "@toolc/runtime/ai-sdk";
import { generateText, isStepCount, jsonSchema, type ToolSet } from "ai";
import { MockLanguageModelV4 } from "ai/test";

import { echoes, golden } from "./support.ts";

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

test("AI SDK: schemas are sent as they are, and a call is repaired before the handler runs", async () => {
  for (const dialect of ["portable", "anthropic", "gemini", "mcp"]) {
    const turn = golden.turn(dialect);
    const tools: ToolSet = aiTools(turn, { ...echoes, any_text: () => "a text" }, jsonSchema);
    const call = (toolCallId: string, toolName: string, input: string) => ({ type: "tool-call" as const, toolCallId, toolName, input });
    const steps = [
      [call("1", "no_parameters", "{}"), call("2", "any_text", '{"text":5}'), call("3", "every_bound", '{"unknown":1}')],
      [{ type: "text" as const, text: "Done." }],
    ];
    const model = new MockLanguageModelV4({
      doGenerate: () => {
        const content = steps.shift() ?? [];
        const isLast = steps.length === 0;
        return Promise.resolve({ content, finishReason: { unified: isLast ? "stop" : "tool-calls", raw: undefined }, usage, warnings: [] });
      },
    });
    const { text, steps: done } = await generateText({ model, tools, prompt: "Go.", stopWhen: isStepCount(3) });
    assert.equal(text, "Done.");
    const sent = model.doGenerateCalls[0]?.tools?.find((tool) => tool.name === "every_bound");
    const definition = JSON.stringify(turn.definitions.find((one) => JSON.stringify(one).includes('"every_bound"')));
    assert.ok(sent?.type === "function" && definition.includes(JSON.stringify(sent.inputSchema)));

    const results = done[0]?.content.filter((part) => part.type === "tool-result" || part.type === "tool-error") ?? [];
    const [first, second, third] = results;
    assert.ok(first?.type === "tool-result");
    assert.deepEqual(first.output, { tool: "no_parameters", args: {} });
    assert.ok(second?.type === "tool-result");
    assert.equal(second.output, "a text");
    assert.ok(third?.type === "tool-error");
    assert.match((third.error as Error).message, /"kind":"invalid_arguments"/);
  }
});
