/**
 * Repair: converts almost correct values to the type in their schema, at every depth. `docs/repair.md` describes the rules.
 *
 * 1. The string `null` becomes null if null is allowed.
 * 2. A string that is not one of the words of its `enum` becomes the only word that it equals without regard to case.
 * 3. A value that has an allowed type is kept, and its children are repaired.
 * 4. Any other value is converted to the first allowed type to which it can be converted.
 * 5. Otherwise, if an array is allowed, the value is wrapped in an array.
 * 6. Otherwise, the value is kept, and validation reports it.
 *
 * With `allOf`, the value is then repaired toward each part.
 *
 * In an object that refuses unknown keys, a key gets the declared name that only it resembles, or that it is an alias of.
 *
 * Each function returns the repaired value. Arrays and objects are changed in place.
 *
 * @module
 */

import { nearestAllowed } from "../data/bounds.ts";
import { type FullNode, type Literal, type NodeId, type Property, type Type, TYPE_BITS } from "../data/table.ts";
import { asFloat, integer, integerFrom, isFloat, mayBeRespelled, numberFrom, numbersEqual, ofAnySize } from "../number.ts";
import { equalsIgnoringCase, trim } from "../text/utf8.ts";
import { type JsonNumber } from "../number.ts";
import { clone, cloneCost, holdsFloat, isNumber, JsonMap, textOf, type Value } from "../value.ts";
import { allowsNull, equalsLiteral, fits, isNullWord } from "./json_type.ts";
import { renameKeys, restoreNames, restoreNamesOfParts } from "./keys.ts";
import { isBlank, open, opened, opensWith, openToward } from "./open.ts";
import type { Reader } from "./reader.ts";
import { isValid, isValidWithNulls } from "./validate.ts";

/** A step of repair. The steps are tried in this order. */
type RepairStep = "keep" | "convert" | "wrap";

const ALL_STEPS: readonly RepairStep[] = ["keep", "convert", "wrap"];

/** The maximum depth of nested alternatives. A schema may be its own alternative. */
const MAX_NESTED_ALTERNATIVES = 16;

/** Repairs the arguments object. Its type is an object, whatever the type of the schema's root. */
export function repairArguments(reader: Reader, sent: Value): Value {
  const [node, depth] = [reader.node(0), reader.limits.maxDepth];
  let value = sent;
  if (isBlank(value)) {
    value = new JsonMap();
    reader.changed = true;
  } else if (typeof value === "string") {
    const object = opened(reader, value)?.value;
    if (object instanceof JsonMap) {
      value = object;
      reader.changed = true;
    }
  }
  if (value instanceof JsonMap) {
    repairChildren(reader, value, node, depth);
    if (fitsParts(reader, value, node, 0)) {
      value = repairParts(reader, value, node, depth, 0);
    }
    value = repairAlternatives(reader, value, node, depth, ["keep"], 0);
  }
  return value;
}

function changed(reader: Reader, value: Value): Value {
  reader.changed = true;
  return value;
}

/** Repairs a value toward a node. `depth` is the maximum depth of the result. */
export function repair(reader: Reader, value: Value, id: NodeId, depth: number): Value {
  return repairPart(reader, value, id, depth, 0);
}

/** Repairs a value toward a node, which is a part of `nested` others. */
function repairPart(reader: Reader, sent: Value, id: NodeId, depth: number, nested: number): Value {
  if (!reader.spend(1)) {
    return sent;
  }
  const node = reader.node(id);
  if (typeof sent === "string" && isNullWord(sent) && listsNull(reader, node, 0) && isValid(reader, null, id)) {
    return changed(reader, null);
  }
  let value = sent;
  if (node.bits === 0) {
    value = spellInteger(reader, value, node);
    repairChildren(reader, value, node, depth);
  } else {
    for (const step of ALL_STEPS) {
      const done = tryStep(reader, step, value, node, depth);
      value = done.value;
      if (done.isDone) {
        break;
      }
    }
  }
  if (node.anyOf.length === 0 && node.allOf.length === 0) {
    return value;
  }
  const hadChildren = hasChildren(value);
  value = repairParts(reader, value, node, depth, nested);
  value = repairAlternatives(reader, value, node, depth, ALL_STEPS, 0);
  if (!hadChildren && hasChildren(value)) {
    // A part or an alternative has parsed an array or object from a string.
    repairChildren(reader, value, node, depth);
    value = repairParts(reader, value, node, depth, nested);
  }
  return value;
}

