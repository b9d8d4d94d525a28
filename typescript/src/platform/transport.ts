/**
 * How messages reach an MCP server.
 *
 * @module
 */

/** A failure of the connection, or an error of the protocol, such as an unknown tool. */
export class McpError extends Error {
  override readonly name = "McpError";
  /** The code of an error that the server has sent. */
  readonly code: number | undefined;
  readonly data: unknown;

  constructor(message: string, code?: number, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** What a transport reports. */
export interface Receiver {
  /** A message of the server. */
  readonly receive: (text: string) => void;
  /** The end of the connection. */
  readonly end: (error: Error) => void;
}

/** A connection to a server. */
export interface Transport {
  /** The version of the protocol, once it is known. */
  protocolVersion: string | undefined;
  start(receiver: Receiver): void;
  /**
   * Sends a message. Returns whether everything that the server answers to it has been received.
   *
   * @throws A {@link McpError} if the server could not be asked.
   */
  send(text: string, isRequest: boolean, signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}
