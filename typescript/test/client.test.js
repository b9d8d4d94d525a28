// @ts-check
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { ToolError } from "../dist/index.js";
import { connectHttp, McpError } from "../dist/platform/client.js";
import { connectStdio } from "../dist/platform/stdio.js";
import { Server } from "./support/mcp_server.js";

const PROGRAM = fileURLToPath(new URL("support/mcp_program.js", import.meta.url));

/** @param {object} options */
const overStdio = (options = {}) => connectStdio(process.execPath, [PROGRAM], options);

/** @typedef {{ client: import("../dist/platform/client.js").McpClient, headers: import("node:http").IncomingHttpHeaders[], methods: string[], closed: number, close: () => Promise<void> }} Http */

/**
 * Starts the server over HTTP, and connects to it.
 *
 * @param {{ events?: boolean, options?: object, status?: number }} how
 * @returns {Promise<Http>}
 */
async function overHttp({ events = false, options = {}, status = 200 } = {}) {
  const server = new Server();
  /** @type {Pick<Http, "headers" | "methods" | "closed">} */
  const seen = { headers: [], methods: [], closed: 0 };
  const http = createServer((request, response) => {
    void text(request).then((body) => {
      seen.headers.push(request.headers);
      seen.methods.push(request.method ?? "");
      const answer = body === "" ? undefined : server.answer(body);
      const isRequest = body.includes('"id"') && body.includes('"method"');
      const json = typeof answer === "string" ? answer : JSON.stringify(answer);
      if (status !== 200 || !isRequest) {
        response.writeHead(isRequest ? status : 202).end(isRequest ? "go away" : "");
      } else if (answer === undefined && body.includes('"silent"')) {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": nothing yet\n\n");
      } else if (events) {
        response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "session-1" });
        response.write(`id: 0\nretry: 3000\ndata:\n\n`);
        response.write(`event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\r\n\r\n: a comment\nid: 7\n`);
        // A message can be in several lines of data. The response to a call stays open.
        const at = json.indexOf(",");
        response.write(`data: ${json.slice(0, at)}\ndata:${json.slice(at)}\n\n`);
        response.on("close", () => {
          seen.closed += 1;
        });
        if (!body.includes("tools/call")) {
          response.end();
        }
      } else {
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "session-1" }).end(json);
      }
    });
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", () => {
    resolve(undefined);
  }));
  const { port } = /** @type {import("node:net").AddressInfo} */ (http.address());
  const stop = () => {
    http.closeAllConnections();
    http.close();
  };
  try {
    const client = await connectHttp(`http://127.0.0.1:${String(port)}/mcp`, options);
    return { client, headers: seen.headers, methods: seen.methods, get closed() { return seen.closed; }, close: async () => { await client.close(); stop(); } };
  } catch (error) {
    stop();
    throw error;
  }
}

/** @type {Record<string, (options?: object) => Promise<{ client: import("../dist/platform/client.js").McpClient, close: () => Promise<void> }>>} */
const CONNECTIONS = {
  stdio: async (options = {}) => {
    const client = await overStdio(options);
    return { client, close: () => client.close() };
  },
  "HTTP with JSON": (options = {}) => overHttp({ options }),
  "HTTP with events": (options = {}) => overHttp({ events: true, options }),
};

