/**
 * Errors of calls, which the model gets as JSON.
 *
 * @module
 */

import { quoted } from "../text/json.ts";
import { jsonText } from "../text/write.ts";
import { MAX_CHARS, scrub } from "./scrub.ts";

/** The maximum length of each text of a problem, in characters. Problems contain keys that the model made up. */
const MAX_PROBLEM_CHARS = 500;

/** The keys of an error's JSON that are not fields. */
const OWN_KEYS: ReadonlySet<string> = new Set(["error", "kind", "problems"]);

/** The kind of a {@link ToolError}, which programs can match on. */
export type ErrorKind =
  /** The arguments are not a valid JSON object, or exceed the limits on size and depth. */
  | "malformed_arguments"
  /** The arguments do not satisfy the tool's schema: see {@link ToolError.problems}. */
  | "invalid_arguments"
  /** The turn has no tool of this name. */
  | "unknown_tool"
  /** The handler failed. */
  | "failed"
  /** The handler refused the call for safety, for example because of a path or a command. */
  | "refused"
  /** A resource that the call needs, such as a file, does not exist. */
  | "not_found"
  /** The call exceeded its time limit. */
  | "timeout"
  /** The host cancelled the call. */
  | "cancelled";

/** A problem with the arguments of a call. */
export interface Problem {
  /** The path of the value: a JSON Pointer (RFC 6901) into the arguments. Empty for the arguments as a whole. */
  readonly path: string;
  /** A description of what the schema requires. */
  readonly expected: string;
  /** A description of the actual value. Long values are truncated. */
  readonly got: string;
}

/** The error of a failed call. A handler can throw it to choose the kind, and what the model gets. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly kind: ErrorKind;
  /** The problems of the arguments. */
  readonly problems: readonly Problem[];
  /** What the model can act on, such as an exit code or the path of a log. */
  readonly fields: Readonly<Record<string, unknown>>;

  /**
   * @param message - The message for the model. It should say what to do instead.
   * @param kind - The kind of the error.
   * @param problems - The problems of the arguments.
   * @param fields - What the model can act on. A field with the name of one of the error's own keys gets a `_` at the end of its name.
   */
  constructor(
    message: string,
    kind: ErrorKind = "failed",
    problems: readonly Problem[] = [],
    fields: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.kind = kind;
    this.problems = problems;
    const own = (name: string): string => (OWN_KEYS.has(name) ? `${name}_` : name);
    this.fields = Object.fromEntries(Object.entries(fields).map(([name, value]) => [own(name), value]));
    // A value that contains itself is an error here, where the handler is, and not where the text is needed.
    jsonText(this.fields);
  }

  /**
   * The JSON text that the model gets. Its strings are scrubbed of anything that a model could mistake for structure, such as tags, and
   * truncated: the message to 2,000 characters, each text of a problem to 500. A field whose JSON is longer than 2,000 characters becomes a
   * string with the beginning of it.
   */
  get text(): string {
    const problem = ({ path, expected, got }: Problem): string => {
      const [p, e, g] = [path, expected, got].map((text) => quoted(scrub(text.toWellFormed(), MAX_PROBLEM_CHARS)));
      return `{"path":${p ?? ""},"expected":${e ?? ""},"got":${g ?? ""}}`;
    };
    const problems = this.problems.length === 0 ? "" : `,"problems":[${this.problems.map(problem).join(",")}]`;
    const message = quoted(scrub(this.message.toWellFormed(), MAX_CHARS));
    const fields = Object.entries(this.fields).map(([name, value]) => {
      return `,${quoted(scrub(name.toWellFormed(), MAX_PROBLEM_CHARS))}:${fieldText(value)}`;
    });
    return `{"error":${message},"kind":${quoted(this.kind)}${problems}${fields.join("")}}`;
  }
}

function fieldText(value: unknown): string {
  const text = jsonText(value, (part) => scrub(part, MAX_CHARS));
  return typeof value === "string" || Array.from(text).length <= MAX_CHARS ? text : quoted(scrub(text, MAX_CHARS));
}
