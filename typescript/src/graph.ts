/**
 * The graph of toolsets, over indices of tools and toolsets: resolves toolsets and selections of toolsets to tools.
 *
 * @module
 */

/** A toolset. */
export interface ToolSet {
  /** The set's own tools: its home tools (unless it is closed), and the tools that it lists. */
  readonly tools: readonly number[];
  /** The sets whose tools it also holds. */
  readonly includes: readonly number[];
  /** The base of the set. */
  readonly base: number | undefined;
  /** The tools that it does not hold, even if a set that it includes holds them. */
  readonly excludes: readonly number[];
}

/** A selection: everything, or one set. */
export type Pick = "all" | number;

/** All toolsets. */
export class Graph {
  /** The number of tools. */
  readonly #count: number;
  readonly #sets: readonly ToolSet[];

  constructor(count: number, sets: readonly ToolSet[]) {
    this.#count = count;
    this.#sets = sets;
  }

  /**
   * Returns the tools of a set: its own tools, and the tools of its base and its includes, minus its excludes. In other words, the tools that can
   * be reached from it on a path of sets none of which excludes them. A set that is reached twice, or reaches itself, does no harm.
   */
  resolve(set: number): ReadonlySet<number> {
    const reached = this.#reach(set, []);
    const members = new Set(reached.flatMap((id) => this.#sets[id]?.tools ?? []));
    // Tools that the same sets exclude share one traversal.
    const groups = new Map<string, { readonly without: number[]; readonly tools: Set<number> }>();
    for (const tool of [...members]) {
      const without = reached.filter((id) => this.#sets[id]?.excludes.includes(tool) === true);
      if (without.length > 0) {
        const key = without.join(" ");
        const group = groups.get(key) ?? { without, tools: new Set() };
        groups.set(key, group);
        group.tools.add(tool);
        members.delete(tool);
      }
    }
    // A tool is still a member if a path of sets that do not exclude it leads to it.
    for (const { without, tools } of groups.values()) {
      for (const tool of this.#reach(set, without).flatMap((id) => this.#sets[id]?.tools ?? [])) {
        if (tools.has(tool)) {
          members.add(tool);
        }
      }
    }
    return members;
  }

  /** Returns the sets that can be reached from `set`, itself included, on paths that avoid `without`. */
  #reach(set: number, without: readonly number[]): readonly number[] {
    const visited = new Set(without);
    const open = [set];
    const reached: number[] = [];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const next = this.#sets[id];
      if (next !== undefined && !visited.has(id)) {
        visited.add(id);
        reached.push(id);
        open.push(...next.includes, ...(next.base === undefined ? [] : [next.base]));
      }
    }
    return reached;
  }

  /** Returns all tools. */
  all(): Set<number> {
    return new Set(Array.from({ length: this.#count }, (_, id) => id));
  }

  /**
   * Removes from `members` the tools of a disabled selection. Disabling a set keeps the tools of its base: without `telegram` (base `core`),
   * the Telegram tools are gone, and the core remains.
   */
  deny(members: Set<number>, disabled: Pick): void {
    if (disabled === "all") {
      members.clear();
      return;
    }
    const base = this.#sets[disabled]?.base;
    const kept = base === undefined ? new Set() : this.resolve(base);
    for (const tool of this.resolve(disabled)) {
      if (!kept.has(tool)) {
        members.delete(tool);
      }
    }
  }
}
