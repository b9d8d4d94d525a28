/**
 * Parsing JSON text into a value, with a limit on the depth, and a check for duplicate keys. The messages and positions of errors are those
 * of the crate `serde_json`.
 *
 * @module
 */

import { asFloat, isAmbiguous, isFloat, parseNumber, readJsonNumber } from "../number.ts";
import { byteLength } from "../text/utf8.ts";
import { type JsonNumber } from "../number.ts";
import { isNumber, JsonMap, type Value } from "../value.ts";
import { quotedShort } from "./expectation_text.ts";
import { spelledValue, spelling } from "./literal.ts";

/** The beginning of the error message about the depth. */
export const TOO_DEEP = "arrays and objects are nested too deeply";
/** The error message about numbers. */
export const OUT_OF_RANGE = "number out of range";

/** Why a text is not JSON. The line begins at 1, and the column is a number of bytes. */
export class JsonError extends Error {
  readonly reason: string;
  readonly line: number;
  readonly column: number;

  constructor(reason: string, line: number, column: number) {
    super(`${reason} at line ${String(line)} column ${String(column)}`);
    this.reason = reason;
    this.line = line;
    this.column = column;
  }

  /** Returns whether the text is cut off. */
  get isCutOff(): boolean {
    return this.reason.startsWith("EOF");
  }
}

/**
 * Parses the whole `text` as one value, with at most `depth` levels of arrays and objects. If `unique`, a duplicate key is an error;
 * otherwise, the last one wins.
 */
export function parseTree(text: string, depth: number, unique: boolean): Value | JsonError {
  const value = parseJson(text, depth, unique);
  if (!(value instanceof JsonError) && holdsAmbiguous(value)) {
    const spelled = spelledValue(text);
    return spelled === undefined ? value : readExactly(value, spelled);
  }
  return value;
}

/** Does the same as {@link parseTree}, but integers that are written as floats are rounded. */
export function parseJson(text: string, depth: number, unique: boolean): Value | JsonError {
  try {
    return new JsonParser(text, unique).whole(depth);
  } catch (error) {
    if (error instanceof JsonError) {
      return error;
    }
    throw error;
  }
}

/** Returns whether a float may be an integer that was rounded, as of `9007199254740993.0`. */
function holdsAmbiguous(value: Value): boolean {
  if (Array.isArray(value)) {
    return value.some(holdsAmbiguous);
  }
  if (value instanceof JsonMap) {
    return value.values.some(holdsAmbiguous);
  }
  return isNumber(value) && isFloat(value) && isAmbiguous(asFloat(value));
}

