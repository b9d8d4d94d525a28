/**
 * Reading arguments: parses the model's JSON text, repairs it toward a table, and validates it, so that an error lists all problems.
 *
 * @module
 */

import type { Table } from "../data/table.ts";
import { type Problem, ToolError } from "../result/error.ts";
import { byteLength, trim } from "../text/utf8.ts";
import type { Value } from "../value.ts";
import { restoreStrings } from "./digits.ts";
import { dropAbsent } from "./null_absence.ts";
import { type Opened, parseArguments } from "./open.ts";
import { type Limits, Reader } from "./reader.ts";
import { repairArguments } from "./repair.ts";
import { JsonError, OUT_OF_RANGE, TOO_DEEP } from "./tree.ts";
import { areValid, type Problems, problemsOf } from "./validate.ts";

/** Valid arguments, and whether something has been repaired in them. */
export interface ReadArguments {
  readonly value: Value;
  readonly isRepaired: boolean;
}

/**
 * Parses, repairs and validates the arguments in `text`, a JSON object as the model wrote it. Returns an error of the kind
 * `malformed_arguments` if `text` is not JSON, too large or too deep, or repeats a key, and of the kind `invalid_arguments` with all problems
 * if the arguments do not satisfy the table even after repair.
 */
export function readArguments(text: string, table: Table, limits: Limits): ReadArguments | ToolError {
  try {
    return readWithin(text, table, limits);
  } catch (error) {
    if (error instanceof RangeError) {
      // The stack of the engine is smaller than this table needs for this text.
      return invalid({ listed: [], more: 0 });
    }
    throw error;
  }
}

function readWithin(text: string, table: Table, limits: Limits): ReadArguments | ToolError {
  const bytes = byteLength(text);
  if (bytes > limits.maxBytes) {
    return malformed(`they have ${String(bytes)} bytes, but at most ${String(limits.maxBytes)} are allowed`);
  }
  const parse = (): Opened | JsonError => parseArguments(text, limits.maxDepth);
  const sent = parse();
  if (sent instanceof JsonError) {
    return unreadable(text, sent, limits);
  }
  const reader = new Reader(table, limits);
  let value = repairArguments(reader, sent.value);
  const isRepaired = sent.rule !== undefined || reader.changed;
  if (reader.hasSpelled) {
    value = restoreStrings(text, value, table);
  }
  value = dropAbsent(reader, value);
  if (areValid(reader, value)) {
    return { value, isRepaired };
  }
  // The errors name places in what the model sent, which is parsed again because most arguments need no error.
  const again = parse();
  const error = invalid(problemsOf(reader, value, again instanceof JsonError ? value : again.value));
  return trim(text) === "" ? empty(error) : error;
}

function malformed(reason: string, problems: readonly Problem[] = []): ToolError {
  return new ToolError(`failed to read the arguments: ${reason}`, "malformed_arguments", problems);
}

/** Returns the error for no text at all, where `error` has the arguments that are missing. */
function empty(error: ToolError): ToolError {
  return malformed(`they are empty. Send a JSON object: ${error.message}`, error.problems);
}

function unreadable(text: string, error: JsonError, limits: Limits): ToolError {
  const { reason, message } = error;
  const { line, column } = error.place;
  const place = `at line ${String(line)} column ${String(column)}`;
  if (error.isCutOff) {
    return malformed(`the JSON is cut off ${place}. Send the complete call again`);
  }
  // These messages are not useful to a model. The text is not quoted, because it may contain secrets.
  if (reason === "expected ident" || reason === "expected value") {
    return malformed(`invalid JSON ${place}. Send one JSON object`);
  }
  if (reason === "trailing characters") {
    const what = trailing(text, line, column);
    return malformed(`${what} follows the JSON value ${place}. Send one JSON object for each call`);
  }
  if (reason.startsWith(TOO_DEEP)) {
    return malformed(`${message}: at most ${String(limits.maxDepth)} levels are allowed`);
  }
  const range = "numbers must be between -1.7976931348623157e308 and 1.7976931348623157e308";
  return malformed(reason.startsWith(OUT_OF_RANGE) ? `${message}: ${range}` : `${message}. Send one JSON object`);
}

/** Describes what follows the JSON value, at a column in bytes. */
function trailing(text: string, line: number, column: number): string {
  const found = text.split("\n")[line - 1] ?? "";
  let [at, bytes] = [0, 1];
  while (bytes < column && at < found.length) {
    const letter = String.fromCodePoint(found.codePointAt(at) ?? 0);
    [at, bytes] = [at + letter.length, bytes + byteLength(letter)];
  }
  const next = found.charAt(at);
  if (next === "{") {
    return "another object, which differs from it,";
  }
  return next === "}" || next === "]" ? "a bracket too many" : "other text";
}

function invalid({ listed, more }: Problems): ToolError {
  // The budget or the stack may have been exhausted before validation could find a problem.
  const exhausted: Problem = { path: "", expected: "something simpler", got: "too much to check" };
  const problems = listed.length > 0 ? listed : [exhausted];
  const described = problems.map(({ path, expected, got }) => {
    return `${path}${path === "" ? "" : ": "}expected ${expected}, got ${got}`;
  });
  const rest = more > 0 ? `; and ${String(more)} more` : "";
  return new ToolError(`invalid arguments: ${described.join("; ")}${rest}`, "invalid_arguments", problems);
}
