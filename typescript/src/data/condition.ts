/**
 * Conditions on the tools and facts of a turn.
 *
 * @module
 */

import { compareText } from "../text/utf8.ts";
import type { Part } from "./decode.ts";

/** The value of a fact: a text, a boolean or an integer. */
export type FactValue = string | boolean | number;

const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="] as const;
type Comparison = (typeof COMPARISONS)[number];

/** A condition: a comparison, or a combination of others. */
export type Condition =
  | { readonly tool: string }
  | { readonly fact: string; readonly is: Comparison; readonly value: FactValue }
  | { readonly not: Condition }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

/** What conditions are about. */
export interface Circumstances {
  /** Returns whether this tool is in the turn. */
  readonly hasTool: (name: string) => boolean;
  readonly facts: ReadonlyMap<string, FactValue>;
}

/** Reads a condition. */
export function readCondition(part: Part): Condition {
  const { map } = part;
  if (map.has("tool")) {
    return { tool: part.get("tool").string };
  }
  if (map.has("fact")) {
    return {
      fact: part.get("fact").string,
      is: part.get("is").word(COMPARISONS),
      value: readFactValue(part.get("value")),
    };
  }
  if (map.has("not")) {
    return { not: readCondition(part.get("not")) };
  }
  if (map.has("all")) {
    return { all: part.each("all").map(readCondition) };
  }
  return map.has("any") ? { any: part.each("any").map(readCondition) } : part.fail("a condition");
}

/** Reads the value of a fact. */
export function readFactValue(part: Part): FactValue {
  const { value } = part;
  const isInteger = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
  if (isInteger) {
    // The integers of facts are at most 2^53, which floats represent exactly.
    return Number(value);
  }
  return typeof value === "string" || typeof value === "boolean" ? value : part.fail("the value of a fact");
}

/** Returns whether a condition holds. */
export function holds(condition: Condition, circumstances: Circumstances): boolean {
  if ("tool" in condition) {
    return circumstances.hasTool(condition.tool);
  }
  if ("fact" in condition) {
    const fact = circumstances.facts.get(condition.fact);
    return fact !== undefined && compares(condition.is, fact, condition.value);
  }
  if ("not" in condition) {
    return !holds(condition.not, circumstances);
  }
  return "all" in condition
    ? condition.all.every((one) => holds(one, circumstances))
    : condition.any.some((one) => holds(one, circumstances));
}

/** Returns whether the comparison of `fact` with `value` holds. It is false for values of different types. */
function compares(comparison: Comparison, fact: FactValue, value: FactValue): boolean {
  if (typeof fact !== typeof value) {
    return false;
  }
  const order =
    typeof fact === "string" && typeof value === "string" ? compareText(fact, value) : Number(fact) - Number(value);
  switch (comparison) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}
