/**
 * A client of MCP servers, such as `toolc mcp serve`: it lists and calls tools. `connectHttp` works on all platforms.
 * `@toolc/runtime/client/stdio` starts a server as a program.
 *
 * @module
 */

import { type ErrorKind, type Problem, ToolError } from "../result/error.ts";
import { jsonText } from "../text/write.ts";
import { HttpTransport, type HttpOptions } from "./http.ts";
import { isObject, type Message, readMessage } from "./lines.ts";
import { McpError, type Transport } from "./transport.ts";

export { McpError } from "./transport.ts";

/** The versions of the protocol that a server can choose, the newest first. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const UNKNOWN_METHOD = -32601;
/** The maximum number of pages of a list. A server that sends more does not end. */
const MAX_PAGES = 1000;
const DEFAULT_TIMEOUT = 60_000;
/** The maximum time of a timer. A longer one would end at once. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Settings of a request. */
export interface RequestOptions {
  /** The maximum duration in milliseconds: a minute by default. */
  readonly timeout?: number;
  /** Cancels the request. Its promise is then rejected with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Settings of a connection. */
export interface ClientOptions extends RequestOptions {
  /** The name and version by which the server knows the program. */
  readonly client?: { readonly name: string; readonly version: string };
}

/** The definition of a tool. */
export interface ServerTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

/** The result of a call, as the server has sent it. */
export interface CallResult {
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/**
 * Connects to a server over streamable HTTP.
 *
 * @throws A {@link McpError} if the server cannot be reached, or does not speak the protocol.
 */
export async function connectHttp(url: string | URL, options: ClientOptions & HttpOptions = {}): Promise<McpClient> {
  return McpClient.connect(new HttpTransport(url, options), options);
}

interface Pending {
  readonly resolve: (result: Message) => void;
  readonly reject: (error: Error) => void;
}

/** A connection to an MCP server. */
export class McpClient {
  readonly #transport: Transport;
  readonly #timeout: number;
  readonly #pending = new Map<unknown, Pending>();
  #next = 1;
  #ended: Error | undefined;
  #hello: Message = {};

  private constructor(transport: Transport, timeout: number) {
    this.#transport = transport;
    this.#timeout = timeout;
    transport.start({
      receive: (text) => {
        this.#receive(text);
      },
      end: (error) => {
        this.#end(error);
      },
    });
  }

