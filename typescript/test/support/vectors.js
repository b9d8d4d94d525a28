// @ts-check
/**
 * Vectors of the reader: what the Rust runtime makes of arguments, as JSON lines.
 */
import { isDeepStrictEqual } from "node:util";

import { fillDefaults } from "../../dist/args/defaults.js";
import { readArguments } from "../../dist/args/read.js";
import { DEFAULT_LIMITS, Reader } from "../../dist/args/reader.js";
import { findRepairs } from "../../dist/args/repairs.js";
import { readStrictly } from "../../dist/args/strict.js";
import { parseJson } from "../../dist/args/tree.js";
import { readFactValue } from "../../dist/data/condition.js";
import { Part } from "../../dist/data/decode.js";
import { Table } from "../../dist/data/table.js";
import { TableTemplate } from "../../dist/data/template.js";
import { ToolError } from "../../dist/index.js";
import { clone, textOf, toPlain } from "../../dist/value.js";

/**
 * Returns a row of a file.
 *
 * @param {string} line
 */
export function readRow(line) {
  return new Part(/** @type {import("../../dist/value.js").Value} */ (parseJson(line, 127, true)), "");
}

/** @param {import("../../dist/data/table.js").Property} property */
const withoutDefault = (property) => ({ ...property, default: undefined });

/**
 * Returns valid arguments with their defaults.
 *
 * @param {import("../../dist/value.js").Value} value
 * @param {Table} table
 */
function filledOf(value, table) {
  const filled = clone(value);
  fillDefaults(new Reader(table, DEFAULT_LIMITS), filled);
  return toPlain(filled);
}

/**
 * Compares arguments that have their defaults. The reader of bundles, with which the vectors are made, takes an alternative that needs no change
 * for the one that is valid, so it fills in no defaults of later ones. The Rust runtime does, and so does this one.
 *
 * @param {unknown} got
 * @param {unknown} expected
 * @param {Table} table
 * @returns {boolean}
 */
function isFilled(got, expected, table) {
  if (Array.isArray(got)) {
    return Array.isArray(expected) && got.length === expected.length && got.every((item, at) => isFilled(item, expected[at], table));
  }
  if (typeof got !== "object" || got === null || typeof expected !== "object" || expected === null) {
    return Object.is(got, expected);
  }
  const [all, wanted] = [new Map(Object.entries(got)), new Map(Object.entries(expected))];
  const isDefault = (/** @type {string} */ key) =>
    table.nodes.some(({ byName }) => {
      const filled = byName.get(key)?.default;
      return filled !== undefined && isDeepStrictEqual(toPlain(filled), all.get(key));
    });
  return (
    [...wanted.keys()].every((key) => all.has(key)) &&
    [...all].every(([key, value]) => (wanted.has(key) ? isFilled(value, wanted.get(key), table) : isDefault(key)))
  );
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
  const facts = new Map(row.get("facts").entries.map(([name, value]) => [name, readFactValue(value)]));
  const tools = new Set(row.strings("tools"));
  const table = template.inTurn({ hasTool: (name) => tools.has(name), facts });
  // The vectors are arguments without defaults.
  const bare = new Table(table.nodes.map((node) => ({ ...node, properties: node.properties.map(withoutDefault) })));
  /** @type {{ sent: string, expected: string, got: string }[]} */
  const found = [];
  const cases = row.get("cases").items;
  let strict = 0;
  for (const one of cases) {
    const sent = one.get("sent").string;
    const strictly = readStrictly(sent, bare, DEFAULT_LIMITS);
    const withDefaults = readStrictly(sent, table, DEFAULT_LIMITS);
    const filled = toPlain((one.maybe("filled") ?? one.maybe("arguments"))?.value ?? null);
    if (withDefaults !== undefined && !isFilled(withDefaults, filled, table)) {
      found.push({ sent, expected: JSON.stringify(filled), got: JSON.stringify(withDefaults) });
    }
    if (strictly !== undefined) {
      strict += 1;
      const isSame =
        one.maybe("repairs")?.items.length === 0 &&
        isDeepStrictEqual(strictly, toPlain(one.get("arguments").value));
      if (!isSame) {
        found.push({ sent, expected: "the same as in the full reading", got: JSON.stringify(strictly) });
      }
    }
    const result = readArguments(sent, table, DEFAULT_LIMITS);
    const expected = one.maybe("error")?.value ?? one.get("arguments").value;
    if (result instanceof ToolError) {
      const text = textOf(expected);
      if (one.maybe("error") === undefined || result.text !== text) {
        found.push({ sent, expected: text, got: result.text });
      }
      continue;
    }
    const hasDefaults = isFilled(filledOf(result.value, table), filled, table);
    const listed = result.isRepaired ? findRepairs(sent, table, DEFAULT_LIMITS) : [];
    const repairs = (one.maybe("repairs")?.items ?? []).map((repair) => repair.items.map((item) => item.string));
    const isSame =
      one.maybe("error") === undefined &&
      hasDefaults &&
      isDeepStrictEqual(toPlain(result.value), toPlain(expected)) &&
      repairs.length === listed.length &&
      listed.every(({ path, rule, from, to }, at) => {
        const [p, r, f = "", t = ""] = repairs[at] ?? [];
        return path === p && rule === r && isSameText(from, f) && isSameText(to, t);
      });
    if (!isSame) {
      const got = `${textOf(result.value)} ${JSON.stringify(listed)}`;
      found.push({ sent, expected: `${textOf(expected)} ${JSON.stringify(repairs)}`, got });
    }
  }
  return { count: cases.length, strict, found };
}
