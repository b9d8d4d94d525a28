/**
 * Comparisons with the bounds of a schema, which do not round integers.
 *
 * @module
 */

import { asFloat, BEYOND, exact, fromFloat, type JsonNumber, whole } from "../number.ts";
import { characterCount } from "../text/utf8.ts";
import type { Bounds } from "./table.ts";

/** The number of integers that are tried at a bound. It limits the search for an integer that is a multiple of a fraction. */
const MAX_TRIED = 1000;
const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;
const U64_MAX = 2n ** 64n - 1n;

/** Returns whether `number` is within the bounds. */
export function within(number: JsonNumber, bounds: Bounds): boolean {
  return (
    (bounds.minimum === undefined || compare(number, bounds.minimum) >= 0) &&
    (bounds.maximum === undefined || compare(number, bounds.maximum) <= 0) &&
    (bounds.exclusiveMinimum === undefined || compare(number, bounds.exclusiveMinimum) > 0) &&
    (bounds.exclusiveMaximum === undefined || compare(number, bounds.exclusiveMaximum) < 0) &&
    (bounds.multipleOf === undefined || isMultiple(number, bounds.multipleOf))
  );
}

type Side = "lower" | "upper";

/** Returns the allowed number that is nearest to `number`, if `number` is beyond the bounds of one side. */
export function nearestAllowed(number: JsonNumber, bounds: Bounds, isInteger: boolean): JsonNumber | undefined {
  const is = (bound: JsonNumber | undefined, isBeyond: (order: number) => boolean): boolean =>
    bound !== undefined && isBeyond(compare(number, bound));
  const isBelow = is(bounds.minimum, (order) => order < 0) || is(bounds.exclusiveMinimum, (order) => order <= 0);
  const isAbove = is(bounds.maximum, (order) => order > 0) || is(bounds.exclusiveMaximum, (order) => order >= 0);
  return isBelow === isAbove ? undefined : outermost(bounds, isBelow ? "lower" : "upper", isInteger);
}

/**
 * Returns the outermost number on a side that the bounds allow. There is none if the side has no bound, or if numbers come ever closer
 * to an exclusive bound.
 */
function outermost(bounds: Bounds, side: Side, isInteger: boolean): JsonNumber | undefined {
  const both = side === "lower" ? [bounds.minimum, bounds.exclusiveMinimum] : [bounds.maximum, bounds.exclusiveMaximum];
  for (const bound of both) {
    if (bound !== undefined) {
      const candidates = (isInteger ? integersFrom : numbersFrom)(bound, side, bounds.multipleOf);
      for (const candidate of candidates) {
        if (within(candidate, bounds)) {
          return candidate;
        }
      }
    }
  }
  return undefined;
}

/** Yields the integers at a bound, from the outside. */
function* integersFrom(bound: JsonNumber, side: Side, step: JsonNumber | undefined): Generator<JsonNumber> {
  const exactStep = (step === undefined ? undefined : exact(step)) ?? 1n;
  const stride = exactStep > 1n ? exactStep : 1n;
  const sign = side === "lower" ? -1n : 1n;
  const isInteger = typeof bound === "bigint" || (typeof bound === "number" && Number.isInteger(bound));
  const first = isInteger ? sign * BigInt(bound) : floor(Number(sign) * asFloat(bound));
  const quotient = first / stride - (first % stride < 0n ? 1n : 0n);
  for (let index = 0n; index < BigInt(MAX_TRIED); index += 1n) {
    const integer = sign * (quotient - index) * stride;
    if (integer < I64_MIN || integer > U64_MAX) {
      return;
    }
    const number = Number(integer);
    yield Number.isSafeInteger(number) ? number : integer;
  }
}

/** Rounds down to an integer of 64 bits. */
function floor(float: number): bigint {
  const integer = BigInt(Math.floor(float));
  return integer < I64_MIN ? I64_MIN : integer > I64_MAX ? I64_MAX : integer;
}

/** Yields an inclusive bound, and the multiples of `step` at a bound, from the outside. */
function* numbersFrom(bound: JsonNumber, side: Side, step: JsonNumber | undefined): Generator<JsonNumber> {
  yield bound;
  const size = step === undefined ? 0 : asFloat(step);
  if (size <= 0) {
    return;
  }
  // 3 / 10 is 0.3, and 3 * 0.1 is not.
  const parts = roundHalfAway(1 / size);
  const isPart = parts >= 1 && Math.abs(parts * size - 1) <= Number.EPSILON;
  const quotient = asFloat(bound) / size;
  const [first, inward] = side === "lower" ? [Math.ceil(quotient), 1] : [Math.floor(quotient), -1];
  for (const count of [first, first + inward]) {
    const multiple = isPart ? count / parts : count * size;
    if (Number.isFinite(multiple)) {
      yield whole(multiple) ?? fromFloat(multiple);
    }
  }
}

/** Rounds to the nearest integer, and halves away from zero, as Rust does. */
function roundHalfAway(float: number): number {
  const size = Math.abs(float);
  const below = Math.floor(size);
  return Math.sign(float) * (size - below >= 0.5 ? below + 1 : below);
}

/** Compares two numbers by value: exactly if both are integers, in any spelling. */
export function compare(number: JsonNumber, bound: JsonNumber): number {
  if (typeof number === "number" && typeof bound === "number") {
    return number - bound;
  }
  const [a, b] = [exact(number), exact(bound)];
  if (a !== undefined && b !== undefined) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  const float = asFloat(number);
  // It is beyond all integers of 64 bits. As a float, the largest of them is 2^64.
  return a === undefined && b !== undefined && Math.abs(float) >= BEYOND ? float : float - asFloat(bound);
}

function isMultiple(number: JsonNumber, step: JsonNumber): boolean {
  if (typeof number === "number" && typeof step === "number" && Number.isInteger(number) && Number.isInteger(step)) {
    return step === 0 || number % step === 0;
  }
  const [integer, size] = [exact(number), exact(step)];
  if (size === 0n) {
    return true;
  }
  if (size !== undefined) {
    // The remainder of two floats is exact for any size.
    return integer === undefined ? asFloat(number) % asFloat(step) === 0 : integer % size === 0n;
  }
  // 0.3 should count as a multiple of 0.1.
  const quotient = asFloat(number) / asFloat(step);
  const rounded = roundHalfAway(quotient);
  // The tolerance is the rounding error of the division.
  const isNear = Math.abs(quotient - rounded) <= 4 * Number.EPSILON * Math.abs(quotient);
  return isNear && (rounded !== 0 || quotient === 0);
}

/** Returns whether the length of `text`, in code points, is within bounds. */
export function fitsLength(text: string, { minLength, maxLength }: Bounds): boolean {
  if (minLength === undefined && maxLength === undefined) {
    return true;
  }
  // A code point has one or two units, so most texts need not be counted.
  const isLong = minLength === undefined || minLength <= text.length / 2;
  const isShort = maxLength === undefined || text.length <= maxLength;
  return (isLong && isShort) || isInRange(characterCount(text), minLength, maxLength);
}

/** Returns whether `count` is within bounds. */
export function isInRange(count: number, least: number | undefined, most: number | undefined): boolean {
  return (least === undefined || count >= least) && (most === undefined || count <= most);
}

