/**
 * The strict pass: reads arguments that need no repair with the parser of the JavaScript engine, which is much faster. Whatever it does not
 * accept is left to the {@link readArguments | full reading}, which gives the same arguments for what it accepts.
 *
 * @module
 */

import { fitsLength, isInRange, within } from "../data/bounds.ts";
import { type FullNode, type NodeId, type Property, type Table, TYPE_BITS } from "../data/table.ts";
import { type Plain, setOwn, toPlain } from "../value.ts";
import { MAX_DEPTH } from "./defaults.ts";
import { isNullWord } from "./json_type.ts";
import { DEFAULT_LIMITS, type Limits } from "./reader.ts";

/** Arguments as a handler gets them. */
export interface Arguments {
  [key: string]: Plain;
}

/** The maximum depth of nested alternatives. A schema may be its own alternative. */
const MAX_NESTED = 16;
/** The maximum work for patterns. */
const MAX_PATTERN_STEPS = 1_000_000;
/** Half of a character of UTF-16, as an escape. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** Returns the arguments in `text` with their defaults if they are valid without repair, and certain not to exceed a limit. */
export function readStrictly(text: string, table: Table, limits: Limits): Arguments | undefined {
  if (3 * text.length > limits.maxBytes || limits.maxSteps !== DEFAULT_LIMITS.maxSteps || SURROGATE.test(text)) {
    return undefined;
  }
  if (table.hasDefaults && table.hasUnions) {
    return undefined;
  }
  try {
    return strictly(text, table, limits);
  } catch {
    // The text is not JSON, or the stack of the engine is too small.
    return undefined;
  }
}

function strictly(text: string, table: Table, limits: Limits): Arguments | undefined {
  const value = JSON.parse(text) as Plain;
  const keys = countKeys(value, limits.maxDepth);
  if (!isObject(value) || keys < 0 || !hasColons(text, keys)) {
    return undefined;
  }
  const pass = new StrictPass(table, 64 + 4 * text.length);
  if (!pass.accepts(value, 0, 0)) {
    return undefined;
  }
  if (table.hasDefaults) {
    fillDefaults(table, value, 0, MAX_DEPTH);
  }
  return value;
}

function isObject(value: Plain): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the number of keys at all depths, or -1 if the value is too deep, or contains a number that is not certain to be what the text
 * says.
 */
function countKeys(value: Plain, depth: number): number {
  if (typeof value === "number") {
    return Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0) ? 0 : -1;
  }
  if (typeof value !== "object" || value === null) {
    return 0;
  }
  const items = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : items.length;
  if (depth === 0) {
    return -1;
  }
  for (const item of items) {
    const inner = countKeys(item, depth - 1);
    if (inner < 0) {
      return -1;
    }
    count += inner;
  }
  return count;
}

/** Returns whether the text, which is JSON, has this number of colons outside of strings. If there are more, a key occurs twice. */
function hasColons(text: string, keys: number): boolean {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0 && count <= keys; at = text.indexOf(":", at + 1)) {
    count += 1;
  }
  if (count === keys) {
    return true;
  }
  // Some colons are in strings.
  count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      at = endOfString(text, at + 1);
    } else if (unit === 0x3a) {
      count += 1;
    }
  }
  return count === keys;
}

