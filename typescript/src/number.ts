/**
 * Numbers: exact parsing of decimal strings, and equality that does not round integers.
 *
 * @module
 */

import { trim } from "./text/utf8.ts";

/** A float whose value is an integer: `5.0`, `1e300`, `-0.0`. A number that is a fraction is its own float. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A JSON number: an integer, as a `bigint` if a float would round it, or a float. */
export type JsonNumber = number | bigint | Float;

/** 2^53, from where a float no longer identifies one integer. */
const FIRST_AMBIGUOUS = 2 ** 53;
/** 2^64: the smallest integer of more than 64 bits. */
export const BEYOND = 18_446_744_073_709_551_616;
const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;
const U64_MAX = 2n ** 64n - 1n;
const I128_MAX = 2n ** 127n - 1n;
/** The number of digits with which an integer may still have 64 bits, with its sign. */
const MAX_INTEGER_TEXT = 20;

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Returns a float as a JSON number. */
export function fromFloat(float: number): JsonNumber {
  return Number.isInteger(float) ? new Float(float) : float;
}

/** Returns an integer as a JSON number. */
function fromInteger(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

/** Reads `text`, which has the form of a JSON number: as an integer of 64 bits, or else as a float. Returns `undefined` if it is infinite. */
export function readJsonNumber(text: string): JsonNumber | undefined {
  if (!/[.eE]/.test(text)) {
    if (text.length < 16) {
      return text === "-0" ? new Float(-0) : Number(text);
    }
    if (text.length <= MAX_INTEGER_TEXT) {
      const integer = of64Bits(BigInt(text));
      if (integer !== undefined) {
        return integer;
      }
    }
  }
  const float = Number(text);
  return Number.isFinite(float) ? fromFloat(float) : undefined;
}

/** Parses `text`, a JSON number. An integer of 64 bits that a float would round is exact, whatever its spelling: `1.8e19`. */
export function parseNumber(text: string): JsonNumber | undefined {
  const number = JSON_NUMBER.test(text) ? readJsonNumber(text) : undefined;
  if (number === undefined || !isFloat(number) || !isAmbiguous(asFloat(number))) {
    return number;
  }
  const exact = Decimal.read(text)?.value();
  return (exact === undefined ? undefined : of64Bits(exact)) ?? number;
}

/** Returns whether a number is written as a float: `5.0`, `1e300`. */
export function isFloat(number: JsonNumber): boolean {
  return number instanceof Float || (typeof number === "number" && !Number.isInteger(number));
}

/** Returns the nearest float. */
export function asFloat(number: JsonNumber): number {
  return number instanceof Float ? number.value : Number(number);
}

/** Returns whether several integers of 64 bits may have been rounded to `float`. */
export function isAmbiguous(float: number): boolean {
  return Math.abs(float) >= FIRST_AMBIGUOUS && Math.abs(float) <= BEYOND;
}

/** Returns whether the text of `number` may have been another than its decimal digits, such as `5.0` or `1e18`. */
export function mayBeRespelled(number: JsonNumber): boolean {
  return isFloat(number) || isAmbiguous(asFloat(number));
}

function of64Bits(integer: bigint): number | bigint | undefined {
  return integer >= I64_MIN && integer <= U64_MAX ? fromInteger(integer) : undefined;
}

/** Returns `number` as an integer of 64 bits with a sign, if it is exactly one. */
export function integer(number: JsonNumber): number | bigint | undefined {
  if (typeof number === "number") {
    return Number.isInteger(number) ? number : undefined;
  }
  if (typeof number === "bigint") {
    return number <= I64_MAX ? number : undefined;
  }
  return whole(number.value);
}

/** Returns `float` as an integer, or `undefined` if it has a fraction, or is at least 2^53. */
export function whole(float: number): number | undefined {
  return Number.isInteger(float) && Math.abs(float) < FIRST_AMBIGUOUS ? float + 0 : undefined;
}

/** Returns the integer that `text` contains in decimal, if it fits. */
export function integerFrom(text: string): number | bigint | undefined {
  const exact = Decimal.read(text)?.exact();
  return exact !== undefined && exact >= I64_MIN && exact <= I64_MAX ? fromInteger(exact) : undefined;
}

/** Returns the number that `text` contains in decimal: exactly if it is an integer of 64 bits, otherwise the nearest float. */
export function numberFrom(text: string): JsonNumber | undefined {
  const decimal = Decimal.read(text);
  const exact = decimal?.exact();
  const number = exact === undefined ? undefined : of64Bits(exact);
  if (decimal === undefined || number !== undefined) {
    return number;
  }
  const nearest = decimal.nearest();
  const isUnderflow = nearest !== undefined && asFloat(nearest) === 0 && !decimal.isZero();
  return isUnderflow ? undefined : nearest;
}

/**
 * Returns the number that `text` contains in decimal, to compare it with bounds: the nearest one of those that exist, whatever its size.
 * `isInteger`: only an integer is accepted, as in {@link integerFrom}.
 */
export function ofAnySize(text: string, isInteger: boolean): JsonNumber | undefined {
  const decimal = Decimal.read(text);
  if (decimal === undefined || (isInteger && !decimal.isInteger())) {
    return undefined;
  }
  if (decimal.nearest() !== undefined) {
    return numberFrom(text);
  }
  return fromFloat(decimal.negative ? -Number.MAX_VALUE : Number.MAX_VALUE);
}

/** A parsed decimal string: `[+-] digits [. digits] [e [+-] digits]`, with white space around it. */
class Decimal {
  readonly negative: boolean;
  readonly #whole: string;
  readonly #fraction: string;
  readonly #exponent: number;

  private constructor(negative: boolean, whole: string, fraction: string, exponent: number) {
    this.negative = negative;
    this.#whole = whole;
    this.#fraction = fraction;
    this.#exponent = exponent;
  }

  static read(text: string): Decimal | undefined {
    const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/.exec(trim(text));
    const [, sign = "", whole = "", fraction = "", exponent = "0"] = match ?? [];
    if (match === null || (whole === "" && fraction === "")) {
      return undefined;
    }
    const size = Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(exponent)));
    return new Decimal(sign === "-", whole, fraction, size);
  }

  isZero(): boolean {
    return !/[1-9]/.test(this.#whole) && !/[1-9]/.test(this.#fraction);
  }

  /** Returns the nearest JSON number. */
  nearest(): JsonNumber | undefined {
    const whole = this.#whole.replace(/^0+/, "");
    return parseNumber(`${this.negative ? "-" : ""}${whole || "0"}.${this.#fraction}0e${String(this.#exponent)}`);
  }

  /** Returns whether the mantissa is an integer, and the exponent is not negative. */
  isInteger(): boolean {
    return this.#exponent >= 0 && !/[1-9]/.test(this.#fraction);
  }

  /** Returns the integer, if it is one as {@link isInteger} says. */
  exact(): bigint | undefined {
    return this.isInteger() ? this.value() : undefined;
  }

  /** Returns the value, if it is an integer in any spelling: `1.50e1`, `150e-1`. */
  value(): bigint | undefined {
    if (this.isZero()) {
      return 0n;
    }
    const digits = (this.#whole + this.#fraction).replace(/^0+/, "");
    const significant = withoutZeros(digits);
    const power = this.#exponent - this.#fraction.length + (digits.length - significant.length);
    // No integer of 128 bits has more digits.
    if (power < 0 || power > 38 || significant.length > 39) {
      return undefined;
    }
    const size = BigInt(significant) * 10n ** BigInt(power);
    return size > I128_MAX ? undefined : this.negative ? -size : size;
  }
}

/** Removes the zeros at the end. A regular expression would take quadratic time. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) {
    end -= 1;
  }
  return digits.slice(0, end);
}

/** Returns whether two JSON numbers have the same value. */
export function numbersEqual(a: JsonNumber, b: JsonNumber): boolean {
  const [x, y] = [exact(a), exact(b)];
  return x !== undefined && y !== undefined ? x === y : asFloat(a) === asFloat(b);
}

/** Returns `number` as an integer, if it is one of at most 64 bits. */
export function exact(number: JsonNumber): bigint | undefined {
  if (typeof number === "bigint") {
    return number;
  }
  const float = asFloat(number);
  return Number.isInteger(float) && Math.abs(float) < BEYOND ? BigInt(float) : undefined;
}

/** Returns the JSON text of a number. */
export function numberText(number: JsonNumber): string {
  if (number instanceof Float) {
    return floatText(number.value);
  }
  return typeof number === "bigint" || Number.isInteger(number) ? String(number) : floatText(number);
}

/** Returns the JSON text of a float. */
function floatText(float: number): string {
  const size = Math.abs(float);
  if (size >= 1 && size < 1e15) {
    return Number.isInteger(float) ? `${String(float)}.0` : String(float);
  }
  const exponential = float.toExponential();
  const exponent = Number(exponential.slice(exponential.indexOf("e") + 1));
  if (exponent < -5 || exponent > 15) {
    return exponential;
  }
  const digits = Object.is(float, -0) ? "-0" : String(float);
  return Number.isInteger(float) ? `${digits}.0` : digits;
}