/**
 * Repairs a value toward each schema in the `allOf` of a node. If these schemas have no type in common to which the value can be converted,
 * it is kept.
 */
function repairParts(reader: Reader, value: Value, node: FullNode, depth: number, nested: number): Value {
  if (node.allOf.length === 0 || nested === MAX_NESTED_ALTERNATIVES || !reader.spend(cloneCost(value))) {
    return value;
  }
  const wasChanged = reader.changed;
  let trial = clone(value);
  for (const part of node.allOf) {
    trial = repairPart(reader, trial, part, depth, nested + 1);
  }
  if (fitsParts(reader, trial, node, nested)) {
    return trial;
  }
  reader.changed = wasChanged;
  return value;
}

/** Returns whether a value has a type that each schema in the `allOf` of a node allows. */
function fitsParts(reader: Reader, value: Value, node: FullNode, nested: number): boolean {
  const fitsPart = (part: FullNode): boolean =>
    fits(part.bits, value) && (nested === MAX_NESTED_ALTERNATIVES || fitsParts(reader, value, part, nested + 1));
  return reader.spend(1) && node.allOf.every((part) => fitsPart(reader.node(part)));
}

/** Returns whether `node` lists null as a type. */
function listsNull(reader: Reader, node: FullNode, nested: number): boolean {
  if (node.allOf.length > 0) {
    return (
      (node.bits === 0 || allowsNull(node)) &&
      nested < MAX_NESTED_ALTERNATIVES &&
      reader.spend(1) &&
      node.allOf.every((part) => listsNull(reader, reader.node(part), nested + 1))
    );
  }
  if (node.bits === 0) {
    return reader.leaves(node)?.some((leaf) => allowsNull(reader.node(leaf))) ?? false;
  }
  return allowsNull(node);
}

/** The value after a step, and whether the step has found a value of an allowed type. */
interface Tried {
  readonly value: Value;
  readonly isDone: boolean;
}

function tryStep(reader: Reader, step: RepairStep, value: Value, node: FullNode, depth: number): Tried {
  let result = value;
  if (step === "keep") {
    if (typeof value === "string" && node.literals.length > 0 && (node.bits & TYPE_BITS.string) !== 0) {
      const word = enumWord(value, node);
      result = word === undefined ? value : changed(reader, word);
    }
    if (!fits(node.bits, result)) {
      return { value: result, isDone: false };
    }
  } else if (step === "convert") {
    const converted = firstConverted(reader, value, node, depth);
    if (converted === undefined) {
      return { value, isDone: false };
    }
    result = changed(reader, converted);
  } else {
    const mayWrap = depth > 0 && (node.bits & TYPE_BITS.array) !== 0 && value !== null;
    if (!mayWrap || isCutOff(reader, value, depth)) {
      return { value, isDone: false };
    }
    result = changed(reader, [value]);
  }
  result = spellInteger(reader, result, node);
  repairChildren(reader, result, node, depth);
  return { value: result, isDone: true };
}

function firstConverted(reader: Reader, value: Value, node: FullNode, depth: number): Value | undefined {
  for (const wanted of node.allTypes) {
    const converted = convert(reader, value, wanted, node, depth);
    if (converted !== undefined) {
      return converted;
    }
  }
  return undefined;
}

/**
 * Writes a number without a fraction as an integer, if the node wants an integer: `5` for `5.0`. The value stays the same, so that this is
 * not a repair. A float that may have been rounded is not changed, so that its digits can be restored.
 */
function spellInteger(reader: Reader, value: Value, node: FullNode): Value {
  const isFloating = isNumber(value) && isFloat(value) && wantsInteger(reader, node, value, 0);
  return isFloating ? (integer(value) ?? value) : value;
}

function wantsInteger(reader: Reader, node: FullNode, number: JsonNumber, nested: number): boolean {
  const isLiteral = (literal: Literal): boolean =>
    typeof literal === "number" && Number.isInteger(literal) && equalsLiteral(literal, number);
  const isInteger = (node.bits & TYPE_BITS.integer) !== 0 && (node.bits & TYPE_BITS.number) === 0;
  return (
    isInteger ||
    node.literals.some(isLiteral) ||
    (nested < MAX_NESTED_ALTERNATIVES &&
      reader.spend(1) &&
      node.allOf.some((id) => wantsInteger(reader, reader.node(id), number, nested + 1)))
  );
}

