/**
 * What has been repaired in the arguments of a call: found by comparing what the model sent with what the handler gets, so that no change can
 * be missing from the list.
 *
 * @module
 */

import { mayBeAlias } from "../data/name.ts";
import type { Table } from "../data/table.ts";
import { integerFrom, type JsonNumber, numberFrom, numbersEqual } from "../number.ts";
import { beginningOfBytes, trim } from "../text/utf8.ts";
import { clone, equal, isNumber, JsonMap, textOf, type Value } from "../value.ts";
import { restoreStrings } from "./digits.ts";
import { parseArguments } from "./open.ts";
import { isRenamed, originOf, sentKey } from "./origin.ts";
import { pointerStep, stepInto } from "./path.ts";
import { type Limits, Reader } from "./reader.ts";
import { REDACTED, redacted } from "./redact.ts";
import { repairArguments } from "./repair.ts";
import type { RepairRule } from "./rules.ts";
import { JsonError } from "./tree.ts";

/** The maximum number of repairs that are listed for one call. */
const MAX_REPAIRS = 100;
/** The maximum length of a value in a repair, in bytes. */
const MAX_VALUE_BYTES = 200;

/** A change to the arguments of a call, or to the name of its tool. */
export interface Repair {
  /**
   * The place in what the model sent, as a JSON pointer; empty for the arguments as a whole. It continues inside a string that contains
   * JSON. Also empty for the name of the tool.
   */
  readonly path: string;
  /** The rule of the repair. */
  readonly rule: RepairRule;
  /** What was sent, as JSON. A long value is cut, and a value with a secret is `"[secret]"`. */
  readonly from: string;
  /** What it became, as JSON, like `from`. Values inside of it may have been repaired as well. */
  readonly to: string;
}

/** Returns the repairs of the arguments in `text`, which have been accepted. If the stack of the engine is too small for that, it is empty. */
export function findRepairs(text: string, table: Table, limits: Limits): readonly Repair[] {
  try {
    return find(text, table, limits);
  } catch (error) {
    if (error instanceof RangeError) {
      return [];
    }
    throw error;
  }
}

function find(text: string, table: Table, limits: Limits): readonly Repair[] {
  const read = parseArguments(text, limits.maxDepth);
  if (read instanceof JsonError) {
    return [];
  }
  const reader = new Reader(table, limits);
  // Null that represents absence is not dropped, because that is not a repair: some dialects demand it.
  const value = repairArguments(reader, clone(read.value));
  const repaired = reader.hasSpelled ? restoreStrings(text, value, table) : value;
  const shown = new Shown(repaired, redacted(reader, repaired));
  const comparison = new Comparison(new Reader(table, limits));
  if (read.rule !== undefined) {
    const isJson = read.rule === "empty_arguments" && trim(text) !== "";
    const from = (): string => (isJson ? shortened(trim(text)) : quotedShort(text));
    comparison.add("", read.rule, shown.orSecret(from), shown.text);
  }
  comparison.compare("", read.value, shown);
  return comparison.repairs;
}

/** Returns the repair of the name of a tool. */
export function repairOfName(sent: string, name: string): Repair {
  return { path: "", rule: "tool_name", from: quotedShort(sent), to: quotedShort(name) };
}

/** A repaired value, with and without its secrets. */
class Shown {
  readonly value: Value;
  readonly #redacted: Value;

  constructor(value: Value, redacted: Value) {
    this.value = value;
    this.#redacted = redacted;
  }

  /** Whether the value is a part of a secret. */
  get isSecret(): boolean {
    return this.#redacted === REDACTED;
  }

