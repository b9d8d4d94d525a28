/**
 * Argument tables: JSON Schemas in a flat form, by which one reader parses the arguments of every tool.
 *
 * Nodes refer to each other by their index in {@link Table.nodes}. Node 0 is the root, which describes the arguments object. Nodes are not
 * nested, because schemas can be recursive.
 *
 * @module
 */

import { sameName } from "../text/names.ts";
import { Float, type JsonNumber } from "../number.ts";
import { isNumber, JsonMap, type Value } from "../value.ts";
import { isPortable, parameterAliases } from "./name.ts";
import type { TextRule } from "./text_rule/rule.ts";

/** Index of a {@link Node} in its table. */
export type NodeId = number;

/** A JSON type. */
export type Type = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** The bit of each type in a set of types. */
export const TYPE_BITS: Readonly<Record<Type, number>> = {
  null: 1,
  boolean: 2,
  integer: 4,
  number: 8,
  string: 16,
  array: 32,
  object: 64,
};

/** A value of `enum` that is hidden in this turn. No value equals it. */
export const HIDDEN: unique symbol = Symbol("hidden");

/** A value of `enum` or `const`. */
export type Literal = Value | typeof HIDDEN;

/** JSON Schema's bounds, `pattern` and `format`. */
export interface Bounds {
  readonly minimum?: JsonNumber | undefined;
  readonly maximum?: JsonNumber | undefined;
  readonly exclusiveMinimum?: JsonNumber | undefined;
  readonly exclusiveMaximum?: JsonNumber | undefined;
  readonly multipleOf?: JsonNumber | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  /** `pattern` and `format`. */
  readonly text?: TextRule | undefined;
}

/** One property of an object. */
export interface Property {
  /** The key, as the model writes it. */
  readonly name: string;
  readonly node: NodeId;
  readonly required: boolean;
  /** Whether the property is hidden in this turn. If a model sends it anyway, it counts as an unknown key. */
  readonly hidden: boolean;
  /** Whether the value is secret: it is redacted in errors and repairs. */
  readonly secret: boolean;
  /** Whether a number beyond a bound becomes the bound. */
  readonly clamp: boolean;
  /** Other names by which models know the property. No definition shows them. */
  readonly aliases: readonly string[];
  readonly default: Value | undefined;
}

/** One schema or subschema. */
export interface Node {
  /** The JSON types in `type`, in order. Empty for any type. */
  readonly types: readonly Type[];
  /** Whether its keys may have the names that some dialects show, instead of their own. */
  readonly untyped: boolean;
  readonly literals: readonly Literal[];
  readonly properties: readonly Property[];
  /** `additionalProperties`: whether they are allowed, or their node. */
  readonly additional: boolean | NodeId;
  readonly items: NodeId | undefined;
  /** `anyOf` or `oneOf`. */
  readonly anyOf: readonly NodeId[];
  /** Whether exactly one of {@link Node.anyOf} may hold. */
  readonly exactlyOne: boolean;
  readonly allOf: readonly NodeId[];
  readonly bounds: Bounds | undefined;
}

/** A node with what follows from its schema. */
export interface FullNode extends Node {
  /** The bits of {@link Node.types}. */
  readonly ownBits: number;
  /** The types of the node, or the types in its `enum` if it has no types. */
  readonly allTypes: readonly Type[];
  /** The bits of {@link FullNode.allTypes}. */
  readonly bits: number;
  /** The properties that are not hidden in this turn. */
  readonly visible: readonly Property[];
  /** The visible properties by their names. */
  readonly byName: ReadonlyMap<string, Property>;
  /** The number of visible properties that are required. */
  readonly requiredCount: number;
  /** The words of the `enum`, if it has nothing else. */
  readonly words: ReadonlySet<string> | undefined;
}

/** A node that allows every value. */
export const ANY: FullNode = full({
  types: [],
  untyped: true,
  literals: [],
  properties: [],
  additional: true,
  items: undefined,
  anyOf: [],
  exactlyOne: false,
  allOf: [],
  bounds: undefined,
});

function full(node: Node): FullNode {
  const literalTypes = node.literals.map(literalType).filter((type) => type !== undefined);
  const allTypes = node.types.length > 0 ? node.types : [...new Set(literalTypes)];
  const visible = node.properties.filter((property) => !property.hidden);
  const bitsOf = (types: readonly Type[]): number => types.reduce((bits, type) => bits | TYPE_BITS[type], 0);
  const words = node.literals.filter((literal) => typeof literal === "string");
  return {
    ...node,
    ownBits: bitsOf(node.types),
    allTypes,
    bits: bitsOf(allTypes),
    visible,
    byName: new Map(visible.map((property) => [property.name, property])),
    requiredCount: visible.filter((property) => property.required).length,
    words: words.length > 0 && words.length === node.literals.length ? new Set(words) : undefined,
  };
}

function literalType(literal: Literal): Type | undefined {
  if (literal === HIDDEN) {
    return undefined;
  }
  if (isNumber(literal)) {
    return literal instanceof Float || (typeof literal === "number" && !Number.isInteger(literal)) ? "number" : "integer";
  }
  if (literal === null) {
    return "null";
  }
  if (typeof literal === "boolean" || typeof literal === "string") {
    return typeof literal === "string" ? "string" : "boolean";
  }
  return literal instanceof JsonMap ? "object" : "array";
}

/** The schema of one tool's arguments in one turn. */
export class Table {
  readonly nodes: readonly FullNode[];
  readonly hasSecrets: boolean;
  readonly hasClamped: boolean;
  readonly hasDefaults: boolean;
  /** Whether a node has alternatives or parts. */
  readonly hasUnions: boolean;
  /** Whether a vendor refuses the name of a property. */
  readonly hasOtherNames: boolean;
  readonly #aliases: readonly (readonly [name: string, alias: string])[];
  #otherNames: ReadonlyMap<string, string> | undefined;

  constructor(nodes: readonly Node[]) {
    this.nodes = nodes.map(full);
    const properties = nodes.flatMap((node) => node.properties);
    this.hasSecrets = properties.some((property) => property.secret);
    this.hasClamped = properties.some((property) => property.clamp);
    this.hasDefaults = properties.some((property) => property.default !== undefined);
    this.hasUnions = nodes.some((node) => node.anyOf.length + node.allOf.length > 0);
    this.hasOtherNames = properties.some((property) => !isPortable(property.name));
    this.#aliases = properties.flatMap(({ name, aliases }) => aliases.map((alias) => [name, alias] as const));
  }

  /** Returns a node, or one that allows everything if the table has none. */
  node(id: NodeId): FullNode {
    return this.nodes[id] ?? ANY;
  }

  /** The other names of parameters whose names a vendor refuses. */
  get otherNames(): ReadonlyMap<string, string> {
    this.#otherNames ??= parameterAliases(this.nodes.flatMap((node) => node.properties.map((property) => property.name)));
    return this.#otherNames;
  }

  /** Returns whether `key` is another name of a property that is called `name`. */
  hasAlias(name: string, key: string): boolean {
    return this.#aliases.some(([of, alias]) => of === name && sameName(alias, key));
  }
}

/** Returns whether the schema refers to schemas of other values, or to other schemas of the same value. */
export function holdsOthers(node: Node): boolean {
  return (
    node.properties.length > 0 ||
    node.items !== undefined ||
    typeof node.additional === "number" ||
    node.anyOf.length > 0 ||
    node.allOf.length > 0
  );
}