/** Returns the only word of the node's `enum` that `text` equals without regard to case, if it is not one of these words. */
function enumWord(text: string, node: FullNode): string | undefined {
  const words = node.literals.filter((literal) => typeof literal === "string");
  if (words.includes(text)) {
    return undefined;
  }
  const trimmed = trim(text);
  const [word, ...others] = words.filter((word) => equalsIgnoringCase(trim(word), trimmed));
  return others.every((other) => other === word) ? word : undefined;
}

/** Repairs the children of a value. */
function repairChildren(reader: Reader, value: Value, node: FullNode, depth: number): void {
  const inner = Math.max(depth - 1, 0);
  if (Array.isArray(value)) {
    const { items } = node;
    if (items !== undefined) {
      value.forEach((item, at) => {
        value[at] = repair(reader, item, items, inner);
      });
    }
  } else if (value instanceof JsonMap) {
    repairObject(reader, value, node, inner);
  }
}

function repairObject(reader: Reader, map: JsonMap, node: FullNode, depth: number): void {
  if (!reader.spend(node.properties.length)) {
    return;
  }
  let known = 0;
  /** Repairs the value of a property, if it is there. */
  const property = (property: Property): boolean => {
    const value = map.get(property.name);
    if (value === undefined) {
      return false;
    }
    map.set(property.name, repairProperty(reader, value, property, depth));
    return true;
  };
  for (const one of node.visible) {
    known += property(one) ? 1 : 0;
  }
  if (known < map.size && node.untyped) {
    restoreNamesOfParts(reader, map, node, 0);
    for (const one of restoreNames(reader, map, node)) {
      known += property(one) ? 1 : 0;
    }
  }
  if (known < map.size && node.additional === false) {
    for (const one of renameKeys(reader, map, node, (value, id) => repair(reader, value, id, depth))) {
      if (property(one)) {
        reader.changed = true;
      }
    }
  }
  if (typeof node.additional === "number") {
    const id = node.additional;
    map.keys.forEach((key, at) => {
      if (!node.byName.has(key)) {
        map.setAt(at, repair(reader, map.values[at] ?? null, id, depth));
      }
    });
  }
}

/** Repairs the value of a property. */
function repairProperty(reader: Reader, sent: Value, property: Property, depth: number): Value {
  const value = repair(reader, sent, property.node, depth);
  const bound = property.clamp ? allowedInstead(reader, value, property.node) : undefined;
  return bound === undefined ? value : changed(reader, bound);
}

/**
 * Returns the allowed number that is nearest to a value beyond the bounds of a node. The value may be a number of any size, and digits that
 * are too many for the type.
 */
function allowedInstead(reader: Reader, value: Value, id: NodeId): JsonNumber | undefined {
  const node = reader.node(id);
  const isInteger = (node.bits & TYPE_BITS.integer) !== 0 && (node.bits & TYPE_BITS.number) === 0;
  let number: JsonNumber | undefined;
  if (isNumber(value)) {
    const isWhole = !isFloat(value) || Number.isInteger(asFloat(value));
    const isAllowed = fits(node.bits, value) || ((node.bits & TYPE_BITS.integer) !== 0 && isWhole);
    number = isAllowed ? value : undefined;
  } else if (typeof value === "string" && !fits(node.bits, value)) {
    number = ofAnySize(value, isInteger);
  }
  if (number === undefined || node.bounds === undefined) {
    return undefined;
  }
  const bound = nearestAllowed(number, node.bounds, isInteger);
  return bound !== undefined && isValid(reader, bound, id) ? bound : undefined;
}

/**
 * Repairs a value toward one of the alternatives of `node`: the first one for which it is valid without repair, otherwise the first one for
 * which it is valid after repair, otherwise the first one to whose type it can be converted.
 */
