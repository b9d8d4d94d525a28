/**
 * Determines which of the granted tools are shown. First, requirements on the environment, facts and checks are evaluated. Then tools whose
 * required tools are missing are removed, repeatedly, until a fixpoint.
 *
 * @module
 */

import type { ToolEntry } from "../data/catalog.ts";
import { type FactValue, holds } from "../data/condition.ts";
import {
  missing,
  noAlternative,
  noneOf,
  otherSystem,
  type Requirement,
  ruledOut,
} from "../data/requirement.ts";
import type { Environment } from "../environment.ts";

/** The subject of an availability check: a tool, or all home tools of a toolset. */
export type Check = { readonly tool: string } | { readonly toolset: string };

/** Answers an availability check: `true`, or why the tools cannot be used now. */
export type Available = (check: Check) => true | string;

/** What decides which tools are shown. */
export interface Conditions {
  readonly dialect: string;
  readonly facts: ReadonlyMap<string, FactValue>;
  readonly environment: Environment;
  readonly available: Available;
}

/** The tools of a turn. */
export interface Availability {
  /** The shown tools, in order. */
  readonly shown: readonly ToolEntry[];
  /** The granted tools that are hidden, in order, with the reason. */
  readonly hidden: ReadonlyMap<ToolEntry, string>;
}

/** Determines which of `granted` are shown. `tools` are all tools, in order. */
export function resolve(
  tools: readonly ToolEntry[],
  granted: ReadonlySet<ToolEntry>,
  conditions: Conditions,
): Availability {
  const hidden = new Map<ToolEntry, string>();
  const present = new Set(tools.filter((tool) => granted.has(tool)));
  const hide = (reason: (tool: ToolEntry) => string | undefined): void => {
    for (const tool of present) {
      const why = reason(tool);
      if (why !== undefined) {
        hidden.set(tool, why);
        present.delete(tool);
      }
    }
  };
  hide((tool) => (tool.definitions.has(conditions.dialect) ? undefined : "has no definition in this dialect"));
  hide((tool) => first(all(tool), (requirement) => unmet(requirement, conditions)));
  const checks = new Checks(conditions.available);
  hide((tool) => checks.failed(tool));
  for (const [tool, reason] of removeDependents(tools, present)) {
    hidden.set(tool, reason);
  }
  const inOrder = tools.flatMap((tool): (readonly [ToolEntry, string])[] => {
    const reason = hidden.get(tool);
    return reason === undefined ? [] : [[tool, reason]];
  });
  return { shown: [...present], hidden: new Map(inOrder) };
}

