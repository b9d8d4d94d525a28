/**
 * Google: `generateContent`. The types fit those of the package `@google/genai`.
 *
 * @module
 */

import type { Handlers, Turn } from "../turn.ts";
import { checkDialect, type FoundCall, runCalls, type RunOptions, valueOf } from "./calls.ts";

export type { RunOptions } from "./calls.ts";

/** The definition of a function. In the dialect `gemini-openapi`, it also has `parameters`. */
export interface GoogleDeclaration {
  name: string;
  description?: string;
  parametersJsonSchema?: unknown;
}

/** A call of a function. */
export interface GoogleCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Record<string, unknown>;
}

/** A response. The calls of its first candidate are run. */
export interface GoogleResponse {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly { readonly functionCall?: GoogleCall }[] };
  }[];
}

/** The result of a call. */
export interface GoogleResult {
  functionResponse: { id?: string; name: string; response: Record<string, unknown> };
}

/** A content with results of calls. */
export interface GoogleResults {
  role: "user";
  parts: GoogleResult[];
}

/**
 * Returns the tools for `config.tools` of a request: one that declares all functions, or none if there are no functions.
 *
 * @throws A `TypeError` if the turn has another dialect than `gemini` or `gemini-openapi`.
 */
export function googleTools(turn: Turn): { functionDeclarations: GoogleDeclaration[] }[] {
  checkDialect(turn, "generateContent", ["gemini", "gemini-openapi"]);
  const functionDeclarations = [...turn.definitions] as GoogleDeclaration[];
  return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }];
}

/**
 * Runs the calls of a response, and returns what follows its content in the conversation: a content with all results, or nothing if there
 * are no calls.
 */
export async function runGoogleCalls(
  turn: Turn,
  response: GoogleResponse,
  handlers: Handlers,
  options: RunOptions = {},
): Promise<GoogleResults[]> {
  const parts = response.candidates?.[0]?.content?.parts ?? [];
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  const found = calls.map(({ name = "", args }): FoundCall => ({ name, input: args }));
  const answers = await runCalls(turn, found, handlers, options);
  const results = answers.map((answer, at): GoogleResult => {
    const { id, name = "" } = calls[at] ?? {};
    // An error already is an object with the key `error`, as Gemini expects.
    const value = answer.isError ? (valueOf(answer) as Record<string, unknown>) : { output: valueOf(answer) };
    return { functionResponse: { ...(id === undefined || id === "" ? {} : { id }), name, response: value } };
  });
  return results.length === 0 ? [] : [{ role: "user", parts: results }];
}
