import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { vendor } from "./support.ts";

const guide = new URL("../../../../docs/languages-typescript.md", import.meta.url);
const skip = existsSync(guide) ? false : "there is no guide";

async function output(name: string, env: Record<string, string> = {}): Promise<string> {
  const file = fileURLToPath(new URL(`guide/${name}.js`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env: { ...process.env, ...env } });
  return stdout;
}

test("the programs of the guide print what it says", { skip }, async () => {
  const text = readFileSync(guide, "utf8");
  const blocks = text.matchAll(/^```ts\n\/\/ ([\w-]+)\.ts\n(?:(?!```)[^\n]*\n)*```\n\nIt prints:\n\n```text\n(.*?)^```$/gms);
  const printed = [...blocks];
  assert.equal(printed.length, text.split("\nIt prints:\n").length - 1);
  for (const [, name = "", expected] of printed) {
    assert.equal(await output(name), expected, name);
  }
});

const args = '{"text":"Buy tea","tags":"shopping"}';
const message = (content: object): object => ({ choices: [{ index: 0, message: { role: "assistant", content: null, ...content } }] });
const anthropic = (content: object): object => ({ id: "m", type: "message", role: "assistant", content: [content], usage: {} });
const google = (part: object): object => ({ candidates: [{ content: { role: "model", parts: [part] } }] });
const said = { type: "message", role: "assistant", id: "m", content: [{ type: "output_text", text: "Done.", annotations: [] }] };

/** What each vendor answers: a call, and a text. */
const VENDORS: Record<string, readonly [string, object, object]> = {
  openai_chat: [
    "OPENAI_BASE_URL",
    message({ tool_calls: [{ id: "1", type: "function", function: { name: "add_note", arguments: args } }] }),
    message({ content: "Done." }),
  ],
  openai_responses: [
    "OPENAI_BASE_URL",
    { id: "r1", object: "response", output: [{ type: "function_call", call_id: "1", name: "add_note", arguments: args }] },
    { id: "r2", object: "response", output: [said] },
  ],
  anthropic: [
    "ANTHROPIC_BASE_URL",
    anthropic({ type: "tool_use", id: "1", name: "add_note", input: JSON.parse(args) as object }),
    anthropic({ type: "text", text: "Done." }),
  ],
  google: [
    "GOOGLE_GEMINI_BASE_URL",
    google({ functionCall: { name: "add_note", args: JSON.parse(args) as object } }),
    google({ text: "Done." }),
  ],
};

for (const [name, [variable, ...answers]] of Object.entries(VENDORS)) {
  test(`the loop of the guide runs: ${name}`, { skip }, async () => {
    using server = await vendor(...answers);
    const keys = { OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key", GEMINI_API_KEY: "key" };
    assert.equal(await output(name, { ...keys, [variable]: server.url }), "Done.\n");
    assert.equal(server.requests.length, 2);
    assert.match(JSON.stringify(server.requests[1]?.body), /number\W+1/);
  });
}