function repairAlternatives(
  reader: Reader,
  value: Value,
  node: FullNode,
  depth: number,
  steps: readonly RepairStep[],
  nested: number,
): Value {
  if (node.anyOf.length === 0 || node.allOf.length > 0 || nested === MAX_NESTED_ALTERNATIVES) {
    return value;
  }
  const leaves = reader.leaves(node);
  if (leaves === undefined) {
    return spellAlternatives(reader, value, node, depth);
  }
  const attempt = (sent: Value, step: RepairStep, leaf: FullNode): Tried => {
    const { value, isDone } = tryStep(reader, step, sent, leaf, depth);
    return { value: isDone ? repairAlternatives(reader, value, leaf, depth, steps, nested + 1) : value, isDone };
  };
  const valid = leaves.find((leaf) => isValidWithNulls(reader, value, leaf));
  if (valid !== undefined) {
    return attempt(value, "keep", reader.node(valid)).value;
  }
  let first: { readonly value: Value; readonly changed: boolean } | undefined;
  const wasChanged = reader.changed;
  for (const step of steps) {
    for (const id of leaves) {
      const leaf = reader.node(id);
      if (!maySucceed(step, leaf.bits, value)) {
        continue;
      }
      if (!reader.spend(cloneCost(value))) {
        return value;
      }
      const trial = attempt(clone(value), step, leaf);
      if (trial.isDone) {
        if (isValidWithNulls(reader, trial.value, id)) {
          return trial.value;
        }
        first ??= { value: trial.value, changed: reader.changed };
      }
      reader.changed = wasChanged;
    }
  }
  if (first === undefined) {
    return value;
  }
  reader.changed = first.changed;
  return first.value;
}

/** Spells numbers as the alternatives of a node want them, which do not determine a type. */
function spellAlternatives(reader: Reader, sent: Value, node: FullNode, depth: number): Value {
  let value = sent;
  // An alternative may contain itself.
  if (depth > 0 && holdsFloat(value)) {
    for (const schema of node.anyOf) {
      if (reader.spend(cloneCost(value))) {
        const before = [reader.changed, reader.hasSpelled] as const;
        const trial = repair(reader, clone(value), schema, depth - 1);
        [reader.changed, reader.hasSpelled] = before;
        value = withSpelling(value, trial);
      }
    }
  }
  return value;
}

/** Gives the numbers in `value` the spelling of the same numbers in `other`. */
function withSpelling(value: Value, other: Value): Value {
  if (isNumber(value)) {
    return isNumber(other) && numbersEqual(value, other) ? other : value;
  }
  if (Array.isArray(value)) {
    return Array.isArray(other) ? value.map((item, at) => withSpelling(item, other[at] ?? item)) : value;
  }
  if (value instanceof JsonMap && other instanceof JsonMap) {
    value.keys.forEach((key, at) => {
      const item = value.values[at] ?? null;
      value.setAt(at, withSpelling(item, other.get(key) ?? item));
    });
  }
  return value;
}

/** Converts `value` to the type `wanted`, if it is another spelling of a value of this type. */
function convert(reader: Reader, value: Value, wanted: Type, node: FullNode, depth: number): Value | undefined {
  if (wanted === "string") {
    if (isNumber(value)) {
      reader.hasSpelled ||= mayBeRespelled(value);
      return textOf(value);
    }
    return typeof value === "boolean" ? String(value) : undefined;
  }
  if (typeof value !== "string") {
    return undefined;
  }
  switch (wanted) {
    case "integer":
      return integerFrom(value);
    case "number":
      return numberFrom(value);
    case "boolean": {
      const word = trim(value);
      return equalsIgnoringCase(word, "true") ? true : equalsIgnoringCase(word, "false") ? false : undefined;
    }
    case "array":
    case "object":
      return openToward(reader, value, wanted, node, depth);
    case "null":
      return undefined;
  }
}

/** Returns whether `value` is a string that looks like a truncated array or object. */
function isCutOff(reader: Reader, value: Value, depth: number): boolean {
  const looksNested = typeof value === "string" && (opensWith(value, "[") || opensWith(value, "{"));
  return looksNested && open(reader, value, depth) === undefined;
}

function hasChildren(value: Value): boolean {
  return Array.isArray(value) || value instanceof JsonMap;
}

/** Returns whether this step may succeed, so that it is worthwhile to clone `value` for a trial. */
function maySucceed(step: RepairStep, bits: number, value: Value): boolean {
  const isFitting = fits(bits, value);
  if (step === "keep") {
    return isFitting;
  }
  if (step === "wrap") {
    return (bits & TYPE_BITS.array) !== 0 && value !== null && !isFitting;
  }
  const isText = typeof value === "string";
  const mayBeText = (isNumber(value) || typeof value === "boolean") && (bits & TYPE_BITS.string) !== 0;
  return (isText || mayBeText) && !isFitting;
}
