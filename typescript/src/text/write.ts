/**
 * Writing values of JavaScript as JSON.
 *
 * @module
 */

import { quoted } from "./json.ts";

/** The maximum depth. A deeper value contains itself, or has no use for a model. */
const MAX_DEPTH = 1_000;

/** Changes a text that is written. */
export type ChangeText = (text: string) => string;

/**
 * Returns a value as `JSON.stringify` writes it, with integers of any size. Throws an error if it contains itself.
 *
 * @param change - Changes each string of the value, also the keys.
 */
export function jsonText(value: unknown, change: ChangeText = (text) => text): string {
  return write(value, MAX_DEPTH, change) ?? "null";
}

function write(value: unknown, room: number, change: ChangeText): string | undefined {
  switch (typeof value) {
    case "string":
      return quoted(change(value.toWellFormed()));
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      return value === null ? "null" : writeObject(value, room, change);
    default:
      return undefined;
  }
}

function writeObject(value: object, room: number, change: ChangeText): string | undefined {
  if (room === 0) {
    throw new TypeError("the value is nested too deeply to be written as JSON");
  }
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") {
    return write(Reflect.apply(toJSON, value, []), room - 1, change);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => write(item, room - 1, change) ?? "null").join(",")}]`;
  }
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const text = write(item, room - 1, change);
    return text === undefined ? [] : [`${quoted(change(key.toWellFormed()))}:${text}`];
  });
  return `{${entries.join(",")}}`;
}
