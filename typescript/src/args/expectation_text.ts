/**
 * Descriptions of expected and actual values, for models.
 *
 * @module
 */

import {
  type Bounds,
  type FullNode,
  HIDDEN,
  type Literal,
  type NodeId,
  type Property,
  type Table,
  type Type,
} from "../data/table.ts";
import { quoted } from "../text/json.ts";
import { sameName } from "../text/names.ts";
import { nearest } from "../text/nearest.ts";
import { beginningOfBytes, byteLength } from "../text/utf8.ts";
import { asFloat, isFloat } from "../number.ts";
import { type JsonNumber } from "../number.ts";
import { isNumber, JsonMap, textOf, type Value } from "../value.ts";

/** The maximum length of a displayed value, in bytes. */
const MAX_VALUE_BYTES = 80;
/** The maximum length of displayed alternatives, in bytes. */
const MAX_BRANCHES_BYTES = 500;
/** The length of descriptions from which further branches are only counted. Descriptions become shorter before they are shown. */
const MAX_DESCRIBED_BYTES = 4 * MAX_BRANCHES_BYTES;
/** The description of a schema that says nothing in words. */
const ANOTHER = "another value";
/** The maximum number of displayed list entries. */
const MAX_ENTRIES = 20;
const OBJECT = "object";

/** Describes an actual value. Arrays and objects are only named. */
export function got(value: Value): string {
  if (Array.isArray(value) || value instanceof JsonMap) {
    return Array.isArray(value) ? "array" : OBJECT;
  }
  return typeof value === "string" ? quotedShort(value) : textOf(value);
}

function withEllipsis(shown: string, text: string): string {
  return shown.length < text.length ? "…" : "";
}

/** Returns `text` as a JSON string, cut if it is long. */
export function quotedShort(text: string): string {
  const shown = beginningOfBytes(text, MAX_VALUE_BYTES);
  return quoted(shown) + withEllipsis(shown, text);
}

/** Returns a count with its noun: `1 item`, `2 items`. */
export function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Describes what `node` accepts. */
export function expected(table: Table, node: FullNode): string {
  return describe(table, node, 3);
}

/** Describes the values that distinguish alternatives. `tags` are the nodes of the distinguishing property. */
export function oneOf(tags: readonly FullNode[]): string {
  return `one of ${list(tags.flatMap((tag) => shownLiterals(tag.literals)))}`;
}

/** Describes an integer without bounds in the schema. */
export function integerRange(): string {
  return "integer between -9223372036854775808 and 9223372036854775807";
}

/** Describes the error that the key `name` is unknown, with similar or all known keys, or that it is a second name of a known key. */
export function unknownKey(name: string, node: FullNode): string {
  const known = node.visible.map((property) => property.name);
  const aliases = node.visible.flatMap(({ aliases, name: real }) => aliases.map((alias) => [alias, real] as const));
  const second = aliases.find(([alias]) => sameName(alias, name));
  if (second !== undefined) {
    return `only one value for ${quotedShort(second[1])}, of which this is another name`;
  }
  let near = nearest(name, known);
  if (near.length === 0) {
    const nearAliases = nearest(
      name,
      aliases.map(([alias]) => alias),
    );
    const all = nearAliases.flatMap((near) => aliases.filter(([alias]) => alias === near).map(([, real]) => real));
    near = all.filter((real, at) => real !== all[at - 1]);
  }
  if (near.length > 0) {
    return `no argument of this name (did you mean ${near.map(quotedShort).join(" or ")}?)`;
  }
  return known.length === 0
    ? "no argument of this name (no arguments are known here)"
    : `no argument of this name (the known ones are ${list(known.map(quotedShort))})`;
}

function describe(table: Table, node: FullNode, depth: number): string {
  if (node.literals.length > 0) {
    const [first, ...more] = shownLiterals(node.literals);
    return first !== undefined && more.length === 0 ? first : `one of ${list(shownLiterals(node.literals))}`;
  }
  const bounds = node.bounds ?? {};
  const types = node.types.length > 0 ? node.types : boundTypes(bounds);
  if (types.length > 0) {
    return types.map((type) => typed(table, node, type, bounds, depth)).join(" or ");
  }
  const isAny = node.anyOf.length > 0;
  const branches = isAny ? node.anyOf : node.allOf;
  return branches.length === 0 || depth === 0 ? ANOTHER : joined(table, branches, isAny, depth - 1);
}

