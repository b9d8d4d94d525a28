// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Catalog, fixedEnvironment } from "../dist/index.js";
import { errorOf } from "./support/catalog.js";

/** @param {string} name */
const vectors = (name) => readFileSync(new URL(`../../tests/vectors/${name}`, import.meta.url), "utf8");

const catalog = Catalog.parse(vectors("golden.json"));
const rows = vectors("turns.jsonl")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

/** @param {any} row */
function turnOf({ dialect, choice }) {
  const variables = Object.fromEntries(choice.variables.map((/** @type {string} */ name) => [name, "value"]));
  return catalog.turn(dialect, {
    enable: choice.enabled,
    disable: choice.disabled,
    enableTools: choice.enabled_tools,
    disableTools: choice.disabled_tools,
    facts: choice.facts,
    environment: fixedEnvironment({ variables, programs: choice.programs, os: "linux" }),
  });
}

test("turns show the tools and definitions of the Rust runtime, and give its reasons for the others", () => {
  assert.ok(rows.length >= 66);
  for (const row of rows) {
    const turn = turnOf(row);
    assert.deepEqual(turn.tools, row.tools);
    assert.deepEqual(Object.fromEntries(turn.hidden.map(({ tool, reason }) => [tool, reason])), row.hidden);
    assert.equal(turn.text, row.definitions);
    if (row.dialect !== "typescript") {
      assert.deepEqual(turn.definitions, JSON.parse(row.definitions));
    }
  }
});

test("names reach the tools, or get the errors, of the Rust runtime", () => {
  let names = 0;
  for (const row of rows) {
    const turn = turnOf(row);
    for (const [sent, reached] of row.names) {
      names += 1;
      if (typeof reached === "string") {
        assert.equal(turn.toolCalled(sent), reached, sent);
        continue;
      }
      assert.equal(turn.toolCalled(sent), undefined, sent);
      assert.deepEqual(JSON.parse(errorOf(() => turn.read(sent, "{}")).text), reached);
    }
  }
  assert.ok(names > 700);
});
