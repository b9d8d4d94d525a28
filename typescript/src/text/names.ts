/**
 * Spellings of names.
 *
 * @module
 */

import { asciiLower } from "./utf8.ts";

/** Returns whether two names are equal without regard to ASCII case, `_`, `-` and spaces: `filePath`, `FILE_PATH` and `file-path`. */
export function sameName(a: string, b: string): boolean {
  const name = significantName(a);
  return name !== "" && name === significantName(b);
}

/**
 * Returns whether two names are equal without regard to ASCII case, and if `-` and `_` are the same: `read-file` and `Read_File`, but
 * not `readfile`.
 */
export function sameSpelling(a: string, b: string): boolean {
  return a.length === b.length && folded(a) === folded(b);
}

/** Returns a name in lower case, with `_` for `-`. */
export function folded(name: string): string {
  return asciiLower(name).replaceAll("-", "_");
}

/** Returns what {@link sameName} compares. No name is the same as one of which nothing remains. */
export function significantName(name: string): string {
  return asciiLower(/[_\- ]/.test(name) ? name.replace(/[_\- ]+/g, "") : name);
}
