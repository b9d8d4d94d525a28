/**
 * Nondeterministic automata, which patterns are compiled to.
 *
 * @module
 */

import { type CharSet, setOf } from "./char_set.ts";
import type { Expression, Look } from "./ecma.ts";

/** The maximum size of an automaton, in bytes as the Rust engine counts them. A larger pattern is not enforced there either. */
const MAX_SIZE = 1 << 20;
const STATE_SIZE = 32;
const RANGE_SIZE = 8;
const TARGET_SIZE = 4;

/** A state. */
export type State =
  /** Reads a character of the set. */
  | { readonly kind: "set"; readonly set: CharSet; next: number }
  /** Goes on if a condition on the place holds. */
  | { readonly kind: "look"; readonly look: Look; next: number }
  | { readonly kind: "go"; next: number }
  | { readonly kind: "split"; readonly targets: number[] }
  | { readonly kind: "match" };

/** An automaton. */
export interface Nfa {
  readonly states: readonly State[];
  readonly start: number;
}

/** The first and the last state of a part. */
interface Part {
  readonly start: number;
  readonly end: number;
}

class TooLarge extends Error {}

/** Returns the automaton of an expression, or `undefined` if it is too large. */
export function compile(expression: Expression): Nfa | undefined {
  const builder = new Builder();
  try {
    const { start, end } = builder.part(expression);
    builder.connect(end, builder.add({ kind: "match" }));
    return { states: builder.states, start };
  } catch (error) {
    if (error instanceof TooLarge) {
      return undefined;
    }
    throw error;
  }
}

/** Returns the set of an expression that is nothing else. */
function onlySet(expression: Expression): CharSet | undefined {
  if (expression.kind === "concat") {
    const [part, ...more] = expression.parts;
    return part === undefined || more.length > 0 ? undefined : onlySet(part);
  }
  return expression.kind === "set" ? expression.set : undefined;
}

class Builder {
  readonly states: State[] = [];
  #extra = 0;

  add(state: State): number {
    this.#extra += state.kind === "set" ? state.set.ranges.length * RANGE_SIZE : 0;
    this.states.push(state);
    this.#check();
    return this.states.length - 1;
  }

  connect(from: number, to: number): void {
    const state = this.states[from];
    if (state?.kind === "split") {
      state.targets.push(to);
      this.#extra += TARGET_SIZE;
      this.#check();
    } else if (state !== undefined && state.kind !== "match") {
      state.next = to;
    }
  }

  #check(): void {
    if (this.states.length * STATE_SIZE + this.#extra > MAX_SIZE) {
      throw new TooLarge();
    }
  }

  part(expression: Expression): Part {
    switch (expression.kind) {
      case "set":
        return this.#single({ kind: "set", set: expression.set, next: 0 });
      case "look":
        return this.#single({ kind: "look", look: expression.look, next: 0 });
      case "concat":
        return this.#concat(expression.parts);
      case "either":
        return this.#either(expression.parts);
      case "repeat":
        return this.#repeat(expression.part, expression.least, expression.most);
    }
  }

  #single(state: State): Part {
    const id = this.add(state);
    return { start: id, end: id };
  }

  #concat(parts: readonly Expression[]): Part {
    let whole: Part | undefined;
    for (const expression of parts) {
      const part = this.part(expression);
      if (whole !== undefined) {
        this.connect(whole.end, part.start);
      }
      whole = { start: whole?.start ?? part.start, end: part.end };
    }
    return whole ?? this.#single({ kind: "go", next: 0 });
  }

  #either(parts: readonly Expression[]): Part {
    const sets = parts.map(onlySet).filter((set) => set !== undefined);
    if (sets.length === parts.length) {
      return this.#single({ kind: "set", set: setOf(sets.flatMap((set) => set.ranges)), next: 0 });
    }
    const start = this.add({ kind: "split", targets: [] });
    const end = this.add({ kind: "go", next: 0 });
    for (const expression of parts) {
      const part = this.part(expression);
      this.connect(start, part.start);
      this.connect(part.end, end);
    }
    return { start, end };
  }

  #repeat(expression: Expression, least: number, most: number): Part {
    const start = this.add({ kind: "go", next: 0 });
    let last = start;
    for (let count = 0; count < least; count += 1) {
      const part = this.part(expression);
      this.connect(last, part.start);
      last = part.end;
    }
    const end = this.add({ kind: "go", next: 0 });
    if (most === Infinity) {
      const split = this.add({ kind: "split", targets: [] });
      const part = this.part(expression);
      this.connect(last, split);
      this.connect(split, part.start);
      this.connect(split, end);
      this.connect(part.end, split);
      return { start, end };
    }
    for (let count = least; count < most; count += 1) {
      const split = this.add({ kind: "split", targets: [] });
      const part = this.part(expression);
      this.connect(last, split);
      this.connect(split, part.start);
      this.connect(split, end);
      last = part.end;
    }
    this.connect(last, end);
    return { start, end };
  }
}
