/**
 * Parses JSON and almost JSON: the arguments as the model sent them, and the arrays and objects in strings.
 *
 * @module
 */

import { type FullNode, TYPE_BITS } from "../data/table.ts";
import { byteLength, equalsIgnoringCase, trim, trimStart } from "../text/utf8.ts";
import { JsonMap, type Value } from "../value.ts";
import { lastSaid, parseLiteral, parseLiteralArguments, spelledValue, spelling } from "./literal.ts";
import type { Reader } from "./reader.ts";
import type { RepairRule } from "./rules.ts";
import { JsonError, parseTree } from "./tree.ts";

/** The value in the text of arguments, with the rule that was needed to read it. */
export interface Opened {
  readonly value: Value;
  readonly rule: RepairRule | undefined;
}

/**
 * Parses the text of the arguments. A text that is almost JSON is repaired, and missing arguments are an empty object. Returns the error of
 * the JSON parser if the text can be read in no other way.
 */
export function parseArguments(text: string, depth: number): Opened | JsonError {
  const json = parseTree(text, depth, true);
  const trimmed = trim(text);
  if (json instanceof JsonError ? trimmed === "" : isBlank(json)) {
    return { value: new JsonMap(), rule: "empty_arguments" };
  }
  if (!(json instanceof JsonError)) {
    return { value: json, rule: undefined };
  }
  const said = lastSaid(text);
  if (said !== undefined && said.length < trimmed.length) {
    const value = jsonOrLiteral(said, depth);
    return value === undefined ? json : { value, rule: "repetition" };
  }
  const inner = inFence(text);
  const value = inner === undefined ? parseLiteralArguments(text, depth) : jsonOrLiteral(inner, depth);
  return value instanceof JsonMap ? { value, rule: inner === undefined ? "almost_json" : "code_fence" } : json;
}

function jsonOrLiteral(text: string, depth: number): Value | undefined {
  const json = parseTree(text, depth, true);
  return json instanceof JsonError ? parseLiteralArguments(text, depth) : json;
}

/** Returns the array or object in the text of arguments, or of a string in them, with the digits of its numbers. */
export function spelled(text: string): Value[] | JsonMap | undefined {
  const inner = inFence(text);
  const value = spelledValue(text) ?? (inner === undefined ? undefined : spelledValue(inner));
  if (value === undefined) {
    const said = lastSaid(text);
    const last = said === undefined ? undefined : spelledValue(said);
    return isNested(last) ? last : undefined;
  }
  if (isNested(value)) {
    return value;
  }
  // Arguments as a whole may be a string.
  const written = spelling(value);
  const isString = written?.kind === "text" && trimStart(text).startsWith('"');
  const whole = isString ? spelledValue(written.text) : undefined;
  return isNested(whole) ? whole : undefined;
}

function isNested(value: Value | undefined): value is Value[] | JsonMap {
  return Array.isArray(value) || value instanceof JsonMap;
}

/** Returns whether the arguments are missing: null, or a string that contains nothing or `null`. */
export function isBlank(value: Value): boolean {
  return value === null || (typeof value === "string" && /^(?:null)?$/.test(trim(value)));
}

/**
 * Returns the text inside a Markdown code fence without a language or with the language `json`, if `text` is nothing else than such a fence
 * around an array or object.
 */
function inFence(text: string): string | undefined {
  const trimmed = trim(text);
  const ticks = /^`*/.exec(trimmed)?.[0] ?? "";
  if (ticks.length < 3 || !trimmed.endsWith(ticks) || trimmed.length < 2 * ticks.length) {
    return undefined;
  }
  const inner = trim(trimmed.slice(ticks.length, -ticks.length));
  const rest = equalsIgnoringCase(inner.slice(0, 4), "json") ? trimStart(inner.slice(4)) : inner;
  return isClosed(rest) ? rest : undefined;
}

/** Returns whether `text` begins and ends like an array or object. */
function isClosed(text: string): boolean {
  return (text.startsWith("[") && text.endsWith("]")) || (text.startsWith("{") && text.endsWith("}"));
}

/** Returns whether a text begins with this bracket, after white space. */
export function opensWith(text: string, bracket: string): boolean {
  return trimStart(text).startsWith(bracket);
}

/** Returns the array or object in `text`, if `node` allows its type. */
export function openToward(
  reader: Reader,
  text: string,
  wanted: "array" | "object",
  node: FullNode,
  depth: number,
): Value | undefined {
  const bracket = wanted === "array" ? "[" : "{";
  if (opensWith(text, bracket)) {
    return open(reader, text, depth);
  }
  const inner = inFence(text);
  if (inner?.startsWith(bracket) !== true) {
    return undefined;
  }
  const isItem = wanted === "array" && (node.items === undefined || mayBeString(reader, reader.node(node.items)));
  return isItem ? undefined : open(reader, inner, depth);
}

/** Returns the array or object in `text`, with the rule that applies, without regard to a schema. */
export function opened(reader: Reader, text: string): { value: Value; rule: RepairRule } | undefined {
  const depth = reader.limits.maxDepth;
  const inner = inFence(text);
  const value = open(reader, inner ?? text, depth);
  if (value === undefined) {
    return undefined;
  }
  const isJson = !(parseTree(trim(text), depth, false) instanceof JsonError);
  return { value, rule: inner !== undefined ? "code_fence" : isJson ? "json_text" : "almost_json" };
}

/** Parses the array or object in `text`, as JSON or almost JSON. */
export function open(reader: Reader, text: string, depth: number): Value | undefined {
  const trimmed = trim(text);
  if (!isClosed(trimmed) || !reader.spend(Math.floor(byteLength(trimmed) / 8))) {
    return undefined;
  }
  const parse = (text: string): Value | undefined => {
    const json = parseTree(text, depth, false);
    return json instanceof JsonError ? parseLiteral(text, depth) : json;
  };
  const value = parse(trimmed);
  const said = value === undefined ? lastSaid(trimmed) : undefined;
  return value ?? (said === undefined ? undefined : parse(said));
}

/** Returns whether a value of `node` may be a string. */
function mayBeString(reader: Reader, node: FullNode): boolean {
  if (node.bits !== 0) {
    return (node.bits & TYPE_BITS.string) !== 0;
  }
  const leaves = node.anyOf.length > 0 && node.allOf.length === 0 ? reader.leaves(node) : undefined;
  return leaves?.some((leaf) => (reader.node(leaf).bits & TYPE_BITS.string) !== 0) ?? true;
}
