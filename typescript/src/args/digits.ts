/**
 * The digits of numbers, as the model wrote them. A number rounds integers beyond 64 bits, and loses the spelling of fractions: `3.10` becomes
 * `3.1`. The text of the arguments still has both.
 *
 * @module
 */

import type { Table } from "../data/table.ts";
import { numberText, parseNumber } from "../number.ts";
import { JsonMap, type Value } from "../value.ts";
import { spelling } from "./literal.ts";
import { spelled } from "./open.ts";
import { sentKey } from "./origin.ts";

/** Replaces the strings that repair has made from numbers by what the model wrote. */
export function restoreStrings(text: string, repaired: Value, table: Table): Value {
  const sent = spelled(text);
  return sent === undefined ? repaired : restore(repaired, sent, table);
}

function restore(value: Value, sent: Value, table: Table): Value {
  const isArray = Array.isArray(value);
  const written = spelling(sent);
  if (isArray || value instanceof JsonMap) {
    // The array or object of a string.
    const inner = written?.kind === "text" ? spelled(written.text) : undefined;
    if (inner !== undefined && Array.isArray(inner) === isArray) {
      return restore(value, inner, table);
    }
  }
  if (isArray) {
    if (Array.isArray(sent)) {
      return value.map((item, at) => (at < sent.length ? restore(item, sent[at] ?? null, table) : item));
    }
    // A value of which repair has made an array.
    return value.length === 1 ? [restore(value[0] ?? null, sent, table)] : value;
  }
  if (value instanceof JsonMap) {
    if (sent instanceof JsonMap) {
      value.keys.forEach((key, at) => {
        const sentAs = sentKey(table, key, sent, value);
        const item = value.values[at] ?? null;
        value.setAt(at, sentAs === undefined ? item : restore(item, sent.get(sentAs) ?? null, table));
      });
    }
    return value;
  }
  const number = typeof value === "string" && written?.kind === "number" ? parseNumber(written.text) : undefined;
  return number !== undefined && written !== undefined && numberText(number) === value ? written.text : value;
}
