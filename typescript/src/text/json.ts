/**
 * Writing strings as JSON.
 *
 * @module
 */

const SPECIAL = /["\\\u0000-\u001f]/g;
const SHORT: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

/** Returns `text` as a JSON string, with quotes. */
export function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

/** Returns `text`, escaped for a JSON string, without quotes. */
export function escaped(text: string): string {
  const escape = (letter: string): string =>
    SHORT.get(letter) ?? `\\u00${letter.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return text.replace(SPECIAL, escape);
}
