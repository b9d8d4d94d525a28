/**
 * Templates of argument tables: what a compiled catalog has for a tool, from which the {@link Table} of a turn is made.
 *
 * @module
 */

import { type Circumstances, type Condition, holds, readCondition } from "./condition.ts";
import type { Part } from "./decode.ts";
import { type Bounds, HIDDEN, type Node, type Property, Table, type Type, TYPE_BITS } from "./table.ts";
import { TextRule } from "./text_rule/rule.ts";

const TYPES = Object.keys(TYPE_BITS) as Type[];

/** The maximum number of tables that are kept for other turns. */
const MAX_KEPT = 64;

interface PropertyTemplate extends Property {
  readonly when: Condition | undefined;
}

interface NodeTemplate extends Node {
  readonly properties: readonly PropertyTemplate[];
  /** The conditions of values of the `enum`, with their positions. */
  readonly literalConditions: readonly (readonly [at: number, when: Condition])[];
}

/** The tables of a tool in all turns. */
export class TableTemplate {
  readonly #nodes: readonly NodeTemplate[];
  readonly #conditions: readonly Condition[];
  /** The tables that have been made, by the conditions that hold. */
  readonly #tables = new Map<string, Table>();

  constructor(part: Part) {
    const { items } = part;
    this.#nodes = items.map((item) => readNode(item, items.length));
    const ofNode = (node: NodeTemplate): (Condition | undefined)[] => [
      ...node.properties.map((property) => property.when),
      ...node.literalConditions.map(([, when]) => when),
    ];
    this.#conditions = this.#nodes.flatMap(ofNode).filter((condition) => condition !== undefined);
  }

  /** Returns the table of a turn. */
  inTurn(circumstances: Circumstances): Table {
    const key = this.#conditions.map((condition) => (holds(condition, circumstances) ? "1" : "0")).join("");
    const kept = this.#tables.get(key);
    if (kept !== undefined) {
      return kept;
    }
    const table = new Table(this.#nodes.map((node) => nodeInTurn(node, circumstances)));
    if (this.#tables.size >= MAX_KEPT) {
      this.#tables.clear();
    }
    this.#tables.set(key, table);
    return table;
  }
}

function nodeInTurn(node: NodeTemplate, circumstances: Circumstances): Node {
  const isHidden = (when: Condition | undefined): boolean => when !== undefined && !holds(when, circumstances);
  const hidden = new Set(node.literalConditions.filter(([, when]) => isHidden(when)).map(([at]) => at));
  return {
    ...node,
    literals: node.literals.map((literal, at) => (hidden.has(at) ? HIDDEN : literal)),
    properties: node.properties.map((property) => ({ ...property, hidden: isHidden(property.when) })),
  };
}

function readNode(part: Part, count: number): NodeTemplate {
  const id = (item: Part): number => item.index(count);
  const additional = part.maybe("additional");
  const literals = part.each("enum");
  const anyOf = part.each("any_of").map(id);
  const oneOf = part.each("one_of").map(id);
  const items = part.maybe("items");
  const bounds = part.maybe("bounds");
  return {
    types: part.each("types").map((item) => item.word(TYPES)),
    untyped: part.flag("untyped"),
    literals: literals.map((item) => item.value),
    literalConditions: part.each("enum_when").map((entry) => {
      const [at, when] = entry.items;
      return at === undefined || when === undefined
        ? entry.fail("a position and a condition")
        : [at.index(literals.length), readCondition(when)];
    }),
    properties: part.each("properties").map((item) => readProperty(item, count)),
    additional: additional === undefined || (additional.value !== false && id(additional)),
    items: items === undefined ? undefined : id(items),
    anyOf: oneOf.length > 0 ? oneOf : anyOf,
    exactlyOne: oneOf.length > 0,
    allOf: part.each("all_of").map(id),
    bounds: bounds === undefined ? undefined : readBounds(bounds),
  };
}

function readProperty(part: Part, count: number): PropertyTemplate {
  const when = part.maybe("when");
  return {
    name: part.get("name").string,
    node: part.get("node").index(count),
    required: part.flag("required"),
    hidden: false,
    secret: part.flag("secret"),
    clamp: part.flag("clamp"),
    aliases: part.strings("aliases"),
    default: part.maybe("default")?.value,
    when: when === undefined ? undefined : readCondition(when),
  };
}

function readBounds(part: Part): Bounds {
  return {
    minimum: part.maybe("minimum")?.number,
    maximum: part.maybe("maximum")?.number,
    exclusiveMinimum: part.maybe("exclusiveMinimum")?.number,
    exclusiveMaximum: part.maybe("exclusiveMaximum")?.number,
    multipleOf: part.maybe("multipleOf")?.number,
    minLength: part.maybe("minLength")?.count,
    maxLength: part.maybe("maxLength")?.count,
    minItems: part.maybe("minItems")?.count,
    maxItems: part.maybe("maxItems")?.count,
    uniqueItems: part.flag("uniqueItems"),
    minProperties: part.maybe("minProperties")?.count,
    maxProperties: part.maybe("maxProperties")?.count,
    text: TextRule.of(part.maybe("pattern")?.string, part.maybe("format")?.string),
  };
}
