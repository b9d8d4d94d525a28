/**
 * Definitions of tools: texts with pieces that depend on the tools and facts of a turn.
 *
 * @module
 */

import { escaped } from "../text/json.ts";
import { trim, trimEnd } from "../text/utf8.ts";
import { type Circumstances, type Condition, holds, readCondition } from "./condition.ts";
import type { Part } from "./decode.ts";

/** A text that is only included if a condition holds. */
interface Conditional {
  readonly when: Condition;
  readonly text: Definition;
}

type Piece =
  | string
  | Conditional
  /** The value of a fact. */
  | { readonly fact: string }
  /** A list of the texts whose condition holds. */
  | { readonly join: readonly Conditional[]; readonly with: string }
  /** The first text whose condition holds. */
  | { readonly first: readonly Conditional[]; readonly otherwise: Definition }
  /** The sentences of a comment. */
  | { readonly comment: readonly Definition[]; readonly indent: number };

/** The pieces of a text, in order. */
export type Definition = readonly Piece[];

/** Reads the pieces of a definition. */
export function readDefinition(part: Part): Definition {
  return part.items.map(readPiece);
}

function readPiece(part: Part): Piece {
  if (typeof part.value === "string") {
    return part.value;
  }
  const { map } = part;
  if (map.has("when")) {
    return readConditional(part);
  }
  if (map.has("fact")) {
    return { fact: part.get("fact").string };
  }
  if (map.has("join")) {
    return { join: part.each("join").map(readConditional), with: part.get("with").string };
  }
  if (map.has("first")) {
    const otherwise = part.maybe("otherwise");
    const texts = part.each("first").map(readConditional);
    return { first: texts, otherwise: otherwise === undefined ? [] : readDefinition(otherwise) };
  }
  if (map.has("comment")) {
    return { comment: part.each("comment").map(readDefinition), indent: part.get("indent").count };
  }
  return part.fail("a piece of a text");
}

function readConditional(part: Part): Conditional {
  const text = part.get("text");
  const pieces = typeof text.value === "string" ? [text.value] : readDefinition(text);
  return { when: readCondition(part.get("when")), text: pieces };
}

/** Returns the text of a definition in a turn. If `isJson`, values of facts are inside of JSON strings. */
export function render(definition: Definition, circumstances: Circumstances, isJson: boolean): string {
  const text = (pieces: Definition): string => render(pieces, circumstances, isJson);
  const isShown = ({ when }: Conditional): boolean => holds(when, circumstances);
  const piece = (one: Piece): string => {
    if (typeof one === "string") {
      return one;
    }
    if ("when" in one) {
      return isShown(one) ? text(one.text) : "";
    }
    if ("fact" in one) {
      const value = String(circumstances.facts.get(one.fact) ?? "");
      return isJson ? escaped(value) : value;
    }
    if ("join" in one) {
      const shown = one.join.filter(isShown);
      return shown.map((each) => text(each.text)).join(one.with);
    }
    if ("first" in one) {
      return text(one.first.find(isShown)?.text ?? one.otherwise);
    }
    return comment(one.comment.map(text), " ".repeat(one.indent));
  };
  return definition.map(piece).join("");
}

/** The characters that are escaped in comments: those that control a terminal, are invisible, or change the direction of text. */
const ESCAPED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the sentences as a comment, so that no text can end the comment early. */
function comment(sentences: readonly string[], indent: string): string {
  let text = "";
  for (const sentence of sentences) {
    if (trim(sentence) !== "") {
      text += text === "" || trim(text.slice(-1)) === "" ? sentence : ` ${sentence}`;
    }
  }
  const safe = text
    .replaceAll("\r", "")
    .replaceAll("\t", " ")
    .replaceAll("*/", "*\\/")
    .replace(/[\u2028\u2029\u0085]/g, "\n")
    .replace(ESCAPED, (letter) => `\\u{${letter.charCodeAt(0).toString(16)}}`);
  const [first = "", ...rest] = trim(safe).split("\n").map(trimEnd);
  if (first !== "" && rest.length === 0 && !/^[@/*]/.test(first)) {
    return `/** ${first} */`;
  }
  const lines = [first, ...rest].map((line) => `\n${indent} *${line === "" ? "" : " "}${line}`);
  return `/**${lines.join("")}\n${indent} */`;
}