/** Returns the requirements of a tool: first from its home toolset, then its own. */
function all(tool: ToolEntry): readonly Requirement[] {
  return [...tool.home.requirements, ...tool.requirements];
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Returns why a requirement on the environment or on facts is not met. Requirements of other kinds count as met. */
function unmet(requirement: Requirement, conditions: Conditions): string | undefined {
  const { environment } = conditions;
  const isSet = (name: string): boolean => (environment.variable(name) ?? "") !== "";
  const without = (names: readonly string[], has: (name: string) => boolean, what: string): string | undefined => {
    const absent = names.filter((name) => !has(name));
    return absent.length === 0 ? undefined : missing(what, absent);
  };
  switch (requirement.kind) {
    case "env":
      return without(requirement.names, isSet, "environment variable");
    case "any_env":
      return requirement.names.some(isSet) ? undefined : noneOf("environment variable", requirement.names);
    case "programs":
      return without(requirement.names, (name) => environment.hasProgram(name), "program");
    case "os":
      return requirement.names.includes(environment.os) ? undefined : otherSystem(requirement.names);
    case "condition": {
      const circumstances = { hasTool: () => false, facts: conditions.facts };
      return holds(requirement.condition, circumstances) ? undefined : ruledOut(requirement.condition);
    }
    case "any": {
      const { alternatives } = requirement;
      const isMet = alternatives.some((alternative) => unmet(alternative, conditions) === undefined);
      return isMet ? undefined : noAlternative(alternatives);
    }
    case "tools":
    case "any_tools":
    case "check":
      return undefined;
  }
}

/** The availability checks, each of which is made once. */
class Checks {
  readonly #available: Available;
  readonly #answers = new Map<string, string | undefined>();

  constructor(available: Available) {
    this.#available = available;
  }

  /** Returns why a check of a tool has failed. */
  failed(tool: ToolEntry): string | undefined {
    const isCheck = (requirement: Requirement): boolean => requirement.kind === "check";
    const ofToolset = tool.home.requirements.some(isCheck) ? this.#answer({ toolset: tool.home.name }) : undefined;
    return ofToolset ?? (tool.requirements.some(isCheck) ? this.#answer({ tool: tool.name }) : undefined);
  }

  #answer(check: Check): string | undefined {
    const key = JSON.stringify(check);
    if (!this.#answers.has(key)) {
      this.#answers.set(key, this.#ask(check));
    }
    return this.#answers.get(key);
  }

  #ask(check: Check): string | undefined {
    try {
      const answer = this.#available(check);
      return answer === true ? undefined : answer;
    } catch (error) {
      return `its check failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/** A requirement on tools, with the tools that have it. */
interface ToolRequirement {
  readonly names: readonly string[];
  readonly isAny: boolean;
  readonly dependents: ToolEntry[];
  /** How many tools must be removed until the requirement is unmet. */
  slack: number;
}

/** Removes tools whose required tools are missing, then those that require these, and so on. Returns them with the reasons. */
function removeDependents(tools: readonly ToolEntry[], present: Set<ToolEntry>): Map<ToolEntry, string> {
  const removed = new Map<ToolEntry, string>();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const isPresent = (name: string): boolean => {
    const tool = byName.get(name);
    return tool !== undefined && present.has(tool);
  };
  const requirements = toolRequirements(tools);
  for (const requirement of requirements) {
    const count = requirement.names.filter(isPresent).length;
    requirement.slack = requirement.isAny ? count : count === requirement.names.length ? 1 : 0;
  }
  let pending = requirements.filter((requirement) => requirement.slack === 0);
  while (pending.length > 0) {
    // Described before the removal, so that tools that are removed in the same round are not given as a reason.
    const described = pending.map((one) => [one, describe(one, byName, isPresent)] as const);
    const now: ToolEntry[] = [];
    for (const [requirement, reason] of described) {
      for (const tool of requirement.dependents.filter((tool) => present.delete(tool))) {
        removed.set(tool, reason);
        now.push(tool);
      }
    }
    pending = now.flatMap((tool) => requirements.filter((requirement) => loses(requirement, tool.name)));
  }
  return removed;
}

/** Returns whether a requirement is no longer met after the removal of a tool. */
function loses(requirement: ToolRequirement, name: string): boolean {
  const named = requirement.names.filter((other) => other === name).length;
  const before = requirement.slack;
  requirement.slack = Math.max(before - named, 0);
  return before > 0 && requirement.slack === 0;
}

/** Returns the requirements on tools, each of a toolset once. */
function toolRequirements(tools: readonly ToolEntry[]): readonly ToolRequirement[] {
  const found = new Map<Requirement, ToolRequirement>();
  for (const tool of tools) {
    for (const requirement of all(tool)) {
      if (requirement.kind === "tools" || requirement.kind === "any_tools") {
        const { names, kind } = requirement;
        const entry = found.get(requirement) ?? { names, isAny: kind === "any_tools", dependents: [], slack: 0 };
        found.set(requirement, entry);
        entry.dependents.push(tool);
      }
    }
  }
  return [...found.values()];
}

/** Returns why a requirement on tools is not met. */
function describe(
  { names, isAny }: ToolRequirement,
  byName: ReadonlyMap<string, ToolEntry>,
  isPresent: (name: string) => boolean,
): string {
  const unknown = names.filter((name) => !byName.has(name));
  if (isAny) {
    return noneOf("tool", names);
  }
  return unknown.length > 0
    ? `${missing("tool", unknown)}, which no tool provider has`
    : missing(
        "tool",
        names.filter((name) => !isPresent(name)),
      );
}
