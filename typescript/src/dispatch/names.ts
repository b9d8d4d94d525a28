/**
 * Names that models get wrong in known ways: with a prefix or another decoration, in another case, with `-` instead of `_`, or by an alias
 * that the tool declares.
 *
 * Such a name is corrected only if it is unambiguous: it fits exactly one tool of the catalog, and the turn shows this tool. Tools that the turn
 * does not show count, too, so that a call never reaches a tool that the model did not name. Names come before aliases.
 *
 * @module
 */

import type { Availability } from "../availability/resolve.ts";
import type { ToolEntry } from "../data/catalog.ts";
import { ToolError } from "../result/error.ts";
import { sameSpelling } from "../text/names.ts";
import { nearestName } from "../text/nearest.ts";
import { positionOf } from "../text/utf8.ts";
import { fitsOf, only, undecorated } from "./given_name.ts";

/** The maximum number of tools that an error lists. */
const MAX_LISTED = 20;
/** The maximum length of a displayed tool name, in characters. A model may have made the name up, so it can have any length. */
const MAX_NAME_CHARS = 64;

/** Returns a name, truncated to 64 characters. */
export function shortName(name: string): string {
  return name.slice(0, positionOf(name, MAX_NAME_CHARS));
}

/** The names of the tools of a turn. */
export class Names {
  readonly #tools: readonly ToolEntry[];
  readonly #availability: Availability;
  readonly #dialect: string;
  /** The shown tools by their names in the dialect. */
  readonly #shown: ReadonlyMap<string, ToolEntry>;

  /** `tools` are all tools of the catalog, in order. */
  constructor(tools: readonly ToolEntry[], availability: Availability, dialect: string) {
    this.#tools = tools;
    this.#availability = availability;
    this.#dialect = dialect;
    this.#shown = new Map(availability.shown.map((tool) => [this.called(tool), tool]));
  }

  /** Returns the name of a tool in the dialect. */
  called(tool: ToolEntry): string {
    return tool.names.get(this.#dialect) ?? tool.name;
  }

  /** Finds the tool whose name in the dialect is exactly this. */
  exact(name: string): ToolEntry | undefined {
    return this.#shown.get(name);
  }

  /** Finds the tool that the model calls `name`, even by a name that must be corrected. */
  find(name: string): ToolEntry | undefined {
    const meant = this.exact(name) ?? this.#meant(name);
    return meant !== undefined && this.#shown.get(this.called(meant)) === meant ? meant : undefined;
  }

  /** Returns the only tool whose name a wrong name fits, or else the only one with an alias that it fits. */
  #meant(sent: string): ToolEntry | undefined {
    const fits = fitsOf(sent);
    if (fits === undefined) {
      return undefined;
    }
    const named = this.#tools.filter((tool) => fits(tool.name) || fits(this.called(tool)));
    const [first] = named;
    if (first === undefined) {
      return only(this.#tools, (tool) => tool.aliases.some(fits));
    }
    // The model sees only the name in the dialect.
    return named.length === 1 && fits(this.called(first)) ? first : undefined;
  }

  /** Returns the error for a call of a tool that the turn does not show, with a reason or a suggestion. */
  unknown(name: string): ToolError {
    // Otherwise, tags and tokens in the name would be removed from the error.
    const shown = shortName(name).replaceAll("<", "\\u{3c}");
    const bare = undecorated(name) ?? name;
    const meant = this.#meant(name);
    for (const [tool, reason] of this.#availability.hidden) {
      const names = [tool.name, this.called(tool)];
      if (meant === tool || names.includes(name) || names.includes(bare)) {
        return new ToolError(`the tool \`${shown}\` is not available now: ${reason}`, "unknown_tool");
      }
    }
    return new ToolError(`unknown tool \`${shown}\`: ${this.#hint(bare)}`, "unknown_tool");
  }

  #hint(name: string): string {
    const near = this.#nearest(name);
    if (near.length > 0) {
      return `did you mean \`${near.join("` or `")}\`?`;
    }
    const all = this.#availability.shown.map((tool) => this.called(tool));
    if (all.length === 0) {
      return "no tool is available";
    }
    return all.length <= MAX_LISTED
      ? `the available tools are ${all.join(", ")}`
      : `call one of the ${String(all.length)} tools that are defined`;
  }

  /**
   * Returns the names of the tools that the model may mean: those with a similar name or alias. The model may also write the own name of a
   * tool that has another name in this dialect.
   */
  #nearest(name: string): readonly string[] {
    const known = this.#availability.shown.flatMap((tool) => {
      const called = this.called(tool);
      return [called, tool.name, ...tool.aliases].map((known) => ({ known, called }));
    });
    const isSame = known.some((one) => sameSpelling(one.known, name));
    const all = known.map((one) => one.known);
    const similar = isSame ? [name] : nearestName(name, all);
    const near = similar.flatMap((one) => known.filter((other) => sameSpelling(other.known, one)));
    return [...new Set(near.map(({ called }) => called))];
  }
}
