/**
 * Almost JSON, as models write it: in Python's spelling (`{'a': True, 'b': [None,],}`), or with line breaks inside of strings.
 *
 * It supports single quotes, Python's constants and escapes, a trailing comma, and line breaks and tabs that are not escaped, also mixed
 * with JSON. Nothing else of Python is supported: no tuples, sets, prefixes, comments or number forms.
 *
 * @module
 */

import { parseNumber } from "../number.ts";
import { equal, JsonMap, type Value } from "../value.ts";

/** The maximum depth of a text that is read for its digits. */
const MAX_SPELLED_DEPTH = 127;
/** The maximum number of objects that say the same. */
const MAX_SAID = 16;

/** Returns the array or object in `text`, a string of the arguments, with at most `depth` nested levels. */
export function parseLiteral(text: string, depth: number): Value | undefined {
  return new LiteralParser(text, false, false).whole(depth);
}

/**
 * Returns the array or object in `text`, which are the arguments as a whole. A key that occurs twice is not accepted, nor are escapes that
 * JSON does not have: they show that the model did not escape its backslashes, so that others may be wrong.
 */
export function parseLiteralArguments(text: string, depth: number): Value | undefined {
  return new LiteralParser(text, true, false).whole(depth);
}

/** How a string or a number is written in a value of {@link spelledValue}. */
export interface Spelling {
  /** Whether the text has the digits of a number, or the content of a string. */
  readonly kind: "number" | "text";
  readonly text: string;
}

/** The first letter of the strings in which numbers are kept, and of those in which strings are. */
const NUMBER = "n";
const TEXT = "t";

/** Returns the value in `text`, JSON or almost JSON, with the digits of its numbers: see {@link spelling}. */
export function spelledValue(text: string): Value | undefined {
  return new LiteralParser(text, false, true).whole(MAX_SPELLED_DEPTH);
}

/** Returns how a string or a number is written. */
export function spelling(spelled: Value): Spelling | undefined {
  return typeof spelled === "string"
    ? { kind: spelled.startsWith(NUMBER) ? "number" : "text", text: spelled.slice(1) }
    : undefined;
}

/**
 * Returns the last of several objects, if all of them are equal, except for empty ones before the others: the model or the server has said
 * the arguments twice, or has begun with an empty object.
 */
export function lastSaid(text: string): string | undefined {
  const parser = new LiteralParser(text, true, true);
  let last: { readonly value: JsonMap; readonly text: string } | undefined;
  for (let count = 0; count < MAX_SAID; count += 1) {
    parser.skipSpace();
    if (parser.at === text.length) {
      return last?.text;
    }
    const start = parser.at;
    const value = parser.value(MAX_SPELLED_DEPTH);
    if (!(value instanceof JsonMap) || (last !== undefined && last.value.size > 0 && !equal(last.value, value))) {
      return undefined;
    }
    last = { value, text: text.slice(start, parser.at) };
  }
  return undefined;
}

const WORDS: readonly (readonly [string, Value])[] = [
  ["True", true],
  ["False", false],
  ["None", null],
  ["true", true],
  ["false", false],
  ["null", null],
];

/** The escapes of JSON, and those that only Python has. */
const JSON_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
]);
const PYTHON_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["v", "\v"],
]);
const PYTHON_CODES: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["U", 8],
]);

/** A parser whose methods return `undefined` for a text that they do not accept. */
class LiteralParser {
  readonly #text: string;
  /** Whether keys must be unique, and only the escapes of JSON are accepted. */
  readonly #strict: boolean;
  /** Whether numbers and strings are returned with their {@link Spelling}. */
  readonly #spells: boolean;
  at = 0;

  constructor(text: string, strict: boolean, spells: boolean) {
    this.#text = text;
    this.#strict = strict;
    this.#spells = spells;
  }

  whole(depth: number): Value | undefined {
    const value = this.value(depth);
    this.skipSpace();
    return this.at === this.#text.length ? value : undefined;
  }

  skipSpace(): void {
    while (" \t\n\r".includes(this.#text.charAt(this.at)) && this.at < this.#text.length) {
      this.at += 1;
    }
  }

  /** Skips white space and `letter`, if that comes next. */
  #eat(letter: string): boolean {
    this.skipSpace();
    const isNext = this.#text.charAt(this.at) === letter;
    this.at += isNext ? 1 : 0;
    return isNext;
  }

