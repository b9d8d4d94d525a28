import assert from "node:assert/strict";
import { test } from "node:test";

import { sValidator } from "@hono/standard-validator";
import { initTRPC } from "@trpc/server";
import { Hono } from "hono";

import { catalog } from "./examples/notes-tools/index.ts";

const turn = catalog.turn("mcp");

test("Hono validates and repairs a body with the schema of a tool", async () => {
  const app = new Hono().post("/notes", sValidator("json", turn.schema("add_note")), (context) => context.json(context.req.valid("json") as object));
  const post = (body: object) =>
    app.request("/notes", { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
  const good = await post({ text: "Buy tea", tags: "shopping" });
  assert.deepEqual([good.status, await good.json()], [200, { text: "Buy tea", tags: ["shopping"] }]);
  const bad = await post({ text: "" });
  const { error } = (await bad.json()) as { error: { path: string[] }[] };
  assert.deepEqual([bad.status, error[0]?.path], [400, ["text"]]);
});

test("tRPC validates an input with the schema of a tool", async () => {
  const trpc = initTRPC.create();
  const router = trpc.router({ find: trpc.procedure.input(turn.schema("find_notes")).query(({ input }) => input) });
  const caller = router.createCaller({});
  assert.deepEqual(await caller.find({ word: "tea", limit: "5" }), { word: "tea", limit: 5 });
  await assert.rejects(caller.find({ limit: 5 }), { code: "BAD_REQUEST" });
});
