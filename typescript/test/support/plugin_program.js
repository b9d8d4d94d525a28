// @ts-check
/** The program of a plugin, whose handlers do what a program can do wrong. */
import { setTimeout as sleep } from "node:timers/promises";

import { ToolError } from "../../dist/index.js";
import { currentCall, serve } from "../../dist/platform/plugin.js";

await serve({
  echo: (args, call) => ({ args, call: { tool: call.tool, id: call.callId, task: call.task, home: call.home ?? null } }),
  text: () => "a text",
  nothing: () => undefined,
  of() {
    return Object.keys(this).length;
  },
  big: (args) => args["number"],
  slow: async (args) => {
    await sleep(Number(args["time"]));
    // Work that is already open knows its own call.
    return currentCall().callId;
  },
  wait: async (_, { signal }) => {
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    console.error("aborted");
  },
  deaf: () => new Promise(() => undefined),
  prints: () => {
    console.log("printed by console.log");
    process.stdout.write("printed by write\n");
    return "done";
  },
  throws: () => {
    throw new Error("no such file: choose another");
  },
  refuses: () => {
    throw new ToolError("that is private", "refused", [], { path: "/home", kind: 1 });
  },
  odd: () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- what a handler throws can be anything
    throw "a text";
  },
  cyclic: () => {
    /** @type {unknown[]} */
    const list = [];
    list.push(list);
    return list;
  },
});
console.log("the end");
