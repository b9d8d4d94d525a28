// @ts-check
/** The server on standard input and output. It first asks the client something. */
import { createInterface } from "node:readline";

import { Server } from "./mcp_server.js";

const server = new Server();
const requests = [
  { jsonrpc: "2.0", id: "a", method: "ping" },
  { jsonrpc: "2.0", id: "b", method: "sampling/createMessage" },
  { jsonrpc: "2.0", method: "notifications/message", params: {} },
];
process.stdout.write(requests.map((request) => `${JSON.stringify(request)}\r\n\n`).join(""));
for await (const line of createInterface({ input: process.stdin })) {
  const answer = server.answer(line);
  if (answer !== undefined) {
    process.stdout.write(`${typeof answer === "string" ? answer : JSON.stringify(answer)}\n`);
  }
}
