// @ts-check
/**
 * Reads rows of vectors from standard input, and prints how many of their cases differ: `vectors 1000 7 | node scripts/compare.js`.
 */
import { createInterface } from "node:readline";

import { differences, readRow } from "../test/support/vectors.js";

const MAX_SHOWN = 10;

let [cases, strict, different] = [0, 0, 0];
for await (const line of createInterface({ input: process.stdin })) {
  const result = differences(readRow(line));
  cases += result.count;
  strict += result.strict;
  for (const { sent, expected, got } of result.found) {
    different += 1;
    if (different <= MAX_SHOWN) {
      console.log(`sent:     ${sent}\nexpected: ${expected}\ngot:      ${got}\n`);
    }
  }
}
console.log(`${String(different)} of ${String(cases)} cases differ; the strict pass accepts ${String(strict)}`);
process.exitCode = different === 0 ? 0 : 1;
