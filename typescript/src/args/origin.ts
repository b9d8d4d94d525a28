/**
 * Where repaired values come from: follows a path in the arguments as the model sent them and in the repaired ones at the same time.
 *
 * A path of the repaired arguments can differ from what the model sent: an array was made from a single value, an object was read from a
 * string, a key was spelled in another way. Errors and reports name the place in what the model sent. A path continues inside a string that
 * contains JSON.
 *
 * @module
 */

import { mayBeAlias } from "../data/name.ts";
import type { Table } from "../data/table.ts";
import { sameName } from "../text/names.ts";
import { equal, JsonMap, type Value } from "../value.ts";
import { opened } from "./open.ts";
import { pointerStep, type Step, stepInto } from "./path.ts";
import type { Reader } from "./reader.ts";
import type { RepairRule } from "./rules.ts";

/** What a repaired array or object was made from: the value that was sent, the content of a string, or the only item. */
export type Origin = "same" | "wrapped" | { readonly value: Value; readonly rule: RepairRule };

/** A place in what the model sent. */
export interface Place {
  readonly pointer: string;
  /** The value that was sent there, if there is one. */
  readonly sent: Value | undefined;
  /** The number of steps before the value was made the only item of an array, if nothing but that leads to the place. */
  readonly wrappedAt: number | undefined;
}

/** Returns what `repaired` was made from, if it is an array or object. */
export function originOf(reader: Reader, sent: Value, repaired: Value): Origin {
  const isArray = Array.isArray(repaired);
  const isObject = repaired instanceof JsonMap;
  if (Array.isArray(sent) || (sent instanceof JsonMap && isObject) || (!isArray && !isObject)) {
    return "same";
  }
  if (isArray && repaired.length === 1 && equal(repaired[0] ?? null, sent)) {
    return "wrapped";
  }
  const content = typeof sent === "string" ? opened(reader, sent) : undefined;
  if (content !== undefined && Array.isArray(content.value) === isArray) {
    return content;
  }
  return isArray ? "wrapped" : "same";
}

/** Returns the place in `sent` of the value at `path` in `arguments`. */
export function placeOf(reader: Reader, path: readonly Step[], sent: Value, repaired: Value): Place {
  let pointer = "";
  let sentHere: Value | undefined = sent;
  let here: Value | undefined = repaired;
  let wrappedAt: number | undefined;
  // One more round than steps, for the value at the end of the path.
  for (let index = 0; index <= path.length; index += 1) {
    const origin: Origin = sentHere === undefined || here === undefined ? "same" : originOf(reader, sentHere, here);
    if (origin === "wrapped") {
      wrappedAt ??= index;
      here = Array.isArray(here) ? here[0] : undefined;
      continue;
    }
    sentHere = origin === "same" ? sentHere : origin.value;
    const step = path[index];
    if (step === undefined) {
      break;
    }
    wrappedAt = undefined;
    let sentStep = step;
    if (typeof step === "string" && sentHere instanceof JsonMap && here instanceof JsonMap) {
      sentStep = sentKey(reader.table, step, sentHere, here) ?? step;
    }
    pointer += pointerStep(sentStep);
    sentHere = sentHere === undefined ? undefined : stepInto(sentHere, sentStep);
    here = here === undefined ? undefined : stepInto(here, step);
  }
  return { pointer, sent: sentHere, wrappedAt };
}

/** Returns the key by which the model sent the property `key` of a repaired object. */
export function sentKey(table: Table, key: string, sent: JsonMap, repaired: JsonMap): string | undefined {
  if (sent.has(key)) {
    return key;
  }
  return repaired.has(key) ? sent.keys.find((other) => isRenamed(table, other, key, repaired)) : undefined;
}

/** Returns whether the name `key` replaces the key `sent` in a repaired object. */
export function isRenamed(table: Table, sent: string, key: string, repaired: JsonMap): boolean {
  return !repaired.has(sent) && (sameName(sent, key) || mayBeAlias(sent, key) || table.hasAlias(key, sent));
}
