// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Catalog } from "../dist/index.js";
import { documentOf, objectOf } from "./support/catalog.js";

test("the example of the readme prints what it says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const example = /```js\n(import[^]*?)```/.exec(readme)?.[1] ?? "";
  const table = [objectOf({ text: 1, tags: 2 }), { types: ["string"] }, { types: ["array"], items: 1 }];
  const facts = [{ name: "vision", default: false }];
  const tools = [{ name: "add_note", toolset: "notes", arguments: table, definitions: { anthropic: ['{"name":"add_note"}'] } }];
  const text = JSON.stringify(documentOf(tools, { dialects: ["anthropic"], facts, toolsets: [{ name: "notes" }] }));
  /** @type {unknown[]} */
  const printed = [];
  const body = example.replace(/^import .*$/gm, "").replaceAll("console.log(", "print(");
  const AsyncFunction = /** @type {FunctionConstructor} */ (Object.getPrototypeOf(async () => Promise.resolve()).constructor);
  const run = AsyncFunction("Catalog", "readFileSync", "print", body);
  await run(Catalog, () => text, (/** @type {unknown} */ value) => printed.push(value));
  assert.deepEqual(printed, [
    '[{"name":"add_note"}]',
    "Added Buy tea with 1 tags.",
    [" almost_json", "/tags single_item"],
  ]);
  const turn = Catalog.parse(text).turn("anthropic");
  const json = /```json\n(.*)\n```/.exec(readme)?.[1];
  assert.equal((await turn.call("add_note", '{"tags":[null]}', {})).text, json);
});