/** Returns the position of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === 0x5c) {
      before -= 1;
    }
    if ((end - before) % 2 === 0) {
      return end;
    }
  }
  return text.length;
}

function bitsOf(value: Plain): number {
  switch (typeof value) {
    case "string":
      return TYPE_BITS.string;
    case "number":
      return Number.isInteger(value) ? TYPE_BITS.number | TYPE_BITS.integer : TYPE_BITS.number;
    case "boolean":
      return TYPE_BITS.boolean;
    default:
      return value === null ? TYPE_BITS.null : Array.isArray(value) ? TYPE_BITS.array : TYPE_BITS.object;
  }
}

class StrictPass {
  readonly #table: Table;
  #work: number;
  #patternSteps = 0;

  constructor(table: Table, work: number) {
    this.#table = table;
    this.#work = work;
  }

  /** Returns whether a value certainly satisfies a node, and repair certainly does not change it. */
  accepts(value: Plain, id: NodeId, nested: number): boolean {
    this.#work -= 1;
    const node = this.#table.node(id);
    if (this.#work < 0 || (node.bits !== 0 && (node.bits & bitsOf(value)) === 0)) {
      return false;
    }
    if (node.literals.length > 0 && !isLiteral(value, node)) {
      return false;
    }
    if (!this.#acceptsParts(value, node)) {
      return false;
    }
    if (node.anyOf.length === 0 && node.allOf.length === 0) {
      return true;
    }
    return (
      nested < MAX_NESTED &&
      node.allOf.every((part) => this.accepts(value, part, nested + 1)) &&
      (node.anyOf.length === 0 || this.#acceptsOne(value, node, nested + 1))
    );
  }

  #acceptsParts(value: Plain, node: FullNode): boolean {
    const { bounds } = node;
    if (typeof value === "string") {
      const mayBeNull = (node.bits & TYPE_BITS.null) !== 0 || node.anyOf.length > 0 || node.allOf.length > 0;
      if (mayBeNull && isNullWord(value)) {
        return false;
      }
      return bounds === undefined || (fitsLength(value, bounds) && this.#holds(value, node));
    }
    if (typeof value === "number") {
      return bounds === undefined || within(value, bounds);
    }
    if (typeof value !== "object" || value === null) {
      return true;
    }
    return Array.isArray(value) ? this.#acceptsItems(value, node) : this.#acceptsProperties(value, node);
  }

  #holds(text: string, node: FullNode): boolean {
    const rule = node.bounds?.text;
    if (rule === undefined) {
      return true;
    }
    this.#patternSteps += rule.steps(text);
    return this.#patternSteps <= MAX_PATTERN_STEPS && rule.holds(text);
  }

  #acceptsItems(items: readonly Plain[], node: FullNode): boolean {
    const { bounds, items: id } = node;
    if (bounds !== undefined) {
      const isUnique = bounds.uniqueItems !== true || areUnique(items);
      if (!isUnique || !isInRange(items.length, bounds.minItems, bounds.maxItems)) {
        return false;
      }
    }
    return id === undefined || items.every((item) => this.accepts(item, id, 0));
  }

  #acceptsProperties(map: Arguments, node: FullNode): boolean {
    const { bounds } = node;
    const keys = Object.keys(map);
    if (bounds !== undefined && !isInRange(keys.length, bounds.minProperties, bounds.maxProperties)) {
      return false;
    }
    let required = 0;
    for (const key of keys) {
      const property = node.byName.get(key);
      const value = map[key] ?? null;
      if (property !== undefined) {
        required += property.required ? 1 : 0;
        if (!this.accepts(value, property.node, 0)) {
          return false;
        }
      } else if (
        node.additional === false ||
        this.#table.hasOtherNames ||
        (typeof node.additional === "number" && !this.accepts(value, node.additional, 0))
      ) {
        return false;
      }
    }
    return required === node.requiredCount;
  }

  /** Returns whether the first alternative that may be valid for a value accepts it. */
  #acceptsOne(value: Plain, node: FullNode, nested: number): boolean {
    const first = node.anyOf.findIndex((id) => !this.#refuses(value, id, nested));
    const id = node.anyOf[first];
    const isOnly = (): boolean => node.anyOf.slice(first + 1).every((other) => this.#refuses(value, other, nested));
    return id !== undefined && this.accepts(value, id, nested) && (!node.exactlyOne || isOnly());
  }

  /** Returns whether a value is certainly not valid for an alternative. */
  #refuses(value: Plain, id: NodeId, nested: number): boolean {
    this.#work -= 1;
    const node = this.#table.node(id);
    if (node.bits === 0) {
      const isUnion = node.anyOf.length > 0 && node.allOf.length === 0 && nested < MAX_NESTED && this.#work > 0;
      return isUnion && node.anyOf.every((inner) => this.#refuses(value, inner, nested + 1));
    }
    if ((node.bits & bitsOf(value)) === 0) {
      return true;
    }
    return isObject(value) && node.visible.some((property) => this.#refusesTag(value, property));
  }

  /** Returns whether a required property is missing, or a property has a value that is not in its `enum`. */
  #refusesTag(map: Arguments, { name, node, required }: Property): boolean {
    if (!Object.hasOwn(map, name)) {
      return required;
    }
    const tag = this.#table.node(node);
    const value = map[name] ?? null;
    return tag.words !== undefined && typeof value === "string" && !tag.words.has(value);
  }
}

function isLiteral(value: Plain, node: FullNode): boolean {
  return typeof value === "string" && node.words !== undefined
    ? node.words.has(value)
    : typeof value !== "object" && node.literals.includes(value);
}

/** Returns whether items are certainly different. */
function areUnique(items: readonly Plain[]): boolean {
  return items.every((item) => typeof item !== "object") && new Set(items).size === items.length;
}

/** Does the same as the function for the full reading, for a table without alternatives. */
function fillDefaults(table: Table, value: Plain, id: NodeId, room: number): void {
  if (typeof value !== "object" || value === null || room === 0) {
    return;
  }
  const node = table.node(id);
  if (Array.isArray(value)) {
    const { items } = node;
    if (items !== undefined) {
      for (const item of value) {
        fillDefaults(table, item, items, room - 1);
      }
    }
  } else {
    for (const property of node.visible) {
      if (property.default !== undefined && !Object.hasOwn(value, property.name)) {
        setOwn(value, property.name, toPlain(property.default));
      }
    }
    for (const key of Object.keys(value)) {
      const inner = node.byName.get(key)?.node ?? (typeof node.additional === "number" ? node.additional : undefined);
      if (inner !== undefined) {
        fillDefaults(table, value[key] ?? null, inner, room - 1);
      }
    }
  }
}
