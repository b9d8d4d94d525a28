/** What the tests share: catalogs, handlers, and a server that plays a vendor. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

import { Catalog, type Handlers } from "@toolc/runtime";

/** The catalog with all kinds of tools. */
export const golden = Catalog.parse(readFileSync(new URL("../../../../tests/vectors/golden.json", import.meta.url), "utf8"));

/** Handlers that return what they got, with the name of the tool. */
export const echoes: Handlers = Object.fromEntries(
  golden.tools.map((name) => [name, (args): unknown => ({ tool: name, args })]),
);

/** A request that the server got. */
export interface Sent {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** A server that gives these responses, one after the other. A text is a stream of events. */
export interface Vendor {
  readonly url: string;
  readonly requests: readonly Sent[];
  [Symbol.dispose](): void;
}

/** Starts a server. */
export async function vendor(...responses: readonly unknown[]): Promise<Vendor> {
  const requests: Sent[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const answer = responses[requests.length];
      requests.push({ path: request.url ?? "", body: body as Record<string, unknown> });
      const type = typeof answer === "string" ? "text/event-stream" : "application/json";
      response.writeHead(answer === undefined ? 400 : 200, { "content-type": type });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? { error: { message: "the script has ended" } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    requests,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
