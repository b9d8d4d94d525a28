/**
 * Paths in the arguments.
 *
 * @module
 */

import type { NodeId } from "../data/table.ts";
import { JsonMap, type Value } from "../value.ts";
import { REDACTED } from "./redact.ts";
import { beginningOfBytes } from "../text/utf8.ts";

/** A step of a path: a key or an index. */
export type Step = string | number;

const MAX_KEY_BYTES = 200;

/** The path of the current value in the arguments. It is formatted only for a problem. */
export class JsonPath {
  static readonly ROOT: JsonPath = new JsonPath(undefined, undefined, 0, 0);

  readonly #parent: JsonPath | undefined;
  /** The step from the parent, or `undefined` for another schema of the same value. */
  readonly #step: Step | undefined;
  /** The node of the value. */
  readonly id: NodeId;
  readonly depth: number;

  private constructor(parent: JsonPath | undefined, step: Step | undefined, id: NodeId, depth: number) {
    this.#parent = parent;
    this.#step = step;
    this.id = id;
    this.depth = depth;
  }

  /** Returns the path of a part of the value, or of another schema of the same value. */
  then(step: Step | undefined, id: NodeId): JsonPath {
    return new JsonPath(this, step, id, this.depth + 1);
  }

  /** Returns this path and those that lead to it, beginning at the root. */
  #line(): JsonPath[] {
    const line = this.#parent === undefined ? [] : this.#parent.#line();
    line.push(this);
    return line;
  }

  /** Returns the shortest prefix of this path whose value is redacted in `redacted`. */
  toSecret(redacted: Value): JsonPath | undefined {
    let value: Value | undefined = redacted;
    for (const path of this.#line()) {
      value = path.#step === undefined || value === undefined ? value : stepInto(value, path.#step);
      if (value === REDACTED) {
        return path;
      }
    }
    return undefined;
  }

  steps(): readonly Step[] {
    return this.#line()
      .map((path) => path.#step)
      .filter((step) => step !== undefined);
  }

  /** Returns the shortest prefix of this path with this number of steps. */
  after(steps: number): JsonPath {
    let count = 0;
    for (const path of this.#line()) {
      count += path.#step === undefined ? 0 : 1;
      if (count >= steps) {
        return path;
      }
    }
    return this;
  }
}

/** Returns a part of a value. */
export function stepInto(value: Value, step: Step): Value | undefined {
  if (typeof step === "number") {
    return Array.isArray(value) ? value[step] : undefined;
  }
  return value instanceof JsonMap ? value.get(step) : undefined;
}

/** Returns a step as a part of a JSON pointer. */
export function pointerStep(step: Step): string {
  const key = beginningOfBytes(String(step), MAX_KEY_BYTES);
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
