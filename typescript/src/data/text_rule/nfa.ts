/**
 * The engine of patterns: a nondeterministic automaton, of which all states are followed at the same time. It takes linear time,
 * whatever the pattern and the text.
 *
 * @module
 */

import { type CharSet, contains } from "./char_set.ts";
import type { Expression, Look } from "./ecma.ts";

/** The maximum size of an automaton, in bytes as the Rust engine counts them. A larger pattern is not enforced there either. */
const MAX_SIZE = 1 << 20;
const STATE_SIZE = 32;
const RANGE_SIZE = 8;
const TARGET_SIZE = 4;

type State =
  | { readonly kind: "set"; readonly set: CharSet; next: number }
  | { readonly kind: "look"; readonly look: Look; next: number }
  | { readonly kind: "go"; next: number }
  | { readonly kind: "split"; readonly targets: number[] }
  | { readonly kind: "match" };

/** The first and the last state of a part. */
interface Part {
  readonly start: number;
  readonly end: number;
}

class TooLarge extends Error {}

/** An automaton. */
export class Nfa {
  readonly #states: readonly State[];
  readonly #start: number;

  private constructor(states: readonly State[], start: number) {
    this.#states = states;
    this.#start = start;
  }

  /** Returns the automaton of an expression, or `undefined` if it is too large. */
  static of(expression: Expression): Nfa | undefined {
    const builder = new Builder();
    try {
      const { start, end } = builder.part(expression);
      builder.connect(end, builder.add({ kind: "match" }));
      return new Nfa(builder.states, start);
    } catch (error) {
      if (error instanceof TooLarge) {
        return undefined;
      }
      throw error;
    }
  }

  /** Returns whether a part of `text` matches. */
  matches(text: string): boolean {
    const run = new Run(this.#states);
    let before = -1;
    for (let at = 0; ; ) {
      const code = text.codePointAt(at) ?? -1;
      if (run.follow(this.#start, before, code)) {
        return true;
      }
      if (code < 0) {
        return false;
      }
      at += code < 0x1_0000 ? 1 : 2;
      const following = text.codePointAt(at) ?? -1;
      if (run.step(code, following)) {
        return true;
      }
      before = code;
    }
  }
}

/** The states that are active at a place in the text. */
class Run {
  readonly #states: readonly State[];
  #active: number[] = [];
  #next: number[] = [];
  /** For each state, the round in which it was last entered. */
  readonly #entered: Uint32Array;
  #round = 1;
  readonly #stack: number[] = [];

  constructor(states: readonly State[]) {
    this.#states = states;
    this.#entered = new Uint32Array(states.length);
  }

  /** Enters a state, and all that follow without a character. Returns whether the end is reached. */
  follow(start: number, before: number, after: number): boolean {
    this.#stack.push(start);
    for (let id = this.#stack.pop(); id !== undefined; id = this.#stack.pop()) {
      if (this.#entered[id] === this.#round) {
        continue;
      }
      this.#entered[id] = this.#round;
      const state = this.#states[id];
      if (state === undefined || state.kind === "match") {
        this.#stack.length = 0;
        return true;
      }
      if (state.kind === "set") {
        this.#active.push(id);
      } else if (state.kind === "split") {
        this.#stack.push(...state.targets);
      } else if (state.kind === "go" || holds(state.look, before, after)) {
        this.#stack.push(state.next);
      }
    }
    return false;
  }

  /** Reads a character, after which `following` comes. Returns whether the end is reached. */
  step(code: number, following: number): boolean {
    [this.#active, this.#next] = [this.#next, this.#active];
    this.#active.length = 0;
    this.#round += 1;
    for (const id of this.#next) {
      const state = this.#states[id];
      if (state?.kind === "set" && contains(state.set, code) && this.follow(state.next, code, following)) {
        return true;
      }
    }
    return false;
  }
}

function holds(look: Look, before: number, after: number): boolean {
  if (look === "start") {
    return before < 0;
  }
  if (look === "end") {
    return after < 0;
  }
  return (isWord(before) !== isWord(after)) === (look === "word");
}

function isWord(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)
  );
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