/** Reads floats again from their digits, which `spelled` has. */
function readExactly(value: Value, spelled: Value): Value {
  if (Array.isArray(value)) {
    return Array.isArray(spelled) ? value.map((item, at) => readExactly(item, spelled[at] ?? null)) : value;
  }
  if (value instanceof JsonMap) {
    if (spelled instanceof JsonMap) {
      value.keys.forEach((key, at) => {
        value.setAt(at, readExactly(value.values[at] ?? null, spelled.get(key) ?? null));
      });
    }
    return value;
  }
  if (isNumber(value) && isFloat(value)) {
    const written = spelling(spelled);
    return (written?.kind === "number" ? parseNumber(written.text) : undefined) ?? value;
  }
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY = [0x5b, 0x5d] as const;
const OBJECT = [0x7b, 0x7d] as const;
const MAX_I32 = 2_147_483_647;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** An error whose position is where its array or object ends, if that comes next. */
class Unplaced extends Error {}

class JsonParser {
  readonly #text: string;
  readonly #unique: boolean;
  #at = 0;

  constructor(text: string, unique: boolean) {
    this.#text = text;
    this.#unique = unique;
  }

  whole(depth: number): Value {
    const value = this.#value(depth);
    if (this.#space() >= 0) {
      throw this.#peekError("trailing characters");
    }
    return value;
  }

  /** Returns the next unit, or -1 at the end. */
  #peek(): number {
    return this.#at < this.#text.length ? this.#text.charCodeAt(this.#at) : -1;
  }

  /** Skips white space, and returns the next unit. */
  #space(): number {
    for (;;) {
      const unit = this.#peek();
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x09 && unit !== 0x0d) {
        return unit;
      }
      this.#at += 1;
    }
  }

  /** Returns an error at this position, where `bytes` more have been read. */
  #error(reason: string, bytes = 0): JsonError {
    const text = this.#text;
    let [end, rest] = [this.#at, bytes];
    while (rest > 0 && end < text.length) {
      const letter = String.fromCodePoint(text.codePointAt(end) ?? 0);
      const size = byteLength(letter);
      if (size > rest) {
        break;
      }
      [end, rest] = [end + letter.length, rest - size];
    }
    const before = text.slice(0, end);
    const lines = before.split("\n");
    const column = byteLength(lines[lines.length - 1] ?? "") + (end < text.length ? rest : 0);
    return new JsonError(reason, lines.length, column);
  }

  /** Returns an error about the next byte. */
  #peekError(reason: string): JsonError {
    return this.#error(reason, 1);
  }

  #value(depth: number): Value {
    const unit = this.#space();
    switch (unit) {
      case QUOTE:
        this.#at += 1;
        return this.#string();
      case ARRAY[0]:
        return this.#container(ARRAY[1], () => this.#array(depth));
      case OBJECT[0]:
        return this.#container(OBJECT[1], () => this.#object(depth));
      case 0x6e:
        return this.#word("null", null);
      case 0x74:
        return this.#word("true", true);
      case 0x66:
        return this.#word("false", false);
      case -1:
        throw this.#peekError("EOF while parsing a value");
      default:
        if (unit === 0x2d || isDigit(unit)) {
          return this.#number();
        }
        throw this.#peekError("expected value");
    }
  }

  #word(word: string, value: Value): Value {
    for (const letter of word) {
      if (this.#at >= this.#text.length) {
        throw this.#error("EOF while parsing a value");
      }
      if (this.#text.charAt(this.#at) !== letter) {
        throw this.#error("expected ident", 1);
      }
      this.#at += 1;
    }
    return value;
  }

  /** Reads an array or object. An error without a place gets the one after its end, if that comes next. */
  #container(close: number, read: () => Value): Value {
    this.#at += 1;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Unplaced)) {
        throw error;
      }
      const unit = this.#space();
      if (unit === close || (unit === COMMA && close === ARRAY[1])) {
        this.#at += 1;
        if (unit === COMMA) {
          this.#space();
        }
      }
      throw this.#error(error.message);
    }
  }

  #array(depth: number): Value[] {
    if (depth === 0) {
      throw new Unplaced(TOO_DEEP);
    }
    const items: Value[] = [];
    while (this.#hasNext(ARRAY[1], items.length === 0, "EOF while parsing a list", "expected `,` or `]`")) {
      items.push(this.#value(depth - 1));
    }
    return items;
  }

  #object(depth: number): JsonMap {
    if (depth === 0) {
      throw new Unplaced(TOO_DEEP);
    }
    const map = new JsonMap();
    let isFirst = true;
    while (this.#hasNext(OBJECT[1], isFirst, "EOF while parsing an object", "expected `,` or `}`")) {
      isFirst = false;
      if (this.#peek() !== QUOTE) {
        throw this.#peekError("key must be a string");
      }
      this.#at += 1;
      const key = this.#string();
      const unit = this.#space();
      if (unit !== COLON) {
        throw this.#peekError(unit < 0 ? "EOF while parsing an object" : "expected `:`");
      }
      this.#at += 1;
      const value = this.#value(depth - 1);
      if (map.set(key, value) && this.#unique) {
        throw new Unplaced(`the key ${quotedShort(key)} occurs twice in one object`);
      }
    }
    return map;
  }

  /** Moves to the next entry. Returns false after the end. */
  #hasNext(close: number, isFirst: boolean, eof: string, expected: string): boolean {
    const unit = this.#space();
    if (unit === close) {
      this.#at += 1;
      return false;
    }
    if (unit < 0) {
      throw this.#peekError(eof);
    }
    if (isFirst) {
      return true;
    }
    if (unit !== COMMA) {
      throw this.#peekError(expected);
    }
    this.#at += 1;
    const next = this.#space();
    if (next === close || next < 0) {
      throw this.#peekError(next < 0 ? "EOF while parsing a value" : "trailing comma");
    }
    return true;
  }

  /** Reads a number. */
  #number(): JsonNumber {
    const start = this.#at;
    this.#at += this.#peek() === 0x2d ? 1 : 0;
    const first = this.#peek();
    if (first < 0) {
      throw this.#error("EOF while parsing a value");
    }
    if (!isDigit(first)) {
      throw this.#error("invalid number", 1);
    }
    this.#at += 1;
    if (first !== 0x30) {
      this.#digits();
    } else if (isDigit(this.#peek())) {
      throw this.#peekError("invalid number");
    }
    if (this.#peek() === 0x2e) {
      this.#at += 1;
      if (this.#digits() === 0) {
        throw this.#peekError(this.#peek() < 0 ? "EOF while parsing a value" : "invalid number");
      }
    }
    const mantissa = this.#text.slice(start, this.#at);
    if ((this.#peek() | 0x20) === 0x65) {
      this.#exponent(mantissa);
    }
    const number = readJsonNumber(this.#text.slice(start, this.#at));
    if (number === undefined) {
      throw this.#error(OUT_OF_RANGE);
    }
    return number;
  }

  #digits(): number {
    const start = this.#at;
    while (isDigit(this.#peek())) {
      this.#at += 1;
    }
    return this.#at - start;
  }

  #exponent(mantissa: string): void {
    this.#at += 1;
    const sign = this.#peek();
    this.#at += sign === 0x2b || sign === 0x2d ? 1 : 0;
    if (this.#peek() < 0) {
      throw this.#error("EOF while parsing a value");
    }
    if (!isDigit(this.#peek())) {
      throw this.#error("invalid number", 1);
    }
    for (let exponent = 0; isDigit(this.#peek()); this.#at += 1) {
      exponent = exponent * 10 + (this.#peek() - 0x30);
      if (exponent > MAX_I32 && sign !== 0x2d && /[1-9]/.test(mantissa)) {
        throw this.#error(OUT_OF_RANGE, 1);
      }
    }
  }

  /** Reads the rest of a string. */
  #string(): string {
    const text = this.#text;
    let out = "";
    let start = this.#at;
    for (;;) {
      const unit = this.#peek();
      if (unit === QUOTE) {
        out += text.slice(start, this.#at);
        this.#at += 1;
        return out;
      }
      if (unit === BACKSLASH) {
        out += text.slice(start, this.#at);
        this.#at += 1;
        out += this.#escape();
        start = this.#at;
      } else if (unit < 0) {
        throw this.#error("EOF while parsing a string");
      } else if (unit < 0x20) {
        throw this.#error("control character (\\u0000-\\u001F) found while parsing a string", 1);
      } else {
        this.#at += 1;
      }
    }
  }

  /** Reads the rest of an escape. */
  #escape(): string {
    if (this.#peek() < 0) {
      throw this.#error("EOF while parsing a string");
    }
    const letter = this.#text.charAt(this.#at);
    const plain = ESCAPES.get(letter);
    if (plain === undefined && letter !== "u") {
      throw this.#error("invalid escape", 1);
    }
    this.#at += 1;
    return plain ?? this.#coded();
  }

  #coded(): string {
    const high = this.#hex();
    if (high < 0xd800 || high > 0xdfff) {
      return String.fromCharCode(high);
    }
    if (high > 0xdbff) {
      throw this.#error("lone leading surrogate in hex escape");
    }
    for (const letter of "\\u") {
      if (this.#peek() < 0) {
        throw this.#error("EOF while parsing a string");
      }
      if (this.#text.charAt(this.#at) !== letter) {
        throw this.#error("unexpected end of hex escape", 1);
      }
      this.#at += 1;
    }
    const low = this.#hex();
    if (low < 0xdc00 || low > 0xdfff) {
      throw this.#error("lone leading surrogate in hex escape");
    }
    return String.fromCharCode(high, low);
  }

  /** Reads four hexadecimal digits. */
  #hex(): number {
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (byteLength(digits) < 4) {
      this.#at = this.#text.length;
      throw this.#error("EOF while parsing a string");
    }
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) {
      throw this.#error("invalid escape", 4);
    }
    this.#at += 4;
    return Number.parseInt(digits, 16);
  }
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
