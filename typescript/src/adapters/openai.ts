/**
 * OpenAI: Chat Completions, which many other servers have as well, and Responses. The types fit those of the package `openai`.
 *
 * @module
 */

import type { Handlers, Turn } from "../turn.ts";
import { checkDialect, type FoundCall, runCalls, type RunOptions } from "./calls.ts";

export type { RunOptions } from "./calls.ts";

/** The definition of a tool in Chat Completions: a function, or a custom tool, which takes a text. */
export type ChatTool =
  | { type: "function"; function: { name: string; description?: string; parameters?: { [key: string]: unknown } } }
  | { type: "custom"; custom: { name: string; description?: string } };

/** A call in a message of Chat Completions. */
export type ChatCall =
  | { readonly id: string; readonly type: "function"; readonly function: { readonly name: string; readonly arguments: string } }
  | { readonly id: string; readonly type: "custom"; readonly custom: { readonly name: string; readonly input: string } };

/** A message of the model in Chat Completions. */
export interface ChatMessage {
  readonly tool_calls?: readonly ChatCall[] | null | undefined;
}

/** The message with the result of a call. */
export interface ChatResult {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/**
 * Returns the tools for a request to Chat Completions.
 *
 * @throws A `TypeError` if the turn has another dialect than `openai`, `openai-strict` or `portable`.
 */
export function chatTools(turn: Turn): ChatTool[] {
  checkDialect(turn, "Chat Completions", ["openai", "openai-strict", "portable"]);
  return [...turn.definitions] as ChatTool[];
}

/**
 * Runs the calls of a message, and returns the messages that follow it in the conversation: one for each call.
 *
 * @param message - The message of the model: `completion.choices[0].message`.
 */
export async function runChatCalls(
  turn: Turn,
  message: ChatMessage,
  handlers: Handlers,
  options: RunOptions = {},
): Promise<ChatResult[]> {
  const calls = message.tool_calls ?? [];
  const answers = await runCalls(turn, calls.map(chatCall), handlers, options);
  return answers.map(({ text }, at) => ({ role: "tool", tool_call_id: calls[at]?.id ?? "", content: text }));
}

function chatCall(call: ChatCall): FoundCall {
  return call.type === "custom"
    ? { name: call.custom.name, input: call.custom.input, isText: true }
    : { name: call.function.name, input: call.function.arguments };
}

/** The definition of a tool in Responses: a function, or a custom tool, which takes a text. */
export type ResponsesTool =
  | {
      type: "function";
      name: string;
      description?: string;
      parameters: { [key: string]: unknown } | null;
      strict: boolean | null;
    }
  | { type: "custom"; name: string; description?: string };

/** Who has made a call: the model, or a program that it has written. */
export type ResponsesCaller = { type: "direct" } | { type: "program"; caller_id: string };

/** A call in the output of Responses. */
export interface ResponsesCall {
  readonly type: "function_call" | "custom_tool_call";
  readonly call_id: string;
  readonly name: string;
  /** The arguments of a function. */
  readonly arguments?: string;
  /** The text for a custom tool. */
  readonly input?: string;
  readonly caller?: ResponsesCaller | null | undefined;
}

/** A response of Responses. Other items than calls are skipped. */
export interface ResponsesOutput {
  readonly output: readonly { readonly type: string }[];
}

/** The item with the result of a call. */
export interface ResponsesResult {
  type: "function_call_output" | "custom_tool_call_output";
  call_id: string;
  output: string;
  caller?: ResponsesCaller;
}

/**
 * Returns the tools for a request to Responses.
 *
 * @throws A `TypeError` if the turn has another dialect than `openai-responses`.
 */
export function responsesTools(turn: Turn): ResponsesTool[] {
  checkDialect(turn, "Responses", ["openai-responses"]);
  return [...turn.definitions] as ResponsesTool[];
}

/** Runs the calls of a response, and returns the items that follow its output in the conversation: one for each call. */
export async function runResponsesCalls(
  turn: Turn,
  response: ResponsesOutput,
  handlers: Handlers,
  options: RunOptions = {},
): Promise<ResponsesResult[]> {
  const calls = response.output.filter(isCall);
  const found = calls.map((call): FoundCall =>
    call.type === "custom_tool_call"
      ? { name: call.name, input: call.input, isText: true }
      : { name: call.name, input: call.arguments },
  );
  const answers = await runCalls(turn, found, handlers, options);
  return calls.map(({ type, call_id, caller }, at) => ({
    type: `${type}_output`,
    call_id,
    output: answers[at]?.text ?? "",
    ...(caller ? { caller } : {}),
  }));
}

function isCall(item: { readonly type: string }): item is ResponsesCall {
  return item.type === "function_call" || item.type === "custom_tool_call";
}
