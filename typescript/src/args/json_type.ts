/**
 * JSON types and equality of values.
 *
 * @module
 */

import { compare } from "../data/bounds.ts";
import { type FullNode, HIDDEN, type Literal, TYPE_BITS } from "../data/table.ts";
import { exact, integer, numbersEqual } from "../number.ts";
import { quoted } from "../text/json.ts";
import { equalsIgnoringCase, trim } from "../text/utf8.ts";
import { Float } from "../number.ts";
import { isNumber, JsonMap, sortedKeys, textOf, type Value } from "../value.ts";

/** Returns the bits of the types that a value has. */
function typeBits(value: Value): number {
  if (typeof value === "string") {
    return TYPE_BITS.string;
  }
  if (typeof value === "number" || typeof value === "bigint" || value instanceof Float) {
    return TYPE_BITS.number | (integer(value) === undefined ? 0 : TYPE_BITS.integer);
  }
  if (value === null) {
    return TYPE_BITS.null;
  }
  if (typeof value === "boolean") {
    return TYPE_BITS.boolean;
  }
  return Array.isArray(value) ? TYPE_BITS.array : TYPE_BITS.object;
}

/** Returns whether `value` has one of the types with these bits. Without bits, it may have any type. */
export function fits(bits: number, value: Value): boolean {
  return bits === 0 || (bits & typeBits(value)) !== 0;
}

/** Returns whether the types and the `enum` of `node` include null. */
export function allowsNull(node: FullNode): boolean {
  return (node.bits & TYPE_BITS.null) !== 0 && (node.literals.length === 0 || node.literals.includes(null));
}

/** Returns whether `text` is `null`, in any case. */
export function isNullWord(text: string): boolean {
  return text.length >= 4 && equalsIgnoringCase(trim(text), "null");
}

/** Returns whether `value` equals `literal`. Numbers are compared by value: 3 equals 3.0. */
export function equalsLiteral(literal: Literal, value: Value): boolean {
  if (literal === HIDDEN) {
    return false;
  }
  return isNumber(literal) ? isNumber(value) && compare(value, literal) === 0 : same(literal, value);
}

function same(a: Value, b: Value): boolean {
  if (isNumber(a)) {
    return isNumber(b) && numbersEqual(a, b);
  }
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at] ?? null));
  }
  if (a instanceof JsonMap) {
    const isSame = (key: string, at: number): boolean => {
      const other = (b as JsonMap).get(key);
      return other !== undefined && same(a.values[at] ?? null, other);
    };
    return b instanceof JsonMap && a.size === b.size && a.keys.every(isSame);
  }
  return a === b;
}

/** Returns a text that is equal exactly for values that are the same. */
export function canonical(value: Value): string {
  if (isNumber(value)) {
    return (exact(value) ?? textOf(value)).toString();
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => `${canonical(item)},`).join("")}]`;
  }
  if (value instanceof JsonMap) {
    const entries = sortedKeys(value).map((key) => `${quoted(key)}:${canonical(value.get(key) ?? null)},`);
    return `{${entries.join("")}}`;
  }
  return textOf(value);
}