/** Describes several alternatives. */
export function alternatives(table: Table, branches: readonly NodeId[]): string {
  return joined(table, branches, true, 2);
}

/** Describes branches, as many as fit. */
function joined(table: Table, branches: readonly NodeId[], isAny: boolean, depth: number): string {
  const separator = isAny ? " or " : " and ";
  const all: string[] = [];
  const notDescribed = addBranches(table, branches, isAny, depth, all);
  const descriptions = withObjectOnce(all);
  let length = 0;
  const tooLong = descriptions.findIndex((text) => {
    length += byteLength(text) + separator.length;
    return length > MAX_BRANCHES_BYTES;
  });
  const shown = Math.max(tooLong < 0 ? descriptions.length : tooLong, 1);
  const more = Math.max(descriptions.length - shown, 0) + notDescribed;
  return descriptions.slice(0, shown).join(separator) + (more > 0 ? `${separator}${String(more)} more` : "");
}

/** Names the type once if several branches are objects, which differ in their properties. */
function withObjectOnce(descriptions: readonly string[]): string[] {
  const isOneOfThem = (text: string): boolean => text.startsWith(`${OBJECT} with "`);
  const kept = descriptions.includes(OBJECT) ? descriptions.filter((text) => !isOneOfThem(text)) : [...descriptions];
  const first = kept.findIndex(isOneOfThem);
  if (first < 0) {
    return kept;
  }
  const rest = kept.slice(first + 1);
  // The type and the space after it.
  const others = rest.filter(isOneOfThem).map((text) => text.slice(OBJECT.length + 1));
  return [...kept.slice(0, first + 1), ...others, ...rest.filter((text) => !isOneOfThem(text))];
}

/**
 * Adds the description of each branch that differs from the others. A branch with nothing but branches of the same kind adds these. Returns
 * the number of branches that are not described, because the text has no room for them.
 */
function addBranches(table: Table, ids: readonly NodeId[], isAny: boolean, depth: number, out: string[]): number {
  let notDescribed = 0;
  for (const id of ids) {
    if (out.reduce((sum, text) => sum + byteLength(text), 0) > MAX_DESCRIBED_BYTES) {
      notDescribed += 1;
      continue;
    }
    const node = table.node(id);
    const isBare =
      node.types.length === 0 && node.literals.length === 0 && node.bounds === undefined && depth > 0;
    const [inner, others] = isAny ? [node.anyOf, node.allOf] : [node.allOf, node.anyOf];
    if (isBare && inner.length > 0 && others.length === 0) {
      notDescribed += addBranches(table, inner, isAny, depth - 1, out);
      continue;
    }
    const description = branch(table, node, depth);
    if (!out.includes(description)) {
      out.push(description);
    }
  }
  return notDescribed;
}

/** Describes one of several alternatives. An object is described by the properties that distinguish it. */
function branch(table: Table, node: FullNode, depth: number): string {
  const required = node.visible.filter((property) => property.required);
  const described = describe(table, node, depth);
  // Only an object has properties.
  const out = described === ANOTHER && required.length > 0 ? OBJECT : described;
  if (out !== OBJECT) {
    return out;
  }
  const shown = required.slice(0, 3);
  const tags = shown.map((property) => tagText(table, property)).filter((text) => text !== undefined);
  const distinguishing = tags.length > 0 ? tags : shown.map((property) => quotedShort(property.name));
  return distinguishing.length > 0 ? `${out} with ${distinguishing.join(", ")}` : out;
}

function tagText(table: Table, property: Property): string | undefined {
  const [only, ...more] = table.node(property.node).literals;
  const text = only === undefined || more.length > 0 ? undefined : literalText(only);
  return text === undefined ? undefined : `${quotedShort(property.name)}: ${text}`;
}

/** Returns the types to which the bounds apply, for a schema without a type. */
function boundTypes(bounds: Bounds): readonly Type[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = bounds;
  const hasNumber = [minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf].some((b) => b !== undefined);
  const isString = bounds.minLength !== undefined || bounds.maxLength !== undefined || bounds.text !== undefined;
  const isArray = bounds.minItems !== undefined || bounds.maxItems !== undefined || bounds.uniqueItems === true;
  const isObject = bounds.minProperties !== undefined || bounds.maxProperties !== undefined;
  const all: readonly (readonly [boolean, Type])[] = [
    [hasNumber, "number"],
    [isString, "string"],
    [isArray, "array"],
    [isObject, "object"],
  ];
  return all.filter(([is]) => is).map(([, type]) => type);
}

