/**
 * Writing values of JavaScript as JSON.
 *
 * @module
 */

import { quoted } from "./json.ts";

/** The maximum depth. A deeper value contains itself, or has no use for a model. */
const MAX_DEPTH = 1_000;

/** Returns a value as `JSON.stringify` writes it, with integers of any size. Throws an error if it contains itself. */
export function jsonText(value: unknown): string {
  return write(value, MAX_DEPTH) ?? "null";
}

function write(value: unknown, room: number): string | undefined {
  switch (typeof value) {
    case "string":
      return quoted(value.toWellFormed());
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      return value === null ? "null" : writeObject(value, room);
    default:
      return undefined;
  }
}

function writeObject(value: object, room: number): string | undefined {
  if (room === 0) {
    throw new TypeError("the value is nested too deeply to be written as JSON");
  }
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") {
    return write(Reflect.apply(toJSON, value, []), room - 1);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => write(item, room - 1) ?? "null").join(",")}]`;
  }
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const text = write(item, room - 1);
    return text === undefined ? [] : [`${quoted(key.toWellFormed())}:${text}`];
  });
  return `{${entries.join(",")}}`;
}