for (const [name, connect] of Object.entries(CONNECTIONS)) {
  test(`${name}: tools of all pages are listed, and calls have results`, async () => {
    const { client, close } = await connect({ client: { name: "me", version: "2" } });
    assert.deepEqual(client.server, { name: "fake", version: "1" });
    assert.equal(client.protocolVersion, "2025-11-25");
    assert.deepEqual((await client.tools()).map((tool) => tool.name), ["tool0", "tool1", "tool2"]);
    const { call } = client;
    assert.equal(await call("text"), "one\ntwo");
    assert.equal(await call("none"), "");
    assert.deepEqual(await call("structured", { a: [1, "ä"] }), { args: { a: [1, "ä"] } });
    assert.equal((await client.result("text")).content[1]?.type, "image");
    const { received } = /** @type {any} */ (await call("received"));
    assert.deepEqual(received[0].params.clientInfo, { name: "me", version: "2" });
    assert.ok(received.some((/** @type {any} */ { method, id }) => method === "notifications/initialized" && id === undefined));
    await close();
    await assert.rejects(call("text"), /the connection was closed/);
  });

  test(`${name}: integers are exact in both directions`, async () => {
    const { client, close } = await connect();
    assert.deepEqual(await client.call("big"), { n: 12345678901234567890n });
    assert.match(String(await client.call("line", { n: 12345678901234567890n })), /"arguments":\{"n":12345678901234567890\}/);
    await close();
  });

  test(`${name}: errors of calls are ToolErrors, and errors of the protocol have their code`, async () => {
    const { client, close } = await connect();
    await assert.rejects(client.call("fails"), (error) => error instanceof ToolError && error.kind === "failed" && error.message === "no such file");
    await assert.rejects(client.call("invalid"), (error) => {
      assert.ok(error instanceof ToolError);
      assert.deepEqual([error.kind, error.message], ["invalid_arguments", "invalid arguments"]);
      assert.deepEqual(error.problems, [{ path: "/limit", expected: "an integer", got: '"many"' }]);
      return true;
    });
    await assert.rejects(client.call("missing"), (error) => {
      assert.ok(error instanceof McpError);
      assert.deepEqual([error.code, error.message, error.data], [-32602, "unknown tool: missing", { near: "text" }]);
      return true;
    });
    await close();
  });

  test(`${name}: a call ends at its time limit or with its signal, and the server gets to know`, async () => {
    const { client, close } = await connect();
    await assert.rejects(client.call("silent", {}, { timeout: 50 }), (error) => error instanceof ToolError && error.kind === "timeout");
    const reason = new Error("the user has stopped it");
    const stop = new AbortController();
    setTimeout(() => {
      stop.abort(reason);
    }, 20);
    await assert.rejects(client.call("silent", {}, { signal: stop.signal }), reason);
    await assert.rejects(client.call("text", {}, { signal: stop.signal }), reason);
    const { received } = /** @type {any} */ (await client.call("received"));
    const cancelled = received.filter((/** @type {any} */ { method }) => method === "notifications/cancelled");
    const silent = received.filter((/** @type {any} */ { params }) => params?.name === "silent");
    assert.deepEqual(cancelled.map((/** @type {any} */ { params }) => params.requestId), silent.map((/** @type {any} */ { id }) => id));
    assert.equal(silent.length, 2);
    await close();
  });

  test(`${name}: a message that is too long, or not a message, fails the call`, async () => {
    const { client, close } = await connect({ maxBytes: 10_000 });
    await assert.rejects(client.call("long"), /longer than 10000 bytes/);
    await close();
    const other = await connect();
    await assert.rejects(other.client.call("nonsense"), /something that is not a message: expected a JSON object/);
    await other.close();
  });
}

test("requests of a server are answered, and it gets no capabilities", async () => {
  const client = await overStdio();
  const { received } = /** @type {any} */ (await client.call("received"));
  assert.deepEqual(received[0].params.capabilities, {});
  const answers = received.filter((/** @type {any} */ { method }) => method === undefined);
  assert.deepEqual(answers, [
    { jsonrpc: "2.0", id: "a", result: {} },
    { jsonrpc: "2.0", id: "b", error: { code: -32601, message: "the client does not have the method sampling/createMessage" } },
  ]);
  await client.close();
});

test("a program that ends fails the open calls, with what it has written to standard error", async () => {
  let written = "";
  const client = await overStdio({ onStderr: (/** @type {string} */ part) => (written += part) });
  const open = client.call("silent");
  const expected = /the server has ended \(exit status 3\): out of memory/;
  await Promise.all([assert.rejects(client.call("exit"), expected), assert.rejects(open, expected)]);
  await assert.rejects(client.call("text"), expected);
  assert.equal(written, "out of memory\n");
  await client.close();
});

test("a program that does not start, is silent, or speaks another version is an error", async () => {
  await assert.rejects(connectStdio("no-such-program-of-toolc"), /^McpError: failed to start `no-such-program-of-toolc`: .*ENOENT/);
  await assert.rejects(connectStdio(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { timeout: 100 }), /did not answer `initialize` within 0.1 s/);
  const env = { ...process.env, MCP_VERSION: "1999-01-01" };
  await assert.rejects(overStdio({ env }), /the server speaks version `1999-01-01` of MCP, and this client 2025-11-25/);
});

test("over HTTP, requests have the session, the version and the headers, and the session is ended", async () => {
  const { client, headers, methods, close } = await overHttp({ options: { headers: { authorization: "Bearer token" } } });
  await client.call("text");
  await close();
  assert.ok(headers.every((one) => one.authorization === "Bearer token"));
  assert.deepEqual(headers.map((one) => one["mcp-session-id"]), [undefined, "session-1", "session-1", "session-1"]);
  assert.deepEqual(headers.map((one) => one["mcp-protocol-version"]), [undefined, "2025-11-25", "2025-11-25", "2025-11-25"]);
  assert.deepEqual(methods, ["POST", "POST", "POST", "DELETE"]);
});

test("a response that stays open after its answer is closed, and a time limit can be unlimited", async () => {
  const http = await overHttp({ events: true, options: { timeout: Infinity } });
  const before = http.closed;
  assert.equal(await http.client.call("text"), "one\ntwo");
  while (http.closed === before) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await http.close();
});

test("over HTTP, a refusal and an address without a server are errors", async () => {
  await assert.rejects(overHttp({ status: 401 }), /^McpError: the server answered with the HTTP status 401: go away$/);
  await assert.rejects(connectHttp("http://127.0.0.1:1/mcp"), /^McpError: failed to reach http:\/\/127.0.0.1:1\/mcp: /);
});
