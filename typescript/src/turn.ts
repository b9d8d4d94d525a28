/**
 * A turn of a conversation: the tools that a model can call now, their definitions, and the reading and running of calls.
 *
 * @module
 */

import { fillDefaults } from "./args/defaults.ts";
import { readArguments } from "./args/read.ts";
import { type Limits, Reader } from "./args/reader.ts";
import { findRepairs, type Repair, repairOfName } from "./args/repairs.ts";
import { type Arguments, readStrictly } from "./args/strict.ts";
import type { Availability } from "./availability/resolve.ts";
import type { ToolEntry } from "./data/catalog.ts";
import type { Circumstances } from "./data/condition.ts";
import { render } from "./data/definition.ts";
import { type Table, TYPE_BITS } from "./data/table.ts";
import { Names, shortName } from "./dispatch/names.ts";
import { ToolError } from "./result/error.ts";
import type { StandardIssue, StandardSchema } from "./standard_schema.ts";
import { quoted } from "./text/json.ts";
import { wellFormed } from "./text/utf8.ts";
import { jsonText } from "./text/write.ts";
import { toPlain } from "./value.ts";

/** The dialect whose definitions are declarations in TypeScript and not JSON. */
const TYPESCRIPT = "typescript";

/** A call whose arguments have been read, repaired and validated. */
export interface ToolCall {
  /** The own name of the tool. */
  readonly tool: string;
  /** The arguments, with their defaults. An integer beyond ±(2^53 - 1) is a `bigint`. */
  readonly arguments: Arguments;
  /** What was repaired: at most 100 repairs. The list is made when it is first read. */
  readonly repairs: readonly Repair[];
}

/** A call whose repairs are found on demand. */
class RepairedCall implements ToolCall {
  readonly tool: string;
  readonly arguments: Arguments;
  readonly #find: () => readonly Repair[];
  #repairs: readonly Repair[] | undefined;

  constructor(tool: string, args: Arguments, find: () => readonly Repair[]) {
    this.tool = tool;
    this.arguments = args;
    this.#find = find;
  }

  get repairs(): readonly Repair[] {
    this.#repairs ??= this.#find();
    return this.#repairs;
  }
}

/** The handler of a tool. It returns the result for the model, or a promise of it. */
export type Handler = (args: Arguments, call: ToolCall) => unknown;

/** The handlers of tools, by the own names of the tools. */
export type Handlers = Readonly<Record<string, Handler>>;

/** The response to a call. */
export interface ToolResponse {
  /** The text for the model: the result, or the JSON of an error. */
  readonly text: string;
  /** Whether the call failed. */
  readonly isError: boolean;
  /** The own name of the tool, unless the turn has no such tool. */
  readonly tool: string | undefined;
  /** What was repaired in the call. Empty if the arguments could not be read. */
  readonly repairs: readonly Repair[];
}

/** How a call is read. */
export interface ReadOptions {
  /**
   * Whether the model has sent a text instead of arguments, as for a custom tool of OpenAI. The only required parameter gets it, if it takes
   * strings.
   */
  readonly isText?: boolean;
}

/** A granted tool that the turn does not show. */
export interface HiddenTool {
  readonly tool: string;
  /** The reason, which continues a sentence about the tool: "needs the program `git`". */
  readonly reason: string;
}

/** The content of a turn. */
export interface TurnContent {
  readonly dialect: string;
  /** All tools of the catalog. */
  readonly all: readonly ToolEntry[];
  readonly availability: Availability;
  readonly circumstances: Circumstances;
  readonly limits: Limits;
}

/**
 * The tools that a model can call in one turn of a conversation. It does not change: make another turn when the facts or the environment have
 * changed.
 */
export class Turn {
  readonly #content: TurnContent;
  readonly #names: Names;
  readonly #tables = new Map<ToolEntry, Table>();
  #text: string | undefined;
  #definitions: readonly unknown[] | undefined;

  /** @internal */
  constructor(content: TurnContent) {
    this.#content = content;
    this.#names = new Names(content.all, content.availability, content.dialect);
  }

  /** The dialect of the definitions. */
  get dialect(): string {
    return this.#content.dialect;
  }

  /** The own names of the tools that the model can call, sorted. */
  get tools(): readonly string[] {
    return this.#content.availability.shown.map((tool) => tool.name);
  }

  /** The granted tools that are hidden, sorted, each with the reason. */
  get hidden(): readonly HiddenTool[] {
    return [...this.#content.availability.hidden].map(([tool, reason]) => ({ tool: tool.name, reason }));
  }

  /** The definitions as text: a JSON array, or declarations in the dialect `typescript`. */
  get text(): string {
    this.#text ??= this.#render();
    return this.#text;
  }

  /** The definitions, for the request to a model. In the dialect `typescript`, they are not JSON: use {@link Turn.text}. */
  get definitions(): readonly unknown[] {
    if (this.dialect === TYPESCRIPT) {
      throw new TypeError("the definitions in the dialect `typescript` are not JSON: use `turn.text`");
    }
    this.#definitions ??= JSON.parse(this.text) as unknown[];
    return this.#definitions;
  }

  #render(): string {
    const { dialect, circumstances, availability } = this.#content;
    const isJson = dialect !== TYPESCRIPT;
    const texts = availability.shown.map((tool) => render(tool.definitions.get(dialect) ?? [], circumstances, isJson));
    return isJson ? `[${texts.join(",")}]` : texts.join("\n");
  }

