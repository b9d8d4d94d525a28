/**
 * Requirements of tools, and what to say about those that are not met.
 *
 * @module
 */

import { compareText } from "../text/utf8.ts";
import { type Condition, type FactValue, readCondition } from "./condition.ts";
import type { Part } from "./decode.ts";

/** A requirement of a tool, or of all home tools of a toolset. */
export type Requirement =
  /** All of these environment variables are set and not empty. */
  | { readonly kind: "env"; readonly names: readonly string[] }
  /** At least one of these environment variables is set and not empty. */
  | { readonly kind: "any_env"; readonly names: readonly string[] }
  /** All of these programs are found. */
  | { readonly kind: "programs"; readonly names: readonly string[] }
  /** The operating system is one of these. */
  | { readonly kind: "os"; readonly names: readonly string[] }
  /** All of these tools are shown. */
  | { readonly kind: "tools"; readonly names: readonly string[] }
  /** At least one of these tools is shown. */
  | { readonly kind: "any_tools"; readonly names: readonly string[] }
  /** At least one of these requirements is met: on variables, programs or facts. */
  | { readonly kind: "any"; readonly alternatives: readonly Requirement[] }
  /** A condition over facts is true. */
  | { readonly kind: "condition"; readonly condition: Condition }
  /** The host reports the tool as available. */
  | { readonly kind: "check" };

const LISTS = ["env", "any_env", "programs", "os", "tools", "any_tools"] as const;

/** Reads the requirements of a tool or toolset, in the order in which they are evaluated. */
export function readRequirements(part: Part | undefined): readonly Requirement[] {
  if (part === undefined) {
    return [];
  }
  const lists = LISTS.map((kind) => ({ kind, names: part.strings(kind) })).filter(({ names }) => names.length > 0);
  const alternatives = part.each("any").flatMap((one) => readRequirements(one));
  const condition = part.maybe("condition");
  return [
    ...lists,
    ...(alternatives.length > 0 ? [{ kind: "any" as const, alternatives }] : []),
    ...(condition === undefined ? [] : [{ kind: "condition" as const, condition: readCondition(condition) }]),
    ...(part.flag("check") ? [{ kind: "check" as const }] : []),
  ];
}

/** Returns the reason if the environment lacks all or some of these variables or programs. */
export function missing(what: string, names: readonly string[]): string {
  return `needs ${allOf(what, names)}`;
}

/** Returns the reason if none of these variables or tools is there. */
export function noneOf(what: string, names: readonly string[]): string {
  return names.length === 1 ? missing(what, names) : `needs one of the ${what}s ${list(names, "and")}`;
}

/** Returns the reason if the operating system is another one. */
export function otherSystem(names: readonly string[]): string {
  return `runs only on ${list(names, "or")}`;
}

/** Returns the reason if a condition over facts is false. */
export function ruledOut(condition: Condition): string {
  const names = [...new Set(factsOf(condition))].sort(compareText);
  const [only, ...more] = names;
  return only !== undefined && more.length === 0
    ? `the fact \`${only}\` rules it out`
    : `the facts ${list(names, "and")} rule it out`;
}

/** Returns the reason if none of these alternatives is met. A row of variables is written as one. */
export function noAlternative(alternatives: readonly Requirement[]): string {
  const parts: string[] = [];
  for (let at = 0; at < alternatives.length; ) {
    const row: string[] = [];
    for (let next = alternatives[at]; next?.kind === "env" && next.names.length === 1; next = alternatives[at]) {
      row.push(...next.names);
      at += 1;
    }
    const next = alternatives[at];
    if (row.length > 1) {
      parts.push(`the environment variables ${list(row, "or")}`);
    } else if (row.length === 1) {
      parts.push(allOf("environment variable", row));
    } else if (next !== undefined) {
      parts.push(alternativeText(next));
      at += 1;
    }
  }
  return `needs one of these: ${parts.join(", ")}`;
}

function alternativeText(requirement: Requirement): string {
  switch (requirement.kind) {
    case "env":
      return allOf("environment variable", requirement.names);
    case "programs":
      return allOf("program", requirement.names);
    case "condition":
      return `\`${conditionText(requirement.condition)}\``;
    default:
      return requirement.kind;
  }
}

function allOf(what: string, names: readonly string[]): string {
  return `the ${what}${names.length === 1 ? "" : "s"} ${list(names, "and")}`;
}

/** Returns a list, for example "`a`, `b` and `c`". */
function list(names: readonly string[], word: string): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.pop() ?? "";
  return quoted.length > 0 ? `${quoted.join(", ")} ${word} ${last}` : last;
}

function factsOf(condition: Condition): readonly string[] {
  if ("fact" in condition) {
    return [condition.fact];
  }
  if ("not" in condition) {
    return factsOf(condition.not);
  }
  return "tool" in condition ? [] : ("all" in condition ? condition.all : condition.any).flatMap(factsOf);
}

/** Returns a condition in the syntax of manifests. */
function conditionText(condition: Condition): string {
  if ("tool" in condition) {
    return `tools.${condition.tool}`;
  }
  if ("fact" in condition) {
    const isTrue = condition.is === "==" && condition.value === true;
    return `facts.${condition.fact}${isTrue ? "" : ` ${condition.is} ${factText(condition.value)}`}`;
  }
  if ("not" in condition) {
    const isGroup = "all" in condition.not || "any" in condition.not;
    const text = conditionText(condition.not);
    return `not ${isGroup ? `(${text})` : text}`;
  }
  if ("any" in condition) {
    return condition.any.map(conditionText).join(" or ");
  }
  const part = (one: Condition): string => ("any" in one ? `(${conditionText(one)})` : conditionText(one));
  return condition.all.length === 0 ? "true" : condition.all.map(part).join(" and ");
}

function factText(value: FactValue): string {
  return typeof value === "string"
    ? `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
    : String(value);
}
