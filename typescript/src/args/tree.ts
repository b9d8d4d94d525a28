/**
 * Parsing JSON text into a value, with a limit on the depth, and a check for duplicate keys. The messages and positions of errors are the
 * same as in the crate `serde_json`.
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

/** Why a text is not JSON. It is not an `Error`, because most of these errors are not shown, and the trace of the stack takes long. */
export class JsonError {
  readonly reason: string;
  readonly #text: string;
  readonly #at: number;
  readonly #bytes: number;

  /** The error is at a position of the text, after which some more bytes have been read. */
  constructor(reason: string, text: string, at: number, bytes: number) {
    this.reason = reason;
    this.#text = text;
    this.#at = at;
    this.#bytes = bytes;
  }

  /** The place: the line begins at 1, and the column is a number of bytes. */
  get place(): { readonly line: number; readonly column: number } {
    const text = this.#text;
    let [end, rest] = [this.#at, this.#bytes];
    while (rest > 0 && end < text.length) {
      const letter = String.fromCodePoint(text.codePointAt(end) ?? 0);
      const size = byteLength(letter);
      if (size > rest) {
        break;
      }
      [end, rest] = [end + letter.length, rest - size];
    }
    const lines = text.slice(0, end).split("\n");
    const column = byteLength(lines[lines.length - 1] ?? "") + (end < text.length ? rest : 0);
    return { line: lines.length, column };
  }

  /** The reason with the place. */
  get message(): string {
    const { line, column } = this.place;
    return `${this.reason} at line ${String(line)} column ${String(column)}`;
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
  const parser = new JsonParser(text, unique);
  try {
    return parser.whole(depth);
  } catch (error) {
    if (error === FAILED && parser.error !== undefined) {
      return parser.error;
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

/** Thrown by a parser that has failed. There is only one, because the trace of the stack takes long. */
const FAILED = new Error("the text is not JSON");

class JsonParser {
  readonly #text: string;
  readonly #unique: boolean;
  #at = 0;
  /** The reason of an error without a place: it gets the one after its array or object, if that ends next. */
  #unplaced: string | undefined;
  error: JsonError | undefined;

  constructor(text: string, unique: boolean) {
    this.#text = text;
    this.#unique = unique;
  }

  whole(depth: number): Value {
    const value = this.#value(depth);
    if (this.#space() >= 0) {
      this.#failNext("trailing characters");
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

  /** Fails at this position, where `bytes` more have been read. */
  #fail(reason: string, bytes = 0): never {
    this.error = new JsonError(reason, this.#text, this.#at, bytes);
    throw FAILED;
  }

  /** Fails because of the next byte. */
  #failNext(reason: string): never {
    this.#fail(reason, 1);
  }

  /** Fails without a place. */
  #failUnplaced(reason: string): never {
    this.#unplaced = reason;
    throw FAILED;
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
        this.#failNext("EOF while parsing a value");
      default:
        if (unit === 0x2d || isDigit(unit)) {
          return this.#number();
        }
        this.#failNext("expected value");
    }
  }

  #word(word: string, value: Value): Value {
    for (const letter of word) {
      if (this.#at >= this.#text.length) {
        this.#fail("EOF while parsing a value");
      }
      if (this.#text.charAt(this.#at) !== letter) {
        this.#fail("expected ident", 1);
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
      const reason = this.#unplaced;
      if (reason === undefined) {
        throw error;
      }
      this.#unplaced = undefined;
      const unit = this.#space();
      if (unit === close || (unit === COMMA && close === ARRAY[1])) {
        this.#at += 1;
        if (unit === COMMA) {
          this.#space();
        }
      }
      this.#fail(reason);
    }
  }

  #array(depth: number): Value[] {
    if (depth === 0) {
      this.#failUnplaced(TOO_DEEP);
    }
    const items: Value[] = [];
    while (this.#hasNext(ARRAY[1], items.length === 0, "EOF while parsing a list", "expected `,` or `]`")) {
      items.push(this.#value(depth - 1));
    }
    return items;
  }

  #object(depth: number): JsonMap {
    if (depth === 0) {
      this.#failUnplaced(TOO_DEEP);
    }
    const map = new JsonMap();
    let isFirst = true;
    while (this.#hasNext(OBJECT[1], isFirst, "EOF while parsing an object", "expected `,` or `}`")) {
      isFirst = false;
      if (this.#peek() !== QUOTE) {
        this.#failNext("key must be a string");
      }
      this.#at += 1;
      const key = this.#string();
      const unit = this.#space();
      if (unit !== COLON) {
        this.#failNext(unit < 0 ? "EOF while parsing an object" : "expected `:`");
      }
      this.#at += 1;
      const value = this.#value(depth - 1);
      if (map.set(key, value) && this.#unique) {
        this.#failUnplaced(`the key ${quotedShort(key)} occurs twice in one object`);
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
      this.#failNext(eof);
    }
    if (isFirst) {
      return true;
    }
    if (unit !== COMMA) {
      this.#failNext(expected);
    }
    this.#at += 1;
    const next = this.#space();
    if (next === close || next < 0) {
      this.#failNext(next < 0 ? "EOF while parsing a value" : "trailing comma");
    }
    return true;
  }

  /** Reads a number. */
  #number(): JsonNumber {
    const start = this.#at;
    this.#at += this.#peek() === 0x2d ? 1 : 0;
    const first = this.#peek();
    if (first < 0) {
      this.#fail("EOF while parsing a value");
    }
    if (!isDigit(first)) {
      this.#fail("invalid number", 1);
    }
    this.#at += 1;
    if (first !== 0x30) {
      this.#digits();
    } else if (isDigit(this.#peek())) {
      this.#failNext("invalid number");
    }
    if (this.#peek() === 0x2e) {
      this.#at += 1;
      if (this.#digits() === 0) {
        this.#failNext(this.#peek() < 0 ? "EOF while parsing a value" : "invalid number");
      }
    }
    if ((this.#peek() | 0x20) === 0x65) {
      this.#exponent(this.#text.slice(start, this.#at));
    }
    const number = readJsonNumber(this.#text.slice(start, this.#at));
    if (number === undefined) {
      this.#fail(OUT_OF_RANGE);
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
      this.#fail("EOF while parsing a value");
    }
    if (!isDigit(this.#peek())) {
      this.#fail("invalid number", 1);
    }
    for (let exponent = 0; isDigit(this.#peek()); this.#at += 1) {
      exponent = exponent * 10 + (this.#peek() - 0x30);
      if (exponent > MAX_I32 && sign !== 0x2d && /[1-9]/.test(mantissa)) {
        this.#fail(OUT_OF_RANGE, 1);
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
        this.#fail("EOF while parsing a string");
      } else if (unit < 0x20) {
        this.#fail("control character (\\u0000-\\u001F) found while parsing a string", 1);
      } else {
        this.#at += 1;
      }
    }
  }

  /** Reads the rest of an escape. */
  #escape(): string {
    if (this.#peek() < 0) {
      this.#fail("EOF while parsing a string");
    }
    const letter = this.#text.charAt(this.#at);
    const plain = ESCAPES.get(letter);
    if (plain === undefined && letter !== "u") {
      this.#fail("invalid escape", 1);
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
      this.#fail("lone leading surrogate in hex escape");
    }
    for (const letter of "\\u") {
      if (this.#peek() < 0) {
        this.#fail("EOF while parsing a string");
      }
      if (this.#text.charAt(this.#at) !== letter) {
        this.#fail("unexpected end of hex escape", 1);
      }
      this.#at += 1;
    }
    const low = this.#hex();
    if (low < 0xdc00 || low > 0xdfff) {
      this.#fail("lone leading surrogate in hex escape");
    }
    return String.fromCharCode(high, low);
  }

  /** Reads four hexadecimal digits. */
  #hex(): number {
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (byteLength(digits) < 4) {
      this.#at = this.#text.length;
      this.#fail("EOF while parsing a string");
    }
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) {
      this.#fail("invalid escape", 4);
    }
    this.#at += 4;
    return Number.parseInt(digits, 16);
  }
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
