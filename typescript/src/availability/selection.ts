/**
 * The toolsets and tools that a turn enables and disables by name, and the tools that this selection grants.
 *
 * @module
 */

import type { CatalogData, ToolEntry } from "../data/catalog.ts";
import { fitsOf, only } from "../dispatch/given_name.ts";
import { Graph, type Pick } from "../graph.ts";
import { didYouMean, nearestName, suggestionOrNames } from "../text/nearest.ts";
import { TurnError } from "../result/turn_error.ts";

/** The toolsets and single tools that are enabled and disabled, by name. */
export interface Selection {
  /** The toolsets whose tools are granted, by name or alias; `all` means all tools. Without any, and without `enableTools`, all are. */
  readonly enable?: readonly string[] | undefined;
  /** The toolsets whose tools are not granted. Disabling a toolset keeps the tools of its base. */
  readonly disable?: readonly string[] | undefined;
  /** Tools that are granted as well. */
  readonly enableTools?: readonly string[] | undefined;
  /** Tools that are not granted. */
  readonly disableTools?: readonly string[] | undefined;
}

/** The names of toolsets that stand for all tools. */
const EVERYTHING: readonly string[] = ["all", "*"];

/** Resolves selections in a catalog. */
export class Selector {
  readonly #data: CatalogData;
  readonly #graph: Graph;
  /** The positions of toolsets by their names, and by their aliases. */
  readonly #toolsets: ReadonlyMap<string, number>;

  constructor(data: CatalogData) {
    this.#data = data;
    const byName = data.toolsets.map(({ name }, at) => [name, at] as const);
    const byAlias = data.toolsets.flatMap(({ aliases }, at) => aliases.map((alias) => [alias, at] as const));
    this.#toolsets = new Map([...byAlias, ...byName]);
    const positions = new Map(data.tools.map(({ name }, at) => [name, at]));
    const find = (names: readonly string[], all: ReadonlyMap<string, number>): number[] =>
      names.map((name) => all.get(name)).filter((at) => at !== undefined);
    const sets = data.toolsets.map((toolset) => {
      const home = data.tools.filter((tool) => !toolset.closed && tool.home === toolset);
      return {
        tools: find([...toolset.tools, ...home.map((tool) => tool.name)], positions),
        includes: find(toolset.includes, this.#toolsets),
        base: toolset.base === undefined ? undefined : this.#toolsets.get(toolset.base),
        excludes: find(toolset.excludes, positions),
      };
    });
    this.#graph = new Graph(data.tools.length, sets);
  }

  /** Returns the tools that a selection grants. */
  granted({ enable = [], disable = [], enableTools = [], disableTools = [] }: Selection): ReadonlySet<ToolEntry> {
    const [enabled, disabled] = [enable, disable].map((names) => names.map((name) => this.#pick(name)));
    const [added, removed] = [enableTools, disableTools].map((names) => names.map((name) => this.#tool(name)));
    const isAll = enable.length === 0 && enableTools.length === 0;
    const members = isAll || enabled?.includes("all") === true ? this.#graph.all() : new Set<number>();
    for (const set of enabled ?? []) {
      for (const tool of set === "all" ? [] : this.#graph.resolve(set)) {
        members.add(tool);
      }
    }
    added?.forEach((tool) => members.add(tool));
    disabled?.forEach((pick) => {
      this.#graph.deny(members, pick);
    });
    removed?.forEach((tool) => members.delete(tool));
    return new Set(this.#data.tools.filter((_, at) => members.has(at)));
  }

  #pick(name: string): Pick {
    const at = EVERYTHING.includes(name) ? "all" : this.#toolsets.get(name);
    if (at !== undefined) {
      return at;
    }
    const known = this.#data.toolsets.map((toolset) => toolset.name);
    const tool = this.#data.tools.find((tool) => tool.name === name);
    const question = didYouMean(nearestName(name, known));
    const hint =
      tool === undefined
        ? (question ?? `the known toolsets are ${["all", ...known].map((one) => `\`${one}\``).join(", ")}`)
        : `it is a tool, of the toolset \`${tool.home.name}\``;
    throw new TurnError("unknown_toolset", name, `unknown toolset \`${name}\`: ${hint}`);
  }

  /** Returns the position of a tool by its own name, or by the only name or alias that this is a spelling of. */
  #tool(name: string): number {
    const { tools } = this.#data;
    const exact = tools.findIndex((tool) => tool.name === name);
    if (exact >= 0) {
      return exact;
    }
    const fits = fitsOf(name);
    if (fits !== undefined) {
      const isNamed = tools.some((tool) => fits(tool.name));
      const found = only(tools, (tool) => (isNamed ? fits(tool.name) : tool.aliases.some(fits)));
      if (found !== undefined) {
        return tools.indexOf(found);
      }
    }
    const known = tools.map((tool) => tool.name);
    throw new TurnError("unknown_tool", name, `unknown tool \`${name}\`${suggestionOrNames(name, "tools", known)}`);
  }
}