function typed(table: Table, node: FullNode, type: Type, bounds: Bounds, depth: number): string {
  switch (type) {
    case "integer":
    case "number": {
      const number = (bound: JsonNumber | undefined): string | undefined =>
        bound === undefined ? undefined : numberInWords(bound);
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = bounds;
      const between = range("", number(minimum), number(maximum));
      const limits = exclusive(between !== "", number(exclusiveMinimum), number(exclusiveMaximum));
      const step = multipleOf === undefined ? "" : ` that is a multiple of ${numberInWords(multipleOf)}`;
      return type + between + limits + step;
    }
    case "string": {
      const length = counts(" characters", bounds.minLength, bounds.maxLength);
      const pattern = bounds.text?.pattern;
      const shown = pattern === undefined ? "" : beginningOfBytes(pattern, MAX_VALUE_BYTES);
      const matches =
        pattern === undefined ? "" : ` that matches the pattern ${shown}${withEllipsis(shown, pattern)}`;
      return (bounds.text?.format?.form ?? type) + length + matches;
    }
    case "array": {
      const items = node.items === undefined || depth === 0 ? undefined : table.node(node.items);
      const of = items === undefined || items.bits === 0 ? "" : ` of ${describe(table, items, depth - 1)}`;
      const unique = bounds.uniqueItems === true ? " without duplicates" : "";
      return type + of + counts(" items", bounds.minItems, bounds.maxItems) + unique;
    }
    case "object":
      return type + counts(" keys", bounds.minProperties, bounds.maxProperties);
    default:
      return type;
  }
}

function counts(unit: string, low: number | undefined, high: number | undefined): string {
  const text = (count: number | undefined): string | undefined => (count === undefined ? undefined : String(count));
  return range(unit, text(low), text(high));
}

function range(unit: string, low: string | undefined, high: string | undefined): string {
  const having = unit === "" ? "" : " with";
  const counted = (count: string): string => count + (count === "1" ? unit.replace(/s+$/, "") : unit);
  if (low !== undefined && high !== undefined) {
    if (low === high) {
      return `${having} exactly ${counted(low)}`;
    }
    return unit === "" ? ` between ${low} and ${high}` : `${having} ${low} to ${high}${unit}`;
  }
  if (low !== undefined) {
    return `${having} at least ${counted(low)}`;
  }
  return high === undefined ? "" : `${having} at most ${counted(high)}`;
}

/** Describes exclusive bounds, after others or alone. */
function exclusive(isAfterOthers: boolean, above: string | undefined, below: string | undefined): string {
  const parts = [
    ...(above === undefined ? [] : [` greater than ${above}`]),
    ...(below === undefined ? [] : [` less than ${below}`]),
  ];
  return parts.length > 0 && isAfterOthers ? ` and${parts.join(" and")}` : parts.join(" and");
}

/** Formats a number, without hundreds of zeros for very large or small floats. */
function numberInWords(number: JsonNumber): string {
  if (!isFloat(number)) {
    return textOf(number);
  }
  const float = asFloat(number);
  if (Object.is(float, -0)) {
    return "-0";
  }
  const size = Math.abs(float);
  return float === 0 || (size >= 1e-6 && size < 1e18) ? String(float) : float.toExponential().replace("+", "");
}

function shownLiterals(literals: readonly Literal[]): string[] {
  return literals.map(literalText).filter((text) => text !== undefined);
}

function literalText(literal: Literal): string | undefined {
  if (literal === HIDDEN) {
    return undefined;
  }
  if (typeof literal === "string") {
    return quotedShort(literal);
  }
  return isNumber(literal) ? numberInWords(literal) : beginningOfBytes(textOf(literal), MAX_VALUE_BYTES);
}

function list(all: readonly string[]): string {
  const more = all.length - MAX_ENTRIES;
  return all.slice(0, MAX_ENTRIES).join(", ") + (more > 0 ? ` and ${String(more)} more` : "");
}
