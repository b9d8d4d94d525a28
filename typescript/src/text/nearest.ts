/**
 * Suggestions of similar names ("did you mean").
 *
 * @module
 */

import { folded } from "./names.ts";
import { byteLength, compareText } from "./utf8.ts";

/** Longer names are ignored, because the time is quadratic in their length. */
const MAX_BYTES = 128;
const MAX_WORDS = 12;
const MAX_SUGGESTIONS = 3;

type Ranked = readonly [distance: number, name: string];

/**
 * Returns up to three of `candidates` that `name` probably is a misspelling of, the most similar first.
 *
 * A candidate is similar if at most a third of its letters differ (swapped neighbours count as one difference; case, and `-` instead
 * of `_`, are ignored), or if one name is a prefix of the other and has at least three letters.
 */
export function nearest(name: string, candidates: Iterable<string>): string[] {
  return ranked(name, candidates).map(([, candidate]) => candidate);
}

/** Returns up to three similar candidates with the number of letters that differ, the most similar first. */
function ranked(name: string, candidates: Iterable<string>): Ranked[] {
  const similar: Ranked[] = [];
  if (byteLength(name) > MAX_BYTES) {
    return similar;
  }
  const wanted = folded(name);
  for (const candidate of candidates) {
    if (byteLength(candidate) > MAX_BYTES) {
      continue;
    }
    const other = folded(candidate);
    const distance = osaDistance(wanted, other);
    const lengths = [byteLength(wanted), byteLength(other)];
    const [short, long] = [Math.min(...lengths), Math.max(...lengths)];
    const isClose = distance * 3 <= Math.max(long, 3) && distance < long;
    if (isClose || (short >= 3 && (wanted.startsWith(other) || other.startsWith(wanted)))) {
      insertRanked(similar, [distance, candidate]);
    }
  }
  return similar;
}

/** Inserts an entry into a sorted list of at most three, unless it is there. */
function insertRanked(list: Ranked[], entry: Ranked): void {
  const order = (other: Ranked): number => other[0] - entry[0] || compareText(other[1], entry[1]);
  const at = list.findIndex((other) => order(other) >= 0);
  const next = list[at];
  if (next === undefined || order(next) !== 0) {
    list.splice(at < 0 ? list.length : at, 0, entry);
    list.length = Math.min(list.length, MAX_SUGGESTIONS);
  }
}

/**
 * Does the same as {@link nearest} for names of several words, such as the names of tools: also finds the same words in another order, form or
 * number (`fileSearch` for `search_files`), and names with more words or fewer (`fs_read_file`).
 */
export function nearestName(name: string, candidates: Iterable<string>): string[] {
  const all = [...candidates];
  const wanted = words(name);
  const similar: Ranked[] = [];
  for (const candidate of all) {
    const more = additionalWords(wanted, words(candidate));
    if (more !== undefined) {
      insertRanked(similar, [more, candidate]);
    }
  }
  const same = similar.filter(([more]) => more === 0).map(([, candidate]) => candidate);
  if (same.length > 0) {
    return same;
  }
  const near = nearest(name, all);
  const others = similar.map(([, candidate]) => candidate).filter((candidate) => !near.includes(candidate));
  return [...near, ...others].slice(0, MAX_SUGGESTIONS);
}

/** Returns how many words one of two names has in addition to all words of the other, or `undefined` if neither has all of them. */
function additionalWords(one: readonly string[], other: readonly string[]): number | undefined {
  const [few, many] = one.length <= other.length ? [one, other] : [other, one];
  const isSimilar = (a: string, b: string): boolean => a === b || (byteLength(a) > 4 && osaDistance(a, b) < 2);
  const rest = [...many];
  for (const word of few) {
    const at = rest.findIndex((candidate) => isSimilar(word, candidate));
    if (at < 0) {
      return undefined;
    }
    rest.splice(at, 1);
  }
  // A short word, such as `get`, says little.
  return few.reduce((sum, word) => sum + byteLength(word), 0) > 3 ? rest.length : undefined;
}

/** Returns the words of a name in lower case and in the singular, without words such as `tool`. */
function words(name: string): string[] {
  const found = [""];
  let wasLower = false;
  let count = 0;
  for (const letter of name) {
    count += 1;
    if (count > MAX_BYTES) {
      break;
    }
    const isWord = /[\p{Alphabetic}\p{N}]/u.test(letter);
    if (!isWord || (/\p{Uppercase}/u.test(letter) && wasLower)) {
      found.push("");
    }
    if (isWord) {
      found.push((found.pop() ?? "") + letter.toLowerCase());
    }
    wasLower = /\p{Lowercase}/u.test(letter);
  }
  return found
    .map(singular)
    .filter((word) => word !== "" && word !== "tool" && word !== "function")
    .slice(0, MAX_WORDS);
}

function singular(word: string): string {
  const stem = word.slice(0, -1);
  return word.endsWith("s") && byteLength(stem) > 2 && !stem.endsWith("s") ? stem : word;
}

/** Returns the question "did you mean `a` or `b`?", or `undefined` if `near` is empty. */
export function didYouMean(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `did you mean ${near.map((name) => `\`${name}\``).join(" or ")}?`;
}

/**
 * Returns the question about `name` with a colon before it, to append to the message that `name` is unknown. It is empty if no candidate is
 * similar.
 */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const question = didYouMean(nearestName(name, candidates));
  return question === undefined ? "" : `: ${question}`;
}

/** The maximum number of names that a message lists. */
const MAX_LISTED = 20;

/** Returns what {@link suggestion} does, or the known names if none of them is similar. `noun` says what they are, such as "tools". */
export function suggestionOrNames(name: string, noun: string, known: readonly string[]): string {
  const more = known.length - MAX_LISTED;
  const listed = known.slice(0, MAX_LISTED).map((one) => `\`${one}\``).join(", ") + (more > 0 ? ` and ${String(more)} more` : "");
  return suggestion(name, known) || (known.length === 0 ? "" : `: the known ${noun} are ${listed}`);
}

/** Returns the number of letters to add, remove, replace or swap with their neighbour (optimal string alignment). */
function osaDistance(one: string, other: string): number {
  const [a, b] = [Array.from(one), Array.from(other)];
  let before: number[] = [];
  let last = b.map((_, at) => at).concat(b.length);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] !== b[j - 1] && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
