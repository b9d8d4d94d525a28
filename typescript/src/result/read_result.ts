/**
 * The results of tools that run elsewhere.
 *
 * @module
 */

import { JsonError, parseJson } from "../args/tree.ts";
import { type Plain, toPlain } from "../value.ts";
import { ToolError } from "./error.ts";

const MAX_DEPTH = 128;

/**
 * Returns the result of a tool whose results are never texts: a text is read as JSON. MCP has a place for objects only, so that a server
 * sends all other results as text. Integers beyond ±(2^53 - 1) are of type `bigint`.
 *
 * @throws A {@link ToolError} if the text is not JSON.
 */
export async function readResult(tool: string, call: Promise<unknown>): Promise<unknown> {
  const result = await call;
  return typeof result === "string" ? readText(tool, result) : result;
}

function readText(tool: string, text: string): Plain {
  const value = parseJson(text, MAX_DEPTH, false);
  if (value instanceof JsonError) {
    throw new ToolError(`the result of \`${tool}\` must be JSON, but the text is not: ${value.message}`);
  }
  return toPlain(value);
}
