/**
 * Invisible characters.
 *
 * @module
 */

/**
 * Invisible characters, which split a token for a program but not for a model: control characters, those that Unicode lets programs
 * ignore (`Default_Ignorable_Code_Point`), and those for annotations.
 */
const RANGES =
  "\\u{0}-\\u{8}\\u{b}-\\u{c}\\u{e}-\\u{1f}\\u{7f}-\\u{9f}\\u{ad}\\u{34f}\\u{61c}\\u{115f}-\\u{1160}\\u{17b4}-\\u{17b5}" +
  "\\u{180b}-\\u{180f}\\u{200b}-\\u{200f}\\u{202a}-\\u{202e}\\u{2060}-\\u{206f}\\u{3164}\\u{fe00}-\\u{fe0f}\\u{feff}" +
  "\\u{ffa0}\\u{fff0}-\\u{fffb}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";

const INVISIBLE = new RegExp(`[${RANGES}]`, "gu");

/** Returns a text without invisible characters. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}
