// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { differences, readRow } from "./support/vectors.js";

for (const name of ["documented", "random", "golden"]) {
  test(`the vectors in ${name}.jsonl are read as the Rust runtime reads them`, () => {
    const file = new URL(`../../tests/vectors/${name}.jsonl`, import.meta.url);
    const rows = readFileSync(file, "utf8").trimEnd().split("\n").map(readRow);
    const results = rows.map(differences);
    const cases = results.reduce((sum, { count }) => sum + count, 0);
    assert.ok(cases > 100, `${String(cases)} cases`);
    assert.deepEqual(
      results.flatMap(({ found }) => found).slice(0, 5),
      [],
    );
  });
}
