import assert from "node:assert/strict";
import { test } from "node:test";

import { type Content, GoogleGenAI, type Tool } from "@google/genai";
import { googleTools, runGoogleCalls } from "@toolc/runtime/google";

import { echoes, golden, vendor } from "./support.ts";

const response = (parts: readonly object[]): object => ({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] });

test("Google: declarations are sent as they are, and all responses are in one content", async () => {
  for (const dialect of ["gemini", "gemini-openapi"]) {
    const called = [
      { functionCall: { name: "no_parameters", args: {} }, thoughtSignature: "c2ln" },
      { functionCall: { id: "2", name: "any_text", args: { text: "hello" } } },
      { functionCall: { id: "3", name: "nothing" } },
    ];
    using server = await vendor(response(called), response([{ text: "Done." }]));
    const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.url } });
    const turn = golden.turn(dialect);
    const contents: Content[] = [{ role: "user", parts: [{ text: "Go." }] }];
    const tools: Tool[] = googleTools(turn);
    const first = await client.models.generateContent({ model: "m", contents, config: { tools } });
    assert.deepEqual(server.requests[0]?.body["tools"], [{ functionDeclarations: turn.definitions }]);

    const handlers = { ...echoes, any_text: () => "a text" };
    const results = await runGoogleCalls(turn, first, handlers);
    contents.push(first.candidates?.[0]?.content ?? {}, ...results);
    const last = await client.models.generateContent({ model: "m", contents, config: { tools } });
    assert.deepEqual(await runGoogleCalls(turn, last, handlers), []);
    const sent = (server.requests[1]?.body["contents"] as { parts: { functionResponse: { response: object } }[] }[]).at(-1);
    const error = sent?.parts[2]?.functionResponse.response as { kind: string };
    assert.deepEqual(sent, {
      role: "user",
      parts: [
        { functionResponse: { name: "no_parameters", response: { output: { tool: "no_parameters", args: {} } } } },
        { functionResponse: { id: "2", name: "any_text", response: { output: "a text" } } },
        { functionResponse: { id: "3", name: "nothing", response: error } },
      ],
    });
    assert.equal(error.kind, "unknown_tool");
  }
});
