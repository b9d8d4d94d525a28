// @ts-check
/** A server of MCP without a library, which does what servers can do. */

/** @type {Record<string, (args: any) => object>} */
const RESULTS = {
  text: () => ({ content: [{ type: "text", text: "one" }, { type: "image", data: "", mimeType: "image/png" }, { type: "text", text: "two" }] }),
  structured: (args) => ({ content: [{ type: "text", text: "…" }], structuredContent: { args } }),
  none: () => ({ content: [] }),
  fails: () => ({ content: [{ type: "text", text: "no such file" }], isError: true }),
  invalid: () => {
    const problems = [{ path: "/limit", expected: "an integer", got: '"many"' }];
    const text = JSON.stringify({ error: "invalid arguments", kind: "invalid_arguments", problems });
    return { content: [{ type: "text", text }], isError: true };
  },
};

/** The messages that a server got. */
export class Server {
  /** @type {any[]} */
  received = [];

  /**
   * Returns the answer to a message: an object, a text that is sent as it is, or `undefined` for none.
   *
   * @param {string} line
   * @returns {object | string | undefined}
   */
  answer(line) {
    const message = JSON.parse(line);
    this.received.push(message);
    const { id, method, params = {} } = message;
    const answer = (/** @type {object} */ result) => ({ jsonrpc: "2.0", id, result });
    switch (method) {
      case "initialize": {
        const version = process.env["MCP_VERSION"] ?? params.protocolVersion;
        return answer({ protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: "fake", version: "1" } });
      }
      case "tools/list": {
        const at = Number(params.cursor ?? 0);
        const tools = [{ name: `tool${String(at)}`, inputSchema: { type: "object" } }];
        return answer({ tools, ...(at < 2 ? { nextCursor: String(at + 1) } : {}) });
      }
      case "tools/call":
        return this.#call(id, params, line);
      default:
        return undefined;
    }
  }

  /**
   * @param {unknown} id
   * @param {any} params
   * @param {string} line
   * @returns {object | string | undefined}
   */
  #call(id, { name, arguments: args }, line) {
    const result = RESULTS[name];
    if (result !== undefined) {
      return { jsonrpc: "2.0", id, result: result(args) };
    }
    switch (name) {
      case "silent":
        return undefined;
      case "received":
        return { jsonrpc: "2.0", id, result: { content: [], structuredContent: { received: this.received } } };
      case "line":
        return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: line }] } };
      case "big":
        return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":{"n":12345678901234567890}}}`;
      case "long":
        return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "x".repeat(100_000) }] } };
      case "nonsense":
        return "nonsense";
      case "exit":
        console.error("out of memory");
        return process.exit(3);
      default:
        return { jsonrpc: "2.0", id, error: { code: -32602, message: `unknown tool: ${String(name)}`, data: { near: "text" } } };
    }
  }
}
