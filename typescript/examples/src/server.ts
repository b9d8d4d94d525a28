// An HTTP server that offers the tools: `GET /tools` lists them, and `POST /tools/NAME` validates the body and runs the tool.
//
//   node dist/server.js 8080
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { Notes } from "./notes.ts";
import { catalog, handlers } from "./notes-tools/index.ts";

const turn = catalog.turn("mcp");
const tools = handlers({ notes: new Notes() });

const server = createServer((request, response) => {
  const answer = (status: number, json: string): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(json);
  };
  const run = async (): Promise<void> => {
    if (request.method === "GET" && request.url === "/tools") {
      answer(200, turn.text);
      return;
    }
    const name = /^\/tools\/([\w-]+)$/.exec(request.url ?? "")?.[1];
    if (request.method !== "POST" || name === undefined) {
      answer(404, `{"error":"not found"}`);
      return;
    }
    const { text: result, isError } = await turn.call(name, await text(request), tools);
    answer(isError ? 400 : 200, isError || result.startsWith("{") ? result : JSON.stringify(result));
  };
  run().catch((error: unknown) => {
    console.error(error);
    answer(500, `{"error":"the server failed"}`);
  });
});

server.listen(Number(process.argv[2] ?? 8080), "127.0.0.1", () => {
  const address = server.address();
  console.log(`listening on http://127.0.0.1:${String(typeof address === "object" ? address?.port : address)}`);
});
