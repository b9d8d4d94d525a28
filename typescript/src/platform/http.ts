/**
 * MCP over streamable HTTP, with `fetch`.
 *
 * @module
 */

import { Lines } from "./lines.ts";
import { McpError, type Receiver, type Transport } from "./transport.ts";

const MAX_BYTES = 64 * 1024 * 1024;
/** The maximum length of a text in an error. */
const MAX_EXCERPT = 500;
/** The maximum time that a server gets for the end of a session. */
const CLOSE_TIMEOUT = 2_000;

/** Settings of a connection over HTTP. */
export interface HttpOptions {
  /** Headers of all requests, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The function to use instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** The maximum length of a message in bytes: 64 MiB by default. */
  readonly maxBytes?: number;
}

/** @internal */
export class HttpTransport implements Transport {
  protocolVersion: string | undefined;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  readonly #maxBytes: number;
  #receiver: Receiver | undefined;
  #session: string | undefined;

  constructor(url: string | URL, { headers = {}, fetch = globalThis.fetch, maxBytes = MAX_BYTES }: HttpOptions) {
    this.#url = String(url);
    this.#headers = headers;
    // Browsers refuse `fetch` with another `this`.
    this.#fetch = (...args) => fetch(...args);
    this.#maxBytes = maxBytes;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  async send(text: string, isRequest: boolean, signal?: AbortSignal): Promise<boolean> {
    const response = await this.#post(text, signal);
    this.#session ??= response.headers.get("mcp-session-id") ?? undefined;
    if (!response.ok) {
      throw await this.#refusal(response);
    }
    if (!isRequest) {
      await response.body?.cancel();
      return true;
    }
    const type = response.headers.get("content-type") ?? "none";
    if (type.startsWith("text/event-stream")) {
      await this.#events(response);
    } else if (type.startsWith("application/json")) {
      this.#receiver?.receive(await readText(response, this.#maxBytes));
    } else {
      throw new McpError(`the server answered with the content type \`${type}\`, and not with JSON or events`);
    }
    return true;
  }

  async #post(body: string, signal: AbortSignal | undefined): Promise<Response> {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const init = { method: "POST", body, headers: { ...this.#common(), ...headers }, redirect: "error" as const };
    try {
      return await this.#fetch(this.#url, signal === undefined ? init : { ...init, signal });
    } catch (error) {
      throw new McpError(`failed to reach ${this.#url}: ${reason(error)}`);
    }
  }

  #common(): Record<string, string> {
    return {
      ...this.#headers,
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
      ...(this.protocolVersion === undefined ? {} : { "mcp-protocol-version": this.protocolVersion }),
    };
  }

  async #refusal(response: Response): Promise<McpError> {
    const text = await readText(response, this.#maxBytes).catch(() => "");
    const excerpt = text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}...` : text;
    return new McpError(`the server answered with the HTTP status ${String(response.status)}: ${excerpt || "no text"}`);
  }

  /** Reads events, each of which has a message in its data. */
  async #events(response: Response): Promise<void> {
    let data: string[] = [];
    let length = 0;
    for await (const line of linesOf(response, this.#maxBytes)) {
      if (line === "") {
        // An event without data only has an id, from which a client could continue.
        if (data.some((part) => part !== "")) {
          this.#receiver?.receive(data.join("\n"));
        }
        data = [];
        length = 0;
      } else if (line.startsWith("data:")) {
        length += line.length;
        if (length > this.#maxBytes) {
          throw new McpError(`an event is longer than ${String(this.#maxBytes)} bytes`);
        }
        data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      }
    }
  }

  async close(): Promise<void> {
    if (this.#session === undefined) {
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      stop.abort();
    }, CLOSE_TIMEOUT);
    try {
      const init = { method: "DELETE", headers: this.#common(), redirect: "error" as const, signal: stop.signal };
      await (await this.#fetch(this.#url, init)).body?.cancel();
    } catch {
      // The server ends the session by itself.
    } finally {
      clearTimeout(timer);
    }
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  let text = "";
  for await (const line of linesOf(response, maxBytes)) {
    text += `${line}\n`;
    if (text.length > maxBytes) {
      throw new McpError(`the response is longer than ${String(maxBytes)} bytes`);
    }
  }
  return text.trimEnd();
}

/** Yields the lines of a body. */
async function* linesOf(response: Response, maxBytes: number): AsyncGenerator<string> {
  const lines = new Lines(maxBytes);
  const reader = response.body?.getReader() as ByteReader | undefined;
  try {
    for (let chunk = await reader?.read(); chunk?.value !== undefined; chunk = await reader?.read()) {
      yield* lines.push(chunk.value);
    }
    yield lines.end();
  } catch (error) {
    throw error instanceof McpError ? error : new McpError(`failed to read the response: ${reason(error)}`);
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

/** The reader of a body. */
interface ByteReader {
  /** Returns no value at the end. */
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
