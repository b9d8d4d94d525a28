/**
 * Anthropic: the Messages API. The types fit those of the package `@anthropic-ai/sdk`.
 *
 * @module
 */

import type { Handlers, Turn } from "../turn.ts";
import { checkDialect, runCalls, type RunOptions } from "./calls.ts";

export type { RunOptions } from "./calls.ts";

/** The definition of a tool. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: "object"; [key: string]: unknown };
}

/** A call in a message of the model. */
export interface AnthropicCall {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly toolset_name?: string | null | undefined;
  /** Who has made the call: the model (`direct`), or a program that it has written. */
  readonly caller?: { readonly type: string } | null | undefined;
}

/** A message of the model. Other blocks than calls are skipped. */
export interface AnthropicMessage {
  readonly content: readonly { readonly type: string }[];
}

/** The result of a call. */
export interface AnthropicResult {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: boolean;
  toolset_name?: string;
}

/** A message with results of calls. */
export interface AnthropicResults {
  role: "user";
  content: AnthropicResult[];
}

/**
 * Returns the tools for a request.
 *
 * @throws A `TypeError` if the turn has another dialect than `anthropic` or `anthropic-strict`.
 */
export function anthropicTools(turn: Turn): AnthropicTool[] {
  checkDialect(turn, "Anthropic", ["anthropic", "anthropic-strict"]);
  return [...turn.definitions] as AnthropicTool[];
}

/**
 * Runs the calls of a message, and returns what follows it in the conversation: a message with all results, or nothing if there are no calls.
 * Results for programs that the model has written are in a message of their own, before the others, because the API accepts nothing next to
 * them.
 */
export async function runAnthropicCalls(
  turn: Turn,
  message: AnthropicMessage,
  handlers: Handlers,
  options: RunOptions = {},
): Promise<AnthropicResults[]> {
  const calls = message.content.filter(isCall);
  const answers = await runCalls(turn, calls, handlers, options);
  const results = (isForProgram: boolean): AnthropicResult[] =>
    calls.flatMap((call, at) => {
      const { text, isError } = answers[at] ?? { text: "", isError: true };
      const { id, toolset_name: toolset } = call;
      const result: AnthropicResult = { type: "tool_result", tool_use_id: id, content: text };
      const more = { ...(isError ? { is_error: true } : {}), ...(toolset ? { toolset_name: toolset } : {}) };
      return isOfProgram(call) === isForProgram ? [{ ...result, ...more }] : [];
    });
  const messages = [results(true), results(false)].filter((content) => content.length > 0);
  return messages.map((content) => ({ role: "user", content }));
}

function isCall(block: { readonly type: string }): block is AnthropicCall {
  return block.type === "tool_use";
}

function isOfProgram({ caller }: AnthropicCall): boolean {
  return caller !== undefined && caller !== null && caller.type !== "direct";
}
