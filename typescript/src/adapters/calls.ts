/**
 * What the adapters share: running the calls of a response.
 *
 * @module
 */

import { jsonText } from "../text/write.ts";
import type { Handlers, Turn } from "../turn.ts";

/** How the calls of a response are run. */
export interface RunOptions {
  /** Whether the calls run one after the other, in their order. By default, they run at the same time. */
  readonly sequential?: boolean;
}

/** A call in a response. */
export interface FoundCall {
  readonly name: string;
  /** The arguments: JSON text, or the value that a vendor's library has parsed. */
  readonly input: unknown;
  /** Whether `input` is a text instead of arguments. */
  readonly isText?: boolean;
}

/** The response to a call. */
export interface Answer {
  /** The own name of the tool, unless the turn has no such tool. */
  readonly tool: string | undefined;
  readonly text: string;
  readonly isError: boolean;
  /** Whether `text` is a text, and not JSON. */
  readonly isText: boolean;
}

/** Runs calls, and returns their responses in the order of the calls. If a handler is missing, the others end first. */
export async function runCalls(
  turn: Turn,
  calls: readonly FoundCall[],
  handlers: Handlers,
  { sequential = false }: RunOptions,
): Promise<readonly Answer[]> {
  if (sequential) {
    const answers: Answer[] = [];
    for (const call of calls) {
      answers.push(await run(turn, call, handlers));
    }
    return answers;
  }
  const settled = await Promise.allSettled(calls.map((call) => run(turn, call, handlers)));
  return settled.map((result) => {
    if (result.status === "rejected") {
      throw result.reason;
    }
    return result.value;
  });
}

/** Runs a call. */
export async function run(turn: Turn, { name, input, isText = false }: FoundCall, handlers: Handlers): Promise<Answer> {
  let result: unknown;
  const tool = turn.toolCalled(name);
  const handler = tool !== undefined && Object.hasOwn(handlers, tool) ? handlers[tool] : undefined;
  const noted: Handlers =
    tool === undefined || handler === undefined
      ? {}
      : { [tool]: async (args, call) => (result = await handler.call(handlers, args, call)) };
  const { text, isError } = await turn.call(name, textOf(input), noted, { isText });
  return { tool, text, isError, isText: !isError && typeof result === "string" };
}

/** Returns arguments as the model wrote them, as far as they are known. */
function textOf(input: unknown): string {
  if (typeof input === "string") {
    return input;
  }
  return input === undefined ? "" : jsonText(input);
}

/** Returns what a response tells the model: a text, or the value of its JSON. */
export function valueOf({ text, isText }: Answer): unknown {
  return isText ? text : JSON.parse(text);
}

/**
 * Checks that an API takes the definitions of a turn.
 *
 * @throws A `TypeError` that names the dialects of the API.
 */
export function checkDialect(turn: Turn, api: string, dialects: readonly string[]): void {
  if (!dialects.includes(turn.dialect)) {
    const expected = dialects.map((dialect) => `\`${dialect}\``).join(" or ");
    throw new TypeError(`${api} takes definitions in the dialect ${expected}, and this turn has \`${turn.dialect}\``);
  }
}
