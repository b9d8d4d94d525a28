/**
 * Regular expressions of ECMA-262, as the engine of the runtime reads them.
 *
 * The engine takes linear time, so it holds only a part of the language. `docs/formats.md` has the table.
 *
 * @module
 */

import { complement, type CharSet, type Range, setOf } from "./char_set.ts";

/** The maximum number of characters and classes in a pattern, repetitions multiplied. */
const MAX_WEIGHT = 2_000;
/** The maximum depth of groups. */
const MAX_DEPTH = 40;

/** A part of a pattern. */
export type Expression =
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "look"; readonly look: Look }
  | { readonly kind: "concat"; readonly parts: readonly Expression[] }
  | { readonly kind: "either"; readonly parts: readonly Expression[] }
  | { readonly kind: "repeat"; readonly part: Expression; readonly least: number; readonly most: number };

/** A condition on a place in the text. */
export type Look = "start" | "end" | "word" | "not_word";

/** A pattern that the engine can hold. */
export interface Translation {
  readonly expression: Expression;
  /** The number of characters and classes, repetitions multiplied. */
  readonly weight: number;
}

/** Why the engine cannot hold a pattern. */
export class PatternProblem extends Error {
  /** Whether no engine of ECMA-262 reads the pattern. */
  readonly isInvalid: boolean;

  constructor(what: string, isInvalid: boolean) {
    super(what);
    this.isInvalid = isInvalid;
  }
}

/** Returns whether `text` is a regular expression of ECMA-262. */
export function isValidPattern(text: string): boolean {
  const result = translate(text);
  return !(result instanceof PatternProblem && result.isInvalid);
}

/** Reads a pattern. Returns why the engine cannot hold it if it cannot. */
export function translate(pattern: string): Translation | PatternProblem {
  try {
    return new PatternReader(pattern).read();
  } catch (error) {
    if (error instanceof PatternProblem) {
      return error;
    }
    throw error;
  }
}

const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORD: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** `WhiteSpace` and `LineTerminator` of ECMA-262. */
const SPACE: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** The escapes that stand for a set of characters. */
const SETS: ReadonlyMap<string, readonly Range[]> = new Map([
  ["d", DIGITS],
  ["D", complement(DIGITS)],
  ["w", WORD],
  ["W", complement(WORD)],
  ["s", SPACE],
  ["S", complement(SPACE)],
]);
/** The escapes that stand for a control character. */
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ["t", 0x09],
  ["n", 0x0a],
  ["v", 0x0b],
  ["f", 0x0c],
  ["r", 0x0d],
]);

/** What an escape means: a character, a set, or something outside of the subset. */
type Escaped = number | readonly Range[] | undefined;

interface Counted {
  readonly expression: Expression;
  readonly weight: number;
}

const NOTHING: Expression = { kind: "concat", parts: [] };

/** Returns whether these are flags of a group: each at most once, some before and some after a hyphen. */
function areFlags(text: string): boolean {
  return text !== "-" && /^[ims-]*$/.test(text) && new Set(text).size === text.length;
}

function isCode(code: number): boolean {
  return code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
}