  value(depth: number): Value | undefined {
    this.skipSpace();
    const letter = this.#text.charAt(this.at);
    if (letter === "[" || letter === "{") {
      this.at += 1;
      return depth === 0 ? undefined : letter === "[" ? this.#array(depth - 1) : this.#object(depth - 1);
    }
    if (letter === "'" || letter === '"') {
      const text = this.#string();
      return text === undefined || !this.#spells ? text : TEXT + text;
    }
    if (letter === "-" || (letter >= "0" && letter <= "9")) {
      return this.#number();
    }
    const found = WORDS.find(([word]) => this.#text.startsWith(word, this.at));
    this.at += found?.[0].length ?? 0;
    return found?.[1];
  }

  #array(depth: number): Value[] | undefined {
    const items: Value[] = [];
    while (!this.#eat("]")) {
      const item = this.value(depth);
      if (item === undefined) {
        return undefined;
      }
      items.push(item);
      if (!this.#eat(",")) {
        return this.#eat("]") ? items : undefined;
      }
    }
    return items;
  }

  #object(depth: number): JsonMap | undefined {
    const map = new JsonMap();
    while (!this.#eat("}")) {
      const key = this.#string();
      const value = key !== undefined && this.#eat(":") ? this.value(depth) : undefined;
      if (key === undefined || value === undefined || (map.set(key, value) && this.#strict)) {
        return undefined;
      }
      if (!this.#eat(",")) {
        return this.#eat("}") ? map : undefined;
      }
    }
    return map;
  }

  #number(): Value | undefined {
    const start = this.at;
    while (/[0-9+\-.eE]/.test(this.#text.charAt(this.at))) {
      this.at += 1;
    }
    const text = this.#text.slice(start, this.at);
    const number = parseNumber(text);
    return number === undefined || !this.#spells ? number : NUMBER + text;
  }

  #string(): string | undefined {
    const text = this.#text;
    const quote = text.charCodeAt(this.at);
    if (quote !== 0x27 && quote !== 0x22) {
      return undefined;
    }
    this.at += 1;
    let out = "";
    let start = this.at;
    for (; this.at < text.length; this.at += 1) {
      const unit = text.charCodeAt(this.at);
      if (unit === quote) {
        out += text.slice(start, this.at);
        this.at += 1;
        return out;
      }
      if (unit === 0x5c) {
        out += text.slice(start, this.at);
        this.at += 1;
        const escaped = this.#escape();
        if (escaped === undefined) {
          return undefined;
        }
        out += escaped;
        start = this.at;
        this.at -= 1;
      } else if (this.#strict && unit < 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) {
        return undefined;
      }
    }
    return undefined;
  }

  #escape(): string | undefined {
    const code = this.#text.codePointAt(this.at);
    if (code === undefined) {
      return undefined;
    }
    const letter = String.fromCodePoint(code);
    this.at += letter.length;
    const plain = JSON_ESCAPES.get(letter);
    if (plain !== undefined) {
      return plain;
    }
    if (letter === "u") {
      return this.#coded();
    }
    const digits = PYTHON_CODES.get(letter);
    if (this.#strict || /[0-9\n\rN]/.test(letter)) {
      return undefined;
    }
    if (digits !== undefined) {
      return character(this.#hex(digits));
    }
    // Python keeps the backslash of an unknown escape: '\d' is two characters.
    return PYTHON_ESCAPES.get(letter) ?? `\\${letter}`;
  }

  #coded(): string | undefined {
    const high = this.#hex(4);
    if (high === undefined || high < 0xd800 || high > 0xdbff) {
      return character(high);
    }
    if (!this.#text.startsWith("\\u", this.at)) {
      return undefined;
    }
    this.at += 2;
    const low = this.#hex(4);
    return low !== undefined && low >= 0xdc00 && low < 0xe000 ? String.fromCharCode(high, low) : undefined;
  }

  #hex(count: number): number | undefined {
    const digits = this.#text.slice(this.at, this.at + count);
    if (digits.length < count || !/^[0-9A-Fa-f]+$/.test(digits)) {
      return undefined;
    }
    this.at += count;
    return Number.parseInt(digits, 16);
  }
}

/** Returns the character with this code. Half of a pair of UTF-16 is not a character. */
function character(code: number | undefined): string | undefined {
  const isCharacter = code !== undefined && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}