  get text(): string {
    return shortText(this.#redacted);
  }

  /** Returns the text of what was sent in the place of the value. */
  orSecret(sent: () => string): string {
    return equal(this.value, this.#redacted) ? sent() : quotedShort(REDACTED);
  }

  /** Returns a part of the value. */
  part(step: string | number, value: Value): Shown {
    const redacted = stepInto(this.#redacted, step);
    return new Shown(value, redacted === undefined ? this.#redacted : redacted);
  }
}

/** Compares the arguments that were sent with the repaired ones. */
class Comparison {
  readonly #reader: Reader;
  readonly repairs: Repair[] = [];

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  get #isFull(): boolean {
    return this.repairs.length === MAX_REPAIRS;
  }

  add(path: string, rule: RepairRule, from: string, to: string): void {
    if (!this.#isFull) {
      this.repairs.push({ path, rule, from, to });
    }
  }

  /** Adds the repairs of a value. */
  compare(path: string, sent: Value, shown: Shown): void {
    const repaired = shown.value;
    if (this.#isFull || isSame(sent, repaired)) {
      return;
    }
    if (typeof sent === "string" && isNumber(repaired)) {
      this.#compareNumber(path, sent, repaired, shown);
      return;
    }
    if (isNumber(sent) && typeof repaired === "string") {
      // The string has the digits that were sent.
      const digits = (): string => shortened(repaired);
      this.add(path, "string", shown.orSecret(digits), shown.text);
      return;
    }
    const rule = ruleOf(sent, repaired);
    if (rule !== undefined) {
      this.add(path, rule, shown.orSecret(() => shortText(sent)), shown.text);
      return;
    }
    const origin = originOf(this.#reader, sent, repaired);
    if (origin === "same") {
      this.#compareChildren(path, sent, shown);
      return;
    }
    const isWrapped = origin === "wrapped";
    this.add(path, isWrapped ? "single_item" : origin.rule, shown.orSecret(() => shortText(sent)), shown.text);
    if (isWrapped) {
      this.compare(path, sent, shown.part(0, stepInto(repaired, 0) ?? null));
    } else {
      this.compare(path, origin.value, shown);
    }
  }

  /** Adds the repairs of a number that was sent as a string: that it became a number, and that the number was beyond a bound. */
  #compareNumber(path: string, text: string, number: JsonNumber, shown: Shown): void {
    const from = shown.orSecret(() => quotedShort(text));
    const read = integerFrom(text) ?? numberFrom(text);
    if (read === undefined) {
      // No JSON number is as large.
      this.add(path, "bound", from, shown.text);
    } else if (this.#reader.table.hasClamped && !numbersEqual(read, number)) {
      const between = shown.orSecret(() => shortText(read));
      this.add(path, "number", from, between);
      this.add(path, "bound", between, shown.text);
    } else {
      this.add(path, "number", from, shown.text);
    }
  }

  /** Adds the repairs of the items of an array, or of the keys and values of an object. */
  #compareChildren(path: string, sent: Value, shown: Shown): void {
    // The keys inside a secret are not shown either.
    const inner = (step: string | number): string => (shown.isSecret ? path : path + pointerStep(step));
    const repaired = shown.value;
    if (Array.isArray(sent) && Array.isArray(repaired)) {
      for (let at = 0; at < Math.min(sent.length, repaired.length) && !this.#isFull; at += 1) {
        this.compare(inner(at), sent[at] ?? null, shown.part(at, repaired[at] ?? null));
      }
    } else if (sent instanceof JsonMap && repaired instanceof JsonMap) {
      // Found once, because an object can have many keys.
      const lost = sent.keys.filter((key) => !repaired.has(key));
      repaired.keys.forEach((key, at) => {
        const sentAs = this.#isFull ? undefined : sentKey(this.#reader.table, key, sent, repaired);
        if (sentAs !== undefined) {
          this.#compareNames(inner, key, lost, shown);
          this.compare(inner(sentAs), sent.get(sentAs) ?? null, shown.part(key, repaired.values[at] ?? null));
        }
      });
    }
  }

  /** Adds the repairs of the keys that `key` replaces. */
  #compareNames(inner: (step: string) => string, key: string, lost: readonly string[], shown: Shown): void {
    const repaired = shown.value as JsonMap;
    for (const other of lost) {
      // A key that the definition has is not a repair.
      if (isRenamed(this.#reader.table, other, key, repaired) && !mayBeAlias(other, key)) {
        const [from, to] = shown.isSecret ? [REDACTED, REDACTED] : [other, key];
        this.add(inner(other), "parameter_name", quotedShort(from), quotedShort(to));
      }
    }
  }
}

/** Returns the rule by which a value becomes one of another kind. */
function ruleOf(sent: Value, repaired: Value): RepairRule | undefined {
  if (typeof sent === "string") {
    if (repaired === null || typeof repaired === "string") {
      return repaired === null ? "null_word" : "enum_word";
    }
    return typeof repaired === "boolean" ? "boolean" : undefined;
  }
  if (isNumber(sent)) {
    return isNumber(repaired) ? "bound" : undefined;
  }
  return typeof sent === "boolean" && typeof repaired === "string" ? "string" : undefined;
}

/** Returns whether a value is what was sent. A number in another spelling is. */
function isSame(sent: Value, repaired: Value): boolean {
  return isNumber(sent) && isNumber(repaired) ? numbersEqual(sent, repaired) : equal(sent, repaired);
}

function shortText(value: Value): string {
  return shortened(textOf(value));
}

function quotedShort(text: string): string {
  return shortText(beginningOfBytes(text, 2 * MAX_VALUE_BYTES));
}

/** Returns `text`, or its beginning with an ellipsis if it is long. */
function shortened(text: string): string {
  const shown = beginningOfBytes(text, MAX_VALUE_BYTES);
  return shown.length < text.length ? `${shown}…` : text;
}
