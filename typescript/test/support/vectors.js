// @ts-check
/**
 * Vectors of the reader: what the Rust runtime makes of arguments, as JSON lines.
 */
import { isDeepStrictEqual } from "node:util";

import { readArguments } from "../../dist/args/read.js";
import { DEFAULT_LIMITS } from "../../dist/args/reader.js";
import { parseJson } from "../../dist/args/tree.js";
import { Part } from "../../dist/data/decode.js";
import { TableTemplate } from "../../dist/data/template.js";
import { ToolError } from "../../dist/index.js";
import { textOf, toPlain } from "../../dist/value.js";

/**
 * Returns a row of a file.
 *
 * @param {string} line
 */
export function readRow(line) {
  return new Part(/** @type {import("../../dist/value.js").Value} */ (parseJson(line, 127, true)), "");
}

/**
 * Compares texts of values in repairs. The order of keys in objects may differ.
 *
 * @param {string} a
 * @param {string} b
 */
function isSameText(a, b) {
  if (a === b) {
    return true;
  }
  try {
    return isDeepStrictEqual(JSON.parse(a), JSON.parse(b));
  } catch {
    return false;
  }
}

/**
 * Returns what this runtime makes of the cases of a row, where it differs from what the Rust runtime makes of them.
 *
 * @param {Part} row
 */
export function differences(row) {
  const template = new TableTemplate(row.get("table"));
  const facts = new Map(row.get("facts").entries.map(([name, value]) => [name, value.boolean]));
  const table = template.inTurn({ hasTool: () => false, facts });
  /** @type {{ sent: string, expected: string, got: string }[]} */
  const found = [];
  const cases = row.get("cases").items;
  for (const one of cases) {
    const sent = one.get("sent").string;
    const result = readArguments(sent, table, DEFAULT_LIMITS);
    const expected = one.maybe("error")?.value ?? one.get("arguments").value;
    if (result instanceof ToolError) {
      const text = textOf(expected);
      if (one.maybe("error") === undefined || result.text !== text) {
        found.push({ sent, expected: text, got: result.text });
      }
      continue;
    }
    const repairs = (one.maybe("repairs")?.items ?? []).map((repair) => repair.items.map((item) => item.string));
    const isSame =
      one.maybe("error") === undefined &&
      isDeepStrictEqual(toPlain(result.value), toPlain(expected)) &&
      repairs.length === result.repairs.length &&
      result.repairs.every(({ path, rule, from, to }, at) => {
        const [p, r, f = "", t = ""] = repairs[at] ?? [];
        return path === p && rule === r && isSameText(from, f) && isSameText(to, t);
      });
    if (!isSame) {
      const got = `${textOf(result.value)} ${JSON.stringify(result.repairs)}`;
      found.push({ sent, expected: `${textOf(expected)} ${JSON.stringify(repairs)}`, got });
    }
  }
  return { count: cases.length, found };
}
