/**
 * MCP over standard streams: starts a server as a program. For Node.js.
 *
 * @module
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

import { type ClientOptions, McpClient } from "./client.ts";
import { Lines } from "./lines.ts";
import { McpError, type Receiver, type Transport } from "./transport.ts";

const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** The number of characters of standard error that are part of an error. */
const MAX_STDERR = 1_000;
/** The time that a program gets to end after its input was closed, and again after SIGTERM, in milliseconds. */
const GRACE = 2_000;

/** How a server is started. */
export interface StdioOptions {
  /** The working directory. */
  readonly cwd?: string;
  /** The environment variables: by default, those of this program. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets what the program writes to standard error. */
  readonly onStderr?: (text: string) => void;
  /** The maximum length of a message in bytes: 64 MiB by default. */
  readonly maxBytes?: number;
}

/**
 * Starts a server, and connects to it over its standard streams. `close` ends it.
 *
 * @throws A `McpError` if the program cannot be started, or does not speak the protocol.
 */
export async function connectStdio(
  command: string,
  args: readonly string[] = [],
  options: ClientOptions & StdioOptions = {},
): Promise<McpClient> {
  return McpClient.connect(new StdioTransport(command, args, options), options);
}

class StdioTransport implements Transport {
  protocolVersion: string | undefined;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #command: string;
  readonly #maxBytes: number;
  readonly #closed: Promise<void>;
  #stderr = "";

  constructor(command: string, args: readonly string[], options: StdioOptions) {
    const { cwd, env, onStderr, maxBytes = MAX_LINE_BYTES } = options;
    this.#command = command;
    this.#maxBytes = maxBytes;
    this.#child = spawn(command, args, { cwd, env, stdio: "pipe" });
    this.#closed = new Promise((resolve) => {
      const done = (): void => {
        resolve();
      };
      this.#child.once("close", done);
      // A program that did not start may not be closed.
      this.#child.once("error", done);
    });
    const decoder = new TextDecoder();
    this.#child.stderr.on("data", (bytes: Uint8Array) => {
      const text = decoder.decode(bytes, { stream: true });
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
      onStderr?.(text);
    });
  }

  start({ receive, end }: Receiver): void {
    const lines = new Lines(this.#maxBytes);
    this.#child.stdout.on("data", (bytes: Uint8Array) => {
      try {
        lines.push(bytes).filter((line) => line.trim() !== "").forEach(receive);
      } catch (error) {
        end(new McpError(`the server has sent something that is not a message: ${(error as Error).message}`));
        this.#child.stdout.destroy();
      }
    });
    this.#child.once("error", (error) => {
      end(new McpError(`failed to start \`${this.#command}\`: ${error.message}`));
    });
    this.#child.once("close", (code, signal) => {
      const stderr = this.#stderr.trim();
      const how = signal ?? `exit status ${String(code)}`;
      end(new McpError(`the server has ended (${how})${stderr === "" ? "" : `: ${stderr}`}`));
    });
    // Its end is reported by the events above.
    this.#child.stdin.on("error", () => undefined);
  }

  send(text: string): Promise<boolean> {
    this.#child.stdin.write(`${text}\n`);
    return Promise.resolve(false);
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#endsWithin(GRACE)) {
        return;
      }
      this.#child.kill(signal);
    }
    await this.#closed;
  }

  async #endsWithin(time: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, time, false);
    });
    const ended = await Promise.race([this.#closed.then(() => true), isLate]);
    clearTimeout(timer);
    return ended;
  }
}