  /** @internal */
  static async connect(transport: Transport, options: ClientOptions): Promise<McpClient> {
    const { client: clientInfo = { name: "@toolc/runtime", version: "0" }, timeout = DEFAULT_TIMEOUT, signal } = options;
    const client = new McpClient(transport, timeout);
    try {
      const params = { protocolVersion: VERSIONS[0], capabilities: {}, clientInfo };
      client.#hello = await client.#request("initialize", params, signal === undefined ? {} : { signal });
      if (!VERSIONS.includes(client.protocolVersion)) {
        const known = VERSIONS.join(", ");
        throw new McpError(`the server speaks version \`${client.protocolVersion}\` of MCP, and this client ${known}`);
      }
      transport.protocolVersion = client.protocolVersion;
      await client.#notify("notifications/initialized");
      return client;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** The version of the protocol that the server has chosen. */
  get protocolVersion(): string {
    return textOf(this.#hello["protocolVersion"]);
  }

  /** The name and version of the server. */
  get server(): { readonly name: string; readonly version: string } {
    const info = this.#hello["serverInfo"];
    const { name, version }: Message = isObject(info) ? info : {};
    return { name: textOf(name), version: textOf(version) };
  }

  /** Returns the tools of the server, from all pages of its list. */
  async tools(options: RequestOptions = {}): Promise<readonly ServerTool[]> {
    const tools: ServerTool[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const result = await this.#request("tools/list", cursor === undefined ? {} : { cursor }, options);
      const listed: unknown = result["tools"];
      if (!Array.isArray(listed) || !listed.every((tool) => isObject(tool) && typeof tool["name"] === "string")) {
        throw new McpError("the server has sent a list of tools that has another form");
      }
      tools.push(...(listed as ServerTool[]));
      cursor = result["nextCursor"] ?? undefined;
      if (cursor === undefined) {
        return tools;
      }
    }
    throw new McpError(`the list of tools has more than ${String(MAX_PAGES)} pages`);
  }

  /**
   * Calls a tool, and returns its structured result, or else its text. It is not bound to `this`, so that it can be given to the function
   * `client` of a generated module.
   *
   * @throws A {@link ToolError} if the call has failed or has exceeded its time limit, and a {@link McpError} if the server could not be asked.
   */
  readonly call = async (tool: string, args: unknown = {}, options: RequestOptions = {}): Promise<unknown> => {
    const { content, structuredContent, isError } = await this.result(tool, args, options);
    const text = content.flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : [])).join("\n");
    if (isError === true) {
      throw readError(text);
    }
    return structuredContent ?? text;
  };

  /** Calls a tool, and returns its result as the server has sent it, with images and the like. */
  async result(tool: string, args: unknown = {}, options: RequestOptions = {}): Promise<CallResult> {
    const result = await this.#request("tools/call", { name: tool, arguments: args }, options);
    const content = result["content"] ?? [];
    if (!Array.isArray(content) || !content.every(isObject)) {
      throw new McpError(`the server has sent a result of \`${tool}\` that has another form`);
    }
    return { ...result, content: content as unknown as CallResult["content"] };
  }

  /** Ends the connection. A server that was started as a program is ended. */
  async close(): Promise<void> {
    this.#end(new McpError("the connection was closed"));
    await this.#transport.close();
  }

  async #request(method: string, params: object, { timeout = this.#timeout, signal }: RequestOptions): Promise<Message> {
    signal?.throwIfAborted();
    if (this.#ended !== undefined) {
      throw this.#ended;
    }
    const id = this.#next;
    this.#next += 1;
    const text = jsonText({ jsonrpc: "2.0", id, method, params });
    const stop = new AbortController();
    const giveUp = (error: unknown): void => {
      this.#pending.get(id)?.reject(error as Error);
      stop.abort();
      // The answer is not awaited. A server must not get this about its first request.
      if (method !== "initialize") {
        this.#notify("notifications/cancelled", { requestId: id, reason: String(error) }).catch(() => undefined);
      }
    };
    const onAbort = (): void => {
      giveUp(signal?.reason);
    };
    const timer = setTimeout(() => {
      giveUp(new ToolError(`the server did not answer \`${method}\` within ${String(timeout / 1000)} s`, "timeout"));
    }, Math.min(timeout, MAX_TIMEOUT));
    signal?.addEventListener("abort", onAbort);
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        const sent = this.#transport.send(text, true, stop.signal);
        sent.then((isComplete) => {
          if (isComplete) {
            // If there was an answer, it has already counted.
            reject(new McpError("the server ended its response without an answer"));
          }
        }, reject);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      this.#pending.delete(id);
      // A server can keep its response open after the answer.
      stop.abort();
    }
  }

  async #notify(method: string, params: object = {}): Promise<void> {
    await this.#transport.send(jsonText({ jsonrpc: "2.0", method, params }), false);
  }

  #receive(text: string): void {
    let message: Message;
    try {
      message = readMessage(text);
    } catch (error) {
      this.#end(new McpError(`the server has sent something that is not a message: ${(error as Error).message}`));
      return;
    }
    const { id, method, result, error } = message as { readonly [key: string]: unknown };
    if (typeof method === "string") {
      this.#answer(id, method);
      return;
    }
    const pending = this.#pending.get(id);
    if (isObject(error)) {
      pending?.reject(new McpError(textOf(error["message"]), Number(error["code"]), error["data"]));
    } else if (isObject(result)) {
      pending?.resolve(result);
    } else {
      pending?.reject(new McpError("the server has sent an answer that has neither a result nor an error"));
    }
  }

  /** Answers a request of the server. It gets no capabilities of the client, so it may only ask whether the client is there. */
  #answer(id: unknown, method: string): void {
    if (id === undefined) {
      return;
    }
    const error = { code: UNKNOWN_METHOD, message: `the client does not have the method ${method}` };
    const answer = method === "ping" ? { result: {} } : { error };
    this.#transport.send(jsonText({ jsonrpc: "2.0", id, ...answer }), false).catch(() => undefined);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) {
      reject(this.#ended);
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the error of a failed call. A server of toolc sends it as JSON, with its kind, the problems of the arguments and its fields. */
function readError(text: string): ToolError {
  let message: Message;
  try {
    message = readMessage(text);
  } catch {
    return new ToolError(text === "" ? "the call has failed, and the server does not say why" : text);
  }
  const { error, kind, problems, ...fields } = message as { readonly [key: string]: unknown };
  if (typeof error !== "string" || typeof kind !== "string") {
    return new ToolError(text);
  }
  return new ToolError(error, kind as ErrorKind, Array.isArray(problems) ? (problems as Problem[]) : [], fields);
}