  /**
   * Returns the own name of the tool that a call by this name runs, or `undefined` if the turn has none. A name that a model got wrong in a
   * known way is corrected.
   */
  toolCalled(name: string): string | undefined {
    return this.#names.find(wellFormed(name))?.name;
  }

  /**
   * Reads a call: repairs and validates the arguments, a JSON text as the model wrote it.
   *
   * @throws A {@link ToolError} whose {@link ToolError.text | text} tells the model what is wrong.
   */
  read(name: string, text: string, options: ReadOptions = {}): ToolCall {
    const result = this.#read(wellFormed(name), wellFormed(text), options);
    if (result instanceof ToolError) {
      throw result;
    }
    return result;
  }

  #read(name: string, text: string, { isText = false }: ReadOptions): ToolCall | ToolError {
    const tool = this.#names.find(name);
    if (tool === undefined) {
      return this.#names.unknown(name);
    }
    const { limits } = this.#content;
    const ofName = this.#names.exact(name) === tool ? [] : [repairOfName(shortName(name), tool.name)];
    const table = this.#table(tool);
    const sent = isText ? textArguments(table, text) : text;
    const strict = readStrictly(sent, table, limits);
    if (strict !== undefined) {
      return { tool: tool.name, arguments: strict, repairs: ofName };
    }
    const read = readArguments(sent, table, limits);
    if (read instanceof ToolError) {
      return read;
    }
    if (table.hasDefaults) {
      fillDefaults(new Reader(table, limits), read.value);
    }
    // Valid arguments are an object.
    const args = toPlain(read.value) as Arguments;
    const find = (): readonly Repair[] => [...ofName, ...(read.isRepaired ? findRepairs(sent, table, limits) : [])];
    return new RepairedCall(tool.name, args, find);
  }

  #table(tool: ToolEntry): Table {
    let table = this.#tables.get(tool);
    if (table === undefined) {
      table = tool.arguments.inTurn(this.#content.circumstances);
      this.#tables.set(tool, table);
    }
    return table;
  }

  /**
   * Reads a call, and runs its handler. The promise is never rejected because of the model or the handler: an error becomes the response.
   *
   * @throws A `TypeError` if there is no handler for the tool, which is a mistake of the program.
   */
  async call(name: string, text: string, handlers: Handlers, options: ReadOptions = {}): Promise<ToolResponse> {
    const call = this.#read(wellFormed(name), wellFormed(text), options);
    if (call instanceof ToolError) {
      return { text: call.text, isError: true, tool: this.toolCalled(name), repairs: [] };
    }
    const handler = Object.hasOwn(handlers, call.tool) ? handlers[call.tool] : undefined;
    if (handler === undefined) {
      throw new TypeError(`there is no handler for the tool \`${call.tool}\`: add it to the handlers`);
    }
    const respond = (text: string, isError: boolean): ToolResponse => ({
      text,
      isError,
      tool: call.tool,
      get repairs() {
        return call.repairs;
      },
    });
    try {
      const result = await handler.call(handlers, call.arguments, call);
      return respond(typeof result === "string" ? result : jsonText(result), false);
    } catch (error) {
      const failed = error instanceof ToolError ? error : new ToolError(messageOf(error));
      return respond(failed.text, true);
    }
  }

  /**
   * Returns the arguments of a tool as a Standard Schema, which repairs and validates. It takes a JSON text as the model wrote it, or the
   * parsed arguments.
   *
   * @throws A {@link ToolError} if the turn has no such tool.
   */
  schema(name: string): StandardSchema<unknown, Arguments> {
    if (this.toolCalled(name) === undefined) {
      throw this.#names.unknown(wellFormed(name));
    }
    return {
      "~standard": {
        version: 1,
        vendor: "toolc",
        validate: (value) => {
          try {
            return { value: this.read(name, typeof value === "string" ? value : jsonText(value)).arguments };
          } catch (error) {
            return { issues: issuesOf(error) };
          }
        },
      },
    };
  }
}

/** Returns the message of what a handler has thrown, which may be any value. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === "string" ? error : "the handler failed";
}

function issuesOf(error: unknown): readonly StandardIssue[] {
  if (!(error instanceof Error)) {
    throw error;
  }
  if (!(error instanceof ToolError) || error.problems.length === 0) {
    return [{ message: error.message }];
  }
  return error.problems.map(({ path, expected, got }) => ({
    message: `expected ${expected}, got ${got}`,
    path: path.split("/").slice(1).map(unescaped),
  }));
}

/** Returns a step of a JSON Pointer as a key, or as an index. */
function unescaped(step: string): string | number {
  return /^(?:0|[1-9][0-9]*)$/.test(step) ? Number(step) : step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/**
 * Returns the arguments of a call with a text. If no parameter takes the text, the arguments are the text as a JSON string, so that they are
 * repaired or refused like all others.
 */
function textArguments(table: Table, text: string): string {
  const [only, ...more] = table.node(0).visible.filter((property) => property.required);
  const takesText =
    only !== undefined && more.length === 0 && (table.node(only.node).bits & TYPE_BITS.string) !== 0;
  return takesText ? `{${quoted(only.name)}:${quoted(text)}}` : quoted(text);
}
