/**
 * Sets of characters, as sorted ranges of code points.
 *
 * @module
 */

/** The first and the last character. */
export type Range = readonly [first: number, last: number];

/** A set of characters. */
export interface CharSet {
  /** Sorted ranges that do not touch. */
  readonly ranges: readonly Range[];
  /** A bit for each character of ASCII. */
  readonly ascii: Uint32Array;
}

/** The last code point. */
const LAST = 0x10_ffff;

/** Returns the set of these ranges. */
export function setOf(ranges: readonly Range[]): CharSet {
  const merged = normalized(ranges);
  const ascii = new Uint32Array(4);
  for (const [first, last] of merged) {
    for (let code = first; code <= Math.min(last, 0x7f); code += 1) {
      ascii[code >> 5] = (ascii[code >> 5] ?? 0) | (1 << (code & 31));
    }
  }
  return { ranges: merged, ascii };
}

/** Returns all that is between these ranges. */
export function complement(ranges: readonly Range[]): readonly Range[] {
  const others: Range[] = [];
  let from = 0;
  for (const [first, last] of normalized(ranges)) {
    if (from < first) {
      others.push([from, first - 1]);
    }
    from = last + 1;
  }
  if (from <= LAST) {
    others.push([from, LAST]);
  }
  return others;
}

function normalized(ranges: readonly Range[]): readonly Range[] {
  const merged: Range[] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = merged[merged.length - 1];
    if (before !== undefined && first <= before[1] + 1) {
      merged[merged.length - 1] = [before[0], Math.max(before[1], last)];
    } else {
      merged.push([first, last]);
    }
  }
  return merged;
}

/** Returns whether a set contains a character. */
export function contains({ ranges, ascii }: CharSet, code: number): boolean {
  if (code < 0x80) {
    return (((ascii[code >> 5] ?? 0) >>> (code & 31)) & 1) === 1;
  }
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] ?? [0, 0];
    if (code < first) {
      high = middle;
    } else if (code > last) {
      low = middle + 1;
    } else {
      return true;
    }
  }
  return false;
}
