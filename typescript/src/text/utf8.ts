/**
 * Lengths, order and white space of texts as Rust defines them: by bytes of UTF-8 and by the properties of Unicode.
 *
 * @module
 */

/** Returns the number of bytes of `text` in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) {
      // Half of a pair of units, which has four bytes.
      bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
    }
  }
  return bytes;
}

/** Returns the longest beginning of `text` that has at most `max` bytes. */
export function beginningOfBytes(text: string, max: number): string {
  if (text.length * 3 <= max) {
    return text;
  }
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    if (bytes > max) {
      return text.slice(0, at);
    }
    at += code < 0x1_0000 ? 1 : 2;
  }
  return text;
}

/** Returns the number of code points. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    count -= unit >= 0xdc00 && unit < 0xe000 ? 1 : 0;
  }
  return count;
}

/** Returns the position after the first `count` code points, or `undefined` if the text has no more than these. */
export function positionOf(text: string, count: number): number | undefined {
  let at = 0;
  for (let left = count; left > 0 && at < text.length; left -= 1) {
    at += (text.codePointAt(at) ?? 0) < 0x1_0000 ? 1 : 2;
  }
  return at < text.length ? at : undefined;
}

/** Compares two texts by their code points, which is the order of their bytes. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) {
      // Halves of pairs come after all other units.
      const [xIsHalf, yIsHalf] = [isHalf(x), isHalf(y)];
      return xIsHalf === yIsHalf ? x - y : xIsHalf ? 1 : -1;
    }
  }
  return a.length - b.length;
}

function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}

function isSpace(unit: number): boolean {
  return (
    unit === 0x20 ||
    (unit >= 0x09 && unit <= 0x0d) ||
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

/** Removes the white space of Unicode around a text. */
export function trim(text: string): string {
  return trimStart(trimEnd(text));
}

/** Removes the white space of Unicode at the beginning of a text. */
export function trimStart(text: string): string {
  let at = 0;
  while (at < text.length && isSpace(text.charCodeAt(at))) {
    at += 1;
  }
  return at === 0 ? text : text.slice(at);
}

/** Removes the white space of Unicode at the end of a text. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) {
    end -= 1;
  }
  return text.slice(0, end);
}

/** Returns the text with the letters of ASCII in lower case. */
export function asciiLower(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;
}

/** Returns whether two texts are equal without regard to the case of ASCII. */
export function equalsIgnoringCase(a: string, b: string): boolean {
  return a === b || (a.length === b.length && asciiLower(a) === asciiLower(b));
}

/** Returns the text, with U+FFFD for half of a character of UTF-16. Rust has no such texts. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
