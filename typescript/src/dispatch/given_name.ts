/**
 * The look-up of a name that a model or a person gave, which may be another spelling of a name or an alias.
 *
 * Such a name means a tool only if it is unambiguous. Names come before aliases.
 *
 * @module
 */

import { sameSpelling } from "../text/names.ts";
import { byteLength, trim, trimEnd, trimStart } from "../text/utf8.ts";

/** The namespaces that models put before the names of tools, because functions had them in the training data. */
const NAMESPACES = ["functions", "default_api"] as const;
/** What models write between a namespace and a name. */
const SEPARATORS = [".", "::", ":", "/"] as const;
/** The delimiters of the tokens of chat templates. GPT writes `<|channel|>` after a name. */
const TOKENS = [
  ["<|", "|>"],
  ["<｜", "｜>"],
] as const;
/** The maximum length of a name that may be corrected, in bytes. */
const MAX_BYTES = 256;

/** Returns whether a given name is another spelling of `name`. */
export type Fits = (name: string) => boolean;

/** Returns what a given name fits, or `undefined` for a name that is too long to be corrected. */
export function fitsOf(given: string): Fits | undefined {
  if (byteLength(given) > MAX_BYTES) {
    return undefined;
  }
  const bare = undecorated(given);
  return (name) => sameSpelling(given, name) || (bare !== undefined && sameSpelling(bare, name));
}

/** Returns the only item for which a predicate holds. */
export function only<T>(items: readonly T[], is: (item: T) => boolean): T | undefined {
  const [first, ...more] = items.filter(is);
  return more.length === 0 ? first : undefined;
}

/**
 * Removes what models and servers are known to add to a name: white space, tokens of a chat template and what follows them, the number of the
 * call, and a namespace. Returns `undefined` if nothing was added, or nothing remains.
 */
export function undecorated(name: string): string | undefined {
  // Kimi appends the number of the call.
  const text = withoutTokens(name).replace(/:[0-9]+$/, "");
  const bare = trim(withoutPrefix(text));
  return bare !== "" && bare !== name ? bare : undefined;
}

/** Returns a text without the tokens of a chat template at its beginning, and without what follows a later one. */
function withoutTokens(name: string): string {
  let text = trim(name);
  for (let rest = afterToken(text); rest !== undefined; rest = afterToken(text)) {
    text = rest;
  }
  const ends = TOKENS.map(([open]) => text.indexOf(open)).filter((at) => at >= 0);
  return trimEnd(text.slice(0, Math.min(text.length, ...ends)));
}

function afterToken(text: string): string | undefined {
  for (const [open, close] of TOKENS) {
    const end = text.startsWith(open) ? text.indexOf(close, open.length) : -1;
    if (end >= 0) {
      return trimStart(text.slice(end + close.length));
    }
  }
  return undefined;
}

/** Returns a name without the prefix that models are known to put before it. */
function withoutPrefix(name: string): string {
  const namespace = NAMESPACES.find((namespace) => name.startsWith(namespace)) ?? "";
  const rest = name.slice(namespace.length);
  const separator = namespace === "" ? undefined : SEPARATORS.find((separator) => rest.startsWith(separator));
  const bare = separator === undefined ? "" : rest.slice(separator.length);
  return bare === "" ? name : bare;
}
