/**
 * Handlers as the program of a plugin: a host in Rust sends calls as lines of JSON, and gets the results as lines. For Node.js.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";

import { type Arguments } from "../args/strict.ts";
import { ToolError } from "../result/error.ts";
import { jsonText } from "../text/write.ts";
import type { ToolCall } from "../turn.ts";
import { isObject, Lines, type Message, readMessage } from "./lines.ts";

/** The maximum length of a request. A host sends at most 4 MiB of arguments, whose escapes can make them longer. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** The call that a handler runs for. */
export interface PluginCall extends ToolCall {
  /** The id of the call. */
  readonly callId: string;
  /** The task of the session to which the call belongs. */
  readonly task: string;
  /** The home folder of the session, if the host shows it. */
  readonly home: string | undefined;
  /** It is aborted when the host cancels the call. What the handler returns then is not used. */
  readonly signal: AbortSignal;
}

/** The handlers of tools, by the names of the tools. */
export type PluginHandlers = Readonly<Record<string, (args: Arguments, call: PluginCall) => unknown>>;

const calls = new AsyncLocalStorage<PluginCall>();

/**
 * Returns the call that the current handler runs for, also in functions that the handler calls.
 *
 * @throws An `Error` outside of a handler.
 */
export function currentCall(): PluginCall {
  const call = calls.getStore();
  if (call === undefined) {
    throw new Error("there is no current call: `currentCall` works in a handler that `serve` runs");
  }
  return call;
}

/**
 * Runs the calls that the host sends to standard input. The promise is fulfilled when the input has ended and all calls are answered.
 *
 * Calls run at the same time. What a handler prints to standard output, with `console.log` for example, goes to standard error, because the
 * host reads only replies; so does what the program prints later. What a handler throws is an error for the model: its message. The stack goes
 * to standard error.
 *
 * The program answers one request, or stays running with `resident = true` in `plugin.toml`.
 */
export async function serve(handlers: PluginHandlers): Promise<void> {
  const { stdin, stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const server = new Server(handlers, (line) => write(line));
  // The host has ended or has closed its end: nothing can be answered.
  const abandon = (): void => {
    server.abort();
    stdin.destroy();
  };
  stdout.on("error", abandon);
  await server.run(stdin);
}

class Server {
  readonly #handlers: PluginHandlers;
  readonly #print: (line: string) => void;
  readonly #open = new Map<unknown, { readonly cancel: AbortController; readonly done: Promise<void> }>();

  constructor(handlers: PluginHandlers, print: (line: string) => void) {
    this.#handlers = handlers;
    this.#print = print;
  }

  async run(input: AsyncIterable<Uint8Array>): Promise<void> {
    const lines = new Lines(MAX_LINE_BYTES);
    for await (const bytes of input) {
      if (lines.push(bytes).some((line) => this.#isLast(line))) {
        break;
      }
    }
    this.#isLast(lines.end());
    await Promise.all([...this.#open.values()].map(({ done }) => done));
  }

  /** Cancels all calls. */
  abort(): void {
    for (const { cancel } of this.#open.values()) {
      cancel.abort();
    }
  }

  /** Accepts a line. Returns whether it is the only one: a request without an id. */
  #isLast(line: string): boolean {
    if (line.trim() === "") {
      return false;
    }
    const request = readMessage(line);
    if ("cancel" in request) {
      this.#open.get(request["cancel"])?.cancel.abort();
      return false;
    }
    const cancel = new AbortController();
    this.#open.set(request["id"], { cancel, done: this.#answer(request, cancel.signal) });
    return request["id"] === undefined;
  }

  async #answer(request: Message, signal: AbortSignal): Promise<void> {
    const { id } = request as { readonly id?: unknown };
    // A cancelled call is answered at once, because the host ends a program that does not answer.
    const cancelled = new Promise<string>((resolve) => {
      signal.addEventListener("abort", () => {
        resolve(`"error":"cancelled"`);
      });
    });
    const reply = await Promise.race([this.#run(request, signal), cancelled]);
    this.#print(`{${id === undefined ? "" : `"id":${jsonText(id)},`}${reply}}\n`);
    this.#open.delete(id);
  }

  /** Runs a call, and returns the member of its reply. */
  async #run(request: Message, signal: AbortSignal): Promise<string> {
    try {
      const call = readCall(request, signal);
      const handler = Object.hasOwn(this.#handlers, call.tool) ? this.#handlers[call.tool] : undefined;
      if (handler === undefined) {
        throw new Error(`this program has no handler for the tool \`${call.tool}\`: generate its module again`);
      }
      return `"result":${jsonText(await calls.run(call, () => handler.call(this.#handlers, call.arguments, call)))}`;
    } catch (error) {
      if (!signal.aborted) {
        console.error(error);
      }
      return errorReply(error);
    }
  }
}

function readCall(request: Message, signal: AbortSignal): PluginCall {
  const { tool, arguments: args, call_id: callId, task, home, hook, memory } = request as { readonly [key: string]: unknown };
  if (typeof tool !== "string" || hook !== undefined || memory !== undefined) {
    throw new Error("this program only runs tools: remove the hooks and `memory` from plugin.toml");
  }
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return {
    tool,
    arguments: isObject(args) ? (args as Arguments) : {},
    repairs: [],
    callId: text(callId),
    task: text(task),
    home: typeof home === "string" ? home : undefined,
    signal,
  };
}

/** Returns the members of the reply for an error, with what is not the default: a host that knows only the message refuses other members. */
function errorReply(error: unknown): string {
  const message = `"error":${jsonText(messageOf(error))}`;
  if (!(error instanceof ToolError)) {
    return message;
  }
  const kind = error.kind === "failed" ? "" : `,"kind":${jsonText(error.kind)}`;
  return `${message}${kind}${Object.keys(error.fields).length === 0 ? "" : `,"fields":${jsonText(error.fields)}`}`;
}

/** Returns the text of an error, which is never empty. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text === "" ? "the call failed" : text;
}
