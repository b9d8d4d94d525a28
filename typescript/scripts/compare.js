// @ts-check
/**
 * Reads rows of vectors from standard input, and prints how many of their cases differ: `vectors 1000 7 | node scripts/compare.js`.
 */
import { createInterface } from "node:readline";

import { differences, readRow } from "../test/support/vectors.js";

const MAX_SHOWN = 10;

let [cases, different] = [0, 0];
for await (const line of createInterface({ input: process.stdin })) {
  const { count, found } = differences(readRow(line));
  cases += count;
  for (const { sent, expected, got } of found) {
    different += 1;
    if (different <= MAX_SHOWN) {
      console.log(`sent:     ${sent}\nexpected: ${expected}\ngot:      ${got}\n`);
    }
  }
}
console.log(`${String(different)} of ${String(cases)} cases differ`);
process.exitCode = different === 0 ? 0 : 1;
