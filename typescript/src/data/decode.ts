/**
 * Reading a document of a known form: each function says where the document differs from the form.
 *
 * @module
 */

import { asFloat, isFloat, type JsonNumber } from "../number.ts";
import { got } from "../args/expectation_text.ts";
import { isNumber, JsonMap, type Value } from "../value.ts";

/** The error for a document that is not a compiled catalog. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
}

/** A value in a document, with its place. */
export class Part {
  readonly value: Value;
  readonly path: string;

  constructor(value: Value, path: string) {
    this.value = value;
    this.path = path;
  }

  /** Throws the error that something else was expected here. */
  fail(expected: string): never {
    const place = this.path === "" ? "the document" : this.path;
    const problem = `${place}: expected ${expected}, got ${got(this.value)}`;
    throw new CatalogError(`this is not a compiled catalog: ${problem}: write it again with \`cargo xtask gen\``);
  }

  get map(): JsonMap {
    return this.value instanceof JsonMap ? this.value : this.fail("an object");
  }

  /** Returns the value of a key, if the object has it. */
  maybe(key: string): Part | undefined {
    const value = this.map.get(key);
    return value === undefined ? undefined : new Part(value, `${this.path}/${key}`);
  }

  /** Returns the value of a key that the object must have. */
  get(key: string): Part {
    return this.maybe(key) ?? this.fail(`an object with the key \`${key}\``);
  }

  /** Returns the items of the array of a key, or none if the object does not have the key. */
  each(key: string): readonly Part[] {
    return this.maybe(key)?.items ?? [];
  }

  get items(): readonly Part[] {
    return Array.isArray(this.value)
      ? this.value.map((item, at) => new Part(item, `${this.path}/${String(at)}`))
      : this.fail("an array");
  }

  get entries(): readonly (readonly [string, Part])[] {
    const { map } = this;
    return map.keys.map((key, at) => [key, new Part(map.values[at] ?? null, `${this.path}/${key}`)]);
  }

  get string(): string {
    return typeof this.value === "string" ? this.value : this.fail("a string");
  }

  get boolean(): boolean {
    return typeof this.value === "boolean" ? this.value : this.fail("true or false");
  }

  get number(): JsonNumber {
    return isNumber(this.value) ? this.value : this.fail("a number");
  }

  /** An integer that is not negative. */
  get count(): number {
    const { value } = this;
    // A larger count than a text or a list can have is as good as the largest.
    const count = isNumber(value) && !isFloat(value) ? asFloat(value) : -1;
    return count >= 0 ? count : this.fail("a count");
  }

  /** An index into a list of this length. */
  index(length: number): number {
    return this.count < length ? this.count : this.fail(`a number below ${String(length)}`);
  }

  /** One of these words. */
  word<W extends string>(words: readonly W[]): W {
    return words.find((word) => word === this.value) ?? this.fail(`one of ${words.join(", ")}`);
  }

  strings(key: string): readonly string[] {
    return this.each(key).map((item) => item.string);
  }

  flag(key: string): boolean {
    return this.maybe(key)?.boolean ?? false;
  }
}