class PatternReader {
  readonly #pattern: string;
  #at = 0;
  /** The first part that the engine cannot hold. Reading goes on, because the pattern may be invalid as well. */
  #outside: PatternProblem | undefined;
  /** Whether the rest was skipped because it is too deep. */
  #isCut = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): Translation {
    const { expression, weight } = this.#alternatives(0);
    if (this.#at < this.#pattern.length) {
      throw new PatternProblem("a closing parenthesis without a group", true);
    }
    if (weight > MAX_WEIGHT) {
      this.#leave("too many parts");
    }
    if (this.#outside !== undefined) {
      throw this.#outside;
    }
    return { expression, weight: Math.max(weight, 1) };
  }

  #peek(): string {
    const code = this.#pattern.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #next(): string {
    const next = this.#peek();
    this.#at += next.length;
    return next;
  }

  #eat(text: string): boolean {
    const isNext = this.#pattern.startsWith(text, this.#at);
    this.#at += isNext ? text.length : 0;
    return isNext;
  }

  #leave(what: string): void {
    this.#outside ??= new PatternProblem(what, false);
  }

  /** Reads alternatives up to the end of their group. */
  #alternatives(depth: number): Counted {
    if (depth > MAX_DEPTH) {
      // Nothing deeper is read, so that hostile patterns need no deep stack.
      this.#leave("too many parts");
      [this.#at, this.#isCut] = [this.#pattern.length, true];
      return { expression: NOTHING, weight: 0 };
    }
    const branches: Expression[][] = [[]];
    let weight = 0;
    for (let next = this.#peek(); next !== "" && next !== ")"; next = this.#peek()) {
      const from = this.#at;
      this.#at += next.length;
      const last = branches[branches.length - 1] ?? [];
      if (next === "|") {
        branches.push([]);
      } else if (next === "^" || next === "$") {
        last.push({ kind: "look", look: next === "^" ? "start" : "end" });
      } else if (next === "\\" && this.#eat("b")) {
        last.push({ kind: "look", look: "word" });
      } else if (next === "\\" && this.#eat("B")) {
        last.push({ kind: "look", look: "not_word" });
      } else if (next === "*" || next === "+" || next === "?") {
        throw new PatternProblem("a repetition of nothing", true);
      } else {
        const atom = this.#atom(next, from, depth);
        const repeated = this.#repetition(atom);
        weight += repeated.weight;
        last.push(repeated.expression);
      }
    }
    const parts = branches.map((parts): Expression => ({ kind: "concat", parts }));
    return { expression: parts.length === 1 ? (parts[0] ?? NOTHING) : { kind: "either", parts }, weight };
  }

  /** Reads the rest of what can be repeated. */
  #atom(first: string, from: number, depth: number): Counted {
    if (first === "(") {
      return this.#group(from, depth);
    }
    return { expression: { kind: "set", set: this.#single(first, from) }, weight: 1 };
  }

  #single(first: string, from: number): CharSet {
    if (first === "[") {
      return this.#class();
    }
    if (first === ".") {
      return setOf(complement(LINE_ENDS));
    }
    if (first === "\\") {
      const escaped = this.#escape(false);
      return setOf(typeof escaped === "number" ? [[escaped, escaped]] : (escaped ?? []));
    }
    if (first === "{") {
      this.#at = from;
      if (this.#counts() !== undefined) {
        throw new PatternProblem("a repetition of nothing", true);
      }
      this.#at = from + 1;
    }
    const code = first.codePointAt(0) ?? 0;
    return setOf([[code, code]]);
  }

  #group(from: number, depth: number): Counted {
    this.#at = from;
    if (["(?=", "(?!", "(?<=", "(?<!"].some((kind) => this.#eat(kind))) {
      this.#leave("a look-around");
    } else if (this.#eat("(?<")) {
      const name = this.#until(">");
      if (name === undefined || !/^(?!\p{N})[\p{Alphabetic}\p{N}_$]+$/u.test(name)) {
        throw new PatternProblem("a group with an invalid name", true);
      }
      this.#at += name.length + 1;
    } else if (!this.#eat("(?:") && this.#eat("(?")) {
      const flags = this.#until(":");
      if (flags === undefined || !areFlags(flags)) {
        throw new PatternProblem("an unknown kind of group", true);
      }
      this.#at += flags.length + 1;
      this.#leave("flags");
    } else if (this.#at === from) {
      this.#at += 1;
    }
    const { expression, weight } = this.#alternatives(depth + 1);
    if (!this.#eat(")") && !this.#isCut) {
      throw new PatternProblem("a group without its end", true);
    }
    return { expression, weight: weight + 1 };
  }

  /** Returns the text up to a character, without reading it. */
  #until(end: string): string | undefined {
    const at = this.#pattern.indexOf(end, this.#at);
    return at < 0 ? undefined : this.#pattern.slice(this.#at, at);
  }

  /** Reads the repetition of an atom, if there is one. */
  #repetition(atom: Counted): Counted {
    const from = this.#at;
    const sign = this.#peek();
    let [least, most] = [0, Infinity];
    let times = 1;
    if (sign === "*" || sign === "+" || sign === "?") {
      this.#at += 1;
      [least, most] = [sign === "+" ? 1 : 0, sign === "?" ? 1 : Infinity];
    } else {
      const counts = sign === "{" ? this.#counts() : undefined;
      if (counts === undefined) {
        this.#at = from;
        return atom;
      }
      [least, most] = counts;
      times = Math.max(most === Infinity ? least : most, 1);
    }
    // Whether a repetition is lazy does not change whether a text matches.
    this.#eat("?");
    return { expression: { kind: "repeat", part: atom.expression, least, most }, weight: atom.weight * times };
  }

  /** Reads `{2}`, `{2,}` or `{2,5}`. Otherwise, the position is undefined. */
  #counts(): readonly [number, number] | undefined {
    const rest = this.#pattern.slice(this.#at, this.#pattern.indexOf("}", this.#at) + 1);
    const match = /^\{([0-9]+)(?:(,)([0-9]+)?)?\}$/.exec(rest);
    if (match === null) {
      return undefined;
    }
    this.#at += rest.length;
    const least = Number(match[1]);
    const most = match[3] === undefined ? (match[2] === undefined ? least : Infinity) : Number(match[3]);
    if (most < least) {
      throw new PatternProblem("a repetition whose numbers are out of order", true);
    }
    return [least, most];
  }

  /** Reads the rest of a class. */
  #class(): CharSet {
    const isComplement = this.#eat("^");
    if (this.#eat("]")) {
      this.#leave("an empty class");
      return setOf([]);
    }
    const ranges: Range[] = [];
    for (;;) {
      const letter = this.#next();
      if (letter === "") {
        throw new PatternProblem("a class without its end", true);
      }
      if (letter === "]") {
        break;
      }
      const first = letter === "\\" ? this.#escape(true) : (letter.codePointAt(0) ?? 0);
      const isRange =
        this.#pattern.startsWith("-", this.#at) &&
        !this.#pattern.startsWith("-]", this.#at) &&
        this.#pattern.length - this.#at > 1;
      if (typeof first === "number" && isRange) {
        this.#at += 1;
        ranges.push(...this.#range(first));
      } else if (first !== undefined) {
        ranges.push(...(typeof first === "number" ? [[first, first] as const] : first));
      }
    }
    return setOf(isComplement ? complement(ranges) : ranges);
  }

  /** Reads the second character of a range in a class. */
  #range(first: number): readonly Range[] {
    const letter = this.#next();
    const last = letter === "\\" ? this.#escape(true) : (letter.codePointAt(0) ?? 0);
    if (last === undefined) {
      return [];
    }
    if (typeof last === "number") {
      if (first > last) {
        throw new PatternProblem("a range whose ends are out of order", true);
      }
      return [[first, last]];
    }
    // As browsers do, the sign is taken for itself.
    return [[first, first], [0x2d, 0x2d], ...last];
  }

  /** Reads the rest of an escape. */
  #escape(inClass: boolean): Escaped {
    const letter = this.#next();
    if (letter === "") {
      throw new PatternProblem("a backslash at the end", true);
    }
    const plain = SETS.get(letter) ?? CONTROLS.get(letter);
    if (plain !== undefined) {
      return plain;
    }
    if (letter === "b" && inClass) {
      return 0x08;
    }
    if (letter === "0" && !/^[0-9]$/.test(this.#peek())) {
      return 0;
    }
    if (letter === "x" || letter === "u" || letter === "c") {
      const after = this.#at;
      const code = this.#coded(letter);
      if (code !== undefined) {
        return code;
      }
      this.#at = after;
      this.#leave("an escape without a common meaning");
      return undefined;
    }
    if (!inClass && (/^[1-9]$/.test(letter) || (letter === "k" && this.#braced("<", ">")))) {
      this.#leave("a back-reference");
      return undefined;
    }
    if ((letter === "p" || letter === "P") && this.#braced("{", "}")) {
      this.#leave("a property of Unicode");
      return undefined;
    }
    if (/^[A-Za-z0-9]$/.test(letter)) {
      this.#leave("an escape without a common meaning");
      return undefined;
    }
    return letter.codePointAt(0) ?? 0;
  }

  /** Skips text in brackets. Returns whether there is any. */
  #braced(open: string, close: string): boolean {
    const end = this.#pattern.startsWith(open, this.#at) ? this.#pattern.indexOf(close, this.#at + 1) : -1;
    this.#at = end < 0 ? this.#at : end + 1;
    return end >= 0;
  }

  /** Reads the rest of `\x41`, `\u0041`, `\u{41}` or `\cA`. Returns `undefined` if it is not a character. */
  #coded(kind: string): number | undefined {
    if (kind === "c") {
      const letter = this.#peek();
      this.#at += 1;
      return /^[A-Za-z]$/.test(letter) ? letter.charCodeAt(0) % 32 : undefined;
    }
    const braced = kind === "u" ? /^\{([0-9A-Fa-f]+)\}/.exec(this.#pattern.slice(this.#at)) : null;
    if (braced !== null) {
      this.#at += braced[0].length;
      const code = Number.parseInt(braced[1] ?? "", 16);
      return isCode(code) ? code : undefined;
    }
    const high = this.#digits(kind === "x" ? 2 : 4);
    if (high === undefined || high < 0xd800 || high > 0xdbff) {
      return high !== undefined && isCode(high) ? high : undefined;
    }
    // Two escapes of UTF-16 are one character.
    const low = this.#eat("\\u") ? this.#digits(4) : undefined;
    const isPair = low !== undefined && low >= 0xdc00 && low < 0xe000;
    return isPair ? 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00) : undefined;
  }

  #digits(count: number): number | undefined {
    const digits = this.#pattern.slice(this.#at, this.#at + count);
    if (digits.length < count || !/^[0-9A-Fa-f]+$/.test(digits)) {
      return undefined;
    }
    this.#at += count;
    return Number.parseInt(digits, 16);
  }
}
