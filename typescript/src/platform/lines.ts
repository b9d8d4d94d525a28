/**
 * Messages as lines of JSON.
 *
 * @module
 */

import { JsonError, parseJson } from "../args/tree.ts";
import { type Plain, toPlain } from "../value.ts";

/** The maximum depth of a message: a result has at most 127 levels, and is inside of other objects. */
const MAX_DEPTH = 135;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A message: a JSON object. */
export type Message = Readonly<Record<string, Plain | undefined>>;

/**
 * Reads a message. Integers beyond ±(2^53 - 1) are of type `bigint`.
 *
 * @throws An `Error` that says why the text is not a message.
 */
export function readMessage(text: string): Message {
  const value = parseJson(text, MAX_DEPTH, false);
  if (value instanceof JsonError) {
    throw new Error(`expected a JSON object: ${value.message}`);
  }
  const message = toPlain(value);
  if (!isObject(message)) {
    throw new Error("expected a JSON object, and got another value");
  }
  return message;
}

/** Returns whether a value is an object. */
export function isObject(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Splits bytes into lines, without their ends. */
export class Lines {
  readonly #maxBytes: number;
  readonly #parts: Uint8Array[] = [];
  readonly #decoder = new TextDecoder();
  #length = 0;

  /** @param maxBytes - The maximum length of a line. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the lines that these bytes complete.
   *
   * @throws An `Error` if a line is too long.
   */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#add(bytes.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#add(bytes.subarray(start));
    return lines;
  }

  /** Returns the last line, which may be empty. */
  end(): string {
    return this.#take();
  }

  #add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) {
      throw new Error(`a line is longer than ${String(this.#maxBytes)} bytes`);
    }
    if (part.length > 0) {
      this.#parts.push(part);
    }
  }

  #take(): string {
    const line = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      line.set(part, at);
      at += part.length;
    }
    this.#parts.length = 0;
    this.#length = 0;
    return this.#decoder.decode(line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line);
  }
}
