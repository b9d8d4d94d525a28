/**
 * JSON values as the reader works with them. A number keeps what JavaScript loses: integers of 64 bits are exact, and `5.0` differs
 * from `5`. What a handler gets is plain: see {@link toPlain}.
 *
 * @module
 */

import { Float, isFloat, type JsonNumber, numberText } from "./number.ts";
import { quoted } from "./text/json.ts";
import { byteLength, compareText } from "./text/utf8.ts";

/** A JSON value. */
export type Value = null | boolean | string | JsonNumber | Value[] | JsonMap;

/** Objects with more keys than this get an index. */
const MAX_WITHOUT_INDEX = 8;

/**
 * An object: its keys in the order in which they were sent. A removed key is replaced by the last one, as in Rust, so that problems have
 * the same order.
 */
export class JsonMap {
  readonly #keys: string[] = [];
  readonly #values: Value[] = [];
  #index: Map<string, number> | undefined;

  get size(): number {
    return this.#keys.length;
  }

  get keys(): readonly string[] {
    return this.#keys;
  }

  get values(): readonly Value[] {
    return this.#values;
  }

  has(key: string): boolean {
    return this.#position(key) >= 0;
  }

  get(key: string): Value | undefined {
    return this.#values[this.#position(key)];
  }

  /** Sets a value. Returns whether the key existed before. */
  set(key: string, value: Value): boolean {
    const at = this.#position(key);
    if (at >= 0) {
      this.#values[at] = value;
      return true;
    }
    this.#index?.set(key, this.#keys.length);
    this.#keys.push(key);
    this.#values.push(value);
    if (this.#index === undefined && this.#keys.length > MAX_WITHOUT_INDEX) {
      this.#index = new Map(this.#keys.map((name, position) => [name, position]));
    }
    return false;
  }

  /** Replaces the value at a position. */
  setAt(at: number, value: Value): void {
    this.#values[at] = value;
  }

  remove(key: string): Value | undefined {
    const at = this.#position(key);
    if (at < 0) {
      return undefined;
    }
    const value = this.#values[at];
    const lastKey = this.#keys.pop();
    const lastValue = this.#values.pop();
    this.#index?.delete(key);
    if (lastKey !== undefined && lastValue !== undefined && at < this.#keys.length) {
      this.#keys[at] = lastKey;
      this.#values[at] = lastValue;
      this.#index?.set(lastKey, at);
    }
    return value;
  }

  #position(key: string): number {
    return this.#index === undefined ? this.#keys.indexOf(key) : (this.#index.get(key) ?? -1);
  }
}

/** Returns a map with these entries. */
export function mapOf(entries: Iterable<readonly [string, Value]>): JsonMap {
  const map = new JsonMap();
  for (const [key, value] of entries) {
    map.set(key, value);
  }
  return map;
}

export function isNumber(value: Value): value is JsonNumber {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Float;
}

/** Returns a copy that shares nothing that can change. */
export function clone(value: Value): Value {
  if (Array.isArray(value)) {
    return value.map(clone);
  }
  if (value instanceof JsonMap) {
    const copy = new JsonMap();
    value.keys.forEach((key, at) => {
      copy.set(key, clone(value.values[at] ?? null));
    });
    return copy;
  }
  return value;
}

/** Returns whether two values are equal, also in the spelling of their numbers: 5 does not equal 5.0. */
export function equal(a: Value, b: Value): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => equal(item, b[at] ?? null));
  }
  if (a instanceof JsonMap) {
    const isSame = (key: string, at: number): boolean => {
      const other = (b as JsonMap).get(key);
      return other !== undefined && equal(a.values[at] ?? null, other);
    };
    return b instanceof JsonMap && a.size === b.size && a.keys.every(isSame);
  }
  if (a instanceof Float) {
    return b instanceof Float && a.value === b.value;
  }
  return a === b;
}

/** Returns the JSON text of a value, without white space. */
export function textOf(value: Value): string {
  if (typeof value === "string") {
    return quoted(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(textOf).join(",")}]`;
  }
  if (value instanceof JsonMap) {
    return `{${value.keys.map((key, at) => `${quoted(key)}:${textOf(value.values[at] ?? null)}`).join(",")}}`;
  }
  return value === null || typeof value === "boolean" ? String(value) : numberText(value);
}

/** A value as JavaScript programs know it. An integer beyond ±(2^53 - 1) is a `bigint`. */
export type Plain = null | boolean | string | number | bigint | Plain[] | { [key: string]: Plain };

/** Returns the value as JavaScript programs know it. A key such as `__proto__` becomes an ordinary property. */
export function toPlain(value: Value): Plain {
  if (Array.isArray(value)) {
    return value.map(toPlain);
  }
  if (value instanceof JsonMap) {
    const plain: { [key: string]: Plain } = {};
    value.keys.forEach((key, at) => {
      setOwn(plain, key, toPlain(value.values[at] ?? null));
    });
    return plain;
  }
  return value instanceof Float ? value.value : value;
}

/** Sets an own property, even one that is called `__proto__`. */
export function setOwn(object: { [key: string]: Plain }, key: string, value: Plain): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Returns the keys of a map in the order of their bytes. */
export function sortedKeys(map: JsonMap): string[] {
  return [...map.keys].sort(compareText);
}

/** Returns the cost of cloning `value`, in steps of the budget of a reader. */
export function cloneCost(value: Value): number {
  if (typeof value === "string") {
    return 1 + Math.floor(byteLength(value) / 64);
  }
  if (Array.isArray(value)) {
    return value.reduce((sum: number, item) => sum + cloneCost(item), 1);
  }
  if (value instanceof JsonMap) {
    return value.values.reduce((sum: number, item) => sum + 1 + cloneCost(item), 1);
  }
  return 1;
}

/** Returns whether a value contains a float, in any spelling. */
export function holdsFloat(value: Value): boolean {
  if (Array.isArray(value)) {
    return value.some(holdsFloat);
  }
  return value instanceof JsonMap ? value.values.some(holdsFloat) : isNumber(value) && isFloat(value);
}
