/**
 * The state that repair and validation share: the table, the limits, and a budget of steps.
 *
 * Without the budget, a schema that refers to itself through `anyOf` could need unlimited work for a small text.
 *
 * @module
 */

import { type FullNode, type NodeId, type Table } from "../data/table.ts";

/** Limits of the arguments of one call. */
export interface Limits {
  /** The maximum size of the JSON text, in bytes of UTF-8. */
  readonly maxBytes: number;
  /** The maximum depth of nested arrays and objects, including the arguments object. */
  readonly maxDepth: number;
  /** The maximum number of steps of work. */
  readonly maxSteps: number;
}

/** The limits of every call: 4 MiB, 64 levels and 16,000,000 steps. A text of 4 MiB needs fewer, unless it is made to need many. */
export const DEFAULT_LIMITS: Limits = { maxBytes: 4 * 1024 * 1024, maxDepth: 64, maxSteps: 16_000_000 };

const MAX_LEAVES = 256;
const MAX_NESTED = 16;
const MAX_HOPS = 127;

export class Reader {
  readonly table: Table;
  readonly limits: Limits;
  /** Set when repair changes a value. */
  changed = false;
  /** Set when repair makes a string of a number whose spelling is unknown. */
  hasSpelled = false;
  #budget: number;

  constructor(table: Table, limits: Limits) {
    this.table = table;
    this.limits = limits;
    this.#budget = limits.maxSteps;
  }

  /** Takes `steps` from the budget. Returns false if it is exhausted. */
  spend(steps: number): boolean {
    const left = this.#budget - steps;
    this.#budget = Math.max(left, 0);
    return left >= 0;
  }

  node(id: NodeId): FullNode {
    return this.table.node(id);
  }

  /**
   * Returns the alternatives of `node`, including nested alternatives, or `undefined` if one of them has no type, so that the
   * schema does not determine a type.
   */
  leaves(node: FullNode): readonly NodeId[] | undefined {
    const leaves: NodeId[] = [];
    return addLeaves(this.table, node, 0, leaves) ? leaves : undefined;
  }
}

function addLeaves(table: Table, node: FullNode, depth: number, leaves: NodeId[]): boolean {
  return node.anyOf.every((alternative) => {
    const id = onlyPart(table, alternative);
    const branch = table.node(id);
    if (branch.allOf.length > 0 || leaves.length === MAX_LEAVES || depth === MAX_NESTED) {
      return false;
    }
    if (branch.bits !== 0) {
      leaves.push(id);
      return true;
    }
    return branch.anyOf.length > 0 && addLeaves(table, branch, depth + 1, leaves);
  });
}

/** Returns the part of a node that has nothing but one part, as `{"allOf": [{"$ref": "…"}]}`, and otherwise the node itself. */
function onlyPart(table: Table, start: NodeId): NodeId {
  let id = start;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const node = table.node(id);
    const hasMore =
      node.bits !== 0 ||
      node.anyOf.length > 0 ||
      node.literals.length > 0 ||
      node.properties.length > 0 ||
      node.items !== undefined ||
      node.bounds !== undefined;
    const [part, ...more] = node.allOf;
    if (hasMore || part === undefined || more.length > 0) {
      break;
    }
    id = part;
  }
  return id;
}
