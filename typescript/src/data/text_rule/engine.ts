/**
 * The engine of patterns. It follows all states of an automaton at the same time, so that it takes linear time, whatever the pattern and the
 * text. Sets of states that have been followed once are kept, with where each kind of character leads from them.
 *
 * @module
 */

import { contains } from "./char_set.ts";
import type { Look } from "./ecma.ts";
import type { Nfa, State } from "./nfa.ts";

/** The maximum number of sets of states that are kept. */
const MAX_KEPT = 500;
/** How often the sets may be forgotten in one text. After that, new ones are not kept, because that would take longer. */
const MAX_FORGOTTEN = 4;
/** The kinds of the last character: none, a letter or digit of a word, or another one. */
const NONE = 0;
const WORD = 1;
const OTHER = 2;
/** Where a character leads: it is unknown so far, or a part of the text matches. */
const UNKNOWN = -1;
const MATCH = -2;

/** A set of states before a character is read, which have not been followed through states that read nothing. */
interface Kept {
  readonly states: readonly number[];
  readonly before: number;
  /** For each kind of character, and for the end of the text, the set after it. */
  readonly next: Int32Array;
}

/** The engine of one pattern. */
export class Engine {
  readonly #alphabet: Alphabet;
  readonly #follower: Follower;
  #kept: Kept[] = [];
  #ids = new Map<string, number>();

  constructor(nfa: Nfa) {
    this.#alphabet = new Alphabet(nfa.states);
    this.#follower = new Follower(nfa);
  }

  /** Returns whether a part of `text` matches. */
  matches(text: string): boolean {
    let forgotten = 0;
    let id = this.#keep([], NONE);
    for (let at = 0; ; ) {
      const code = text.codePointAt(at) ?? -1;
      const kind = this.#alphabet.kindOf(code);
      let next = this.#kept[id]?.next[kind] ?? UNKNOWN;
      if (next === UNKNOWN) {
        if (this.#kept.length >= MAX_KEPT) {
          const { states, before } = this.#kept[id] ?? { states: [], before: NONE };
          forgotten += 1;
          if (forgotten > MAX_FORGOTTEN) {
            return this.#follower.matches(states, before, text, at);
          }
          this.#kept = [];
          this.#ids = new Map();
          id = this.#keep(states, before);
        }
        next = this.#lead(id, kind, code);
      }
      if (next === MATCH || code < 0) {
        return next === MATCH;
      }
      id = next;
      at += code < 0x1_0000 ? 1 : 2;
    }
  }

  /** Determines where a character leads. */
  #lead(id: number, kind: number, code: number): number {
    const kept = this.#kept[id];
    if (kept === undefined) {
      return UNKNOWN;
    }
    const states = this.#follower.step(kept.states, kept.before, code);
    states?.sort((a, b) => a - b);
    const next = states === undefined ? MATCH : this.#keep(states, code < 0 ? NONE : kindBefore(code));
    kept.next[kind] = next;
    return next;
  }

  #keep(states: readonly number[], before: number): number {
    const key = `${String(before)} ${states.join(" ")}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#kept.length;
      this.#ids.set(key, id);
      this.#kept.push({ states, before, next: new Int32Array(this.#alphabet.size).fill(UNKNOWN) });
    }
    return id;
  }
}

/** Follows states without keeping anything. */
class Follower {
  readonly #states: readonly State[];
  readonly #start: number;
  /** For each state, the round in which it was last entered. */
  readonly #entered: Uint32Array;
  #round = 0;
  readonly #stack: number[] = [];

  constructor({ states, start }: Nfa) {
    this.#states = states;
    this.#start = start;
    this.#entered = new Uint32Array(states.length);
  }

  /** Returns whether a part of the text from `start` on matches, after these states and this kind of character. */
  matches(states: readonly number[], before: number, text: string, start: number): boolean {
    let [now, kind] = [states, before];
    for (let at = start; ; ) {
      const code = text.codePointAt(at) ?? -1;
      const next = this.step(now, kind, code);
      if (next === undefined || code < 0) {
        return next === undefined;
      }
      [now, kind] = [next, kindBefore(code)];
      at += code < 0x1_0000 ? 1 : 2;
    }
  }

  /**
   * Returns the states after a character, or after the end of the text for -1. Returns `undefined` if a part of the text before the character
   * matches.
   */
  step(states: readonly number[], before: number, code: number): number[] | undefined {
    this.#round += 1;
    const [stack, entered, round] = [this.#stack, this.#entered, this.#round];
    stack.length = 0;
    const next: number[] = [];
    for (let at = -1; at < states.length; at += 1) {
      let id = states[at] ?? this.#start;
      for (;;) {
        if (entered[id] !== round) {
          entered[id] = round;
          const state = this.#states[id];
          if (state === undefined || state.kind === "match") {
            return undefined;
          }
          if (state.kind === "set") {
            if (code >= 0 && contains(state.set, code)) {
              next.push(state.next);
            }
          } else if (state.kind === "split") {
            for (const target of state.targets) {
              stack.push(target);
            }
          } else if (state.kind === "go" || holds(state.look, before, code)) {
            stack.push(state.next);
          }
        }
        const following = stack.pop();
        if (following === undefined) {
          break;
        }
        id = following;
      }
    }
    return next;
  }
}

function holds(look: Look, before: number, after: number): boolean {
  if (look === "start") {
    return before === NONE;
  }
  if (look === "end") {
    return after < 0;
  }
  return ((before === WORD) !== (after >= 0 && kindBefore(after) === WORD)) === (look === "word");
}

/** Returns the kind of a character for what comes after it. */
function kindBefore(code: number): number {
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x5f ? WORD : OTHER;
}

/** The kinds of characters that a pattern distinguishes. */
class Alphabet {
  /** The first character of each kind, sorted. A kind may occur several times. */
  readonly #starts: readonly number[];
  readonly #ascii: Uint16Array;

  constructor(states: readonly State[]) {
    // The characters of words begin and end here.
    const starts = new Set([0, 0x30, 0x3a, 0x41, 0x5b, 0x5f, 0x60, 0x61, 0x7b]);
    for (const state of states) {
      for (const [first, last] of state.kind === "set" ? state.set.ranges : []) {
        starts.add(first).add(last + 1);
      }
    }
    this.#starts = [...starts].sort((a, b) => a - b);
    this.#ascii = Uint16Array.from({ length: 0x80 }, (_, code) => this.#find(code));
  }

  /** The number of kinds, with the end of the text. */
  get size(): number {
    return this.#starts.length + 1;
  }

  /** Returns the kind of a character, or of the end of the text for -1. */
  kindOf(code: number): number {
    if (code < 0) {
      return this.#starts.length;
    }
    return code < 0x80 ? (this.#ascii[code] ?? 0) : this.#find(code);
  }

  #find(code: number): number {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= code) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
