// @ts-check
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { afterEach, test } from "node:test";
import { fileURLToPath } from "node:url";

import { currentCall } from "../dist/platform/plugin.js";

const PROGRAM = fileURLToPath(new URL("support/plugin_program.js", import.meta.url));

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
// A test that has failed leaves its program.
afterEach(() => {
  for (const child of running) {
    child.kill();
  }
  running.clear();
});

/** A running program. */
class Program {
  child = spawn(process.execPath, [PROGRAM], { stdio: "pipe" });
  /** @type {any[]} */
  replies = [];
  out = "";
  err = "";
  closed = new Promise((resolve) => this.child.once("close", resolve));
  /** @type {() => void} */
  #changed = () => undefined;

  constructor() {
    running.add(this.child);
    this.child.stdout.on("data", (bytes) => {
      this.out += String(bytes);
      const lines = this.out.split("\n");
      this.replies = lines.slice(0, -1).map((line) => JSON.parse(line));
      this.#changed();
    });
    this.child.stderr.on("data", (bytes) => {
      this.err += String(bytes);
    });
  }

  /** @param {object[]} requests */
  send(...requests) {
    this.child.stdin.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  }

  /** Waits for a number of replies. */
  async until(/** @type {number} */ count) {
    while (this.replies.length < count) {
      await new Promise((resolve) => {
        this.#changed = () => {
          resolve(undefined);
        };
      });
    }
    return this.replies;
  }

  /** Closes the input, and waits for the end of the program. */
  async end() {
    this.child.stdin.end();
    return this.closed;
  }
}

/**
 * @param {number} id
 * @param {string} tool
 * @param {object} args
 */
const call = (id, tool, args = {}) => ({ id, tool, arguments: args, call_id: `call_${String(id)}`, task: "t" });

test("a program that stays running answers requests in the order in which they end", async () => {
  const program = new Program();
  program.send(call(1, "slow", { time: 150 }), call(2, "slow", { time: 0 }));
  assert.deepEqual(await program.until(2), [
    { id: 2, result: "call_2" },
    { id: 1, result: "call_1" },
  ]);
  program.send({ ...call(3, "echo", { a: "ä\u2028" }), home: "/home" });
  program.send(call(4, "text"), call(5, "nothing"));
  assert.deepEqual((await program.until(5)).slice(2), [
    { id: 3, result: { args: { a: "ä\u2028" }, call: { tool: "echo", id: "call_3", task: "t", home: "/home" } } },
    { id: 4, result: "a text" },
    { id: 5, result: null },
  ]);
  program.send(call(6, "of"));
  assert.deepEqual((await program.until(6)).at(-1), { id: 6, result: 13 });
  assert.equal(await program.end(), 0);
  assert.equal(program.err, "the end\n");
});

test("a request without an id is answered once, and the program ends before its input does", async () => {
  const program = new Program();
  program.send({ tool: "text", arguments: {} });
  assert.equal(await program.closed, 0);
  assert.deepEqual(program.replies, [{ result: "a text" }]);
});

test("a cancelled call is answered at once, also if its handler does not react", async () => {
  const program = new Program();
  program.send(call(1, "wait"), call(2, "deaf"), call(3, "slow", { time: 100 }), { cancel: 1 }, { cancel: 2 }, { cancel: 99 });
  assert.deepEqual(await program.until(3), [
    { id: 1, error: "cancelled" },
    { id: 2, error: "cancelled" },
    { id: 3, result: "call_3" },
  ]);
  program.send({ cancel: 1 }, call(4, "text"));
  assert.deepEqual((await program.until(4)).at(-1), { id: 4, result: "a text" });
  assert.equal(await program.end(), 0);
  assert.equal(program.err, "aborted\nthe end\n");
});

test("what handlers print goes to standard error", async () => {
  const program = new Program();
  program.send(call(1, "prints"));
  await program.end();
  assert.deepEqual(program.replies, [{ id: 1, result: "done" }]);
  assert.equal(program.err, "printed by console.log\nprinted by write\nthe end\n");
});

test("the model gets the message of an error, and the author its stack", async () => {
  const program = new Program();
  program.send(call(1, "throws"), call(2, "refuses"), call(3, "odd"), call(4, "missing"), call(5, "cyclic"), call(6, "toString"));
  program.send({ id: 7, hook: "before", tool: "text", arguments: {} }, { id: 8, memory: "read", arguments: {} });
  await program.end();
  const errors = Object.fromEntries(program.replies.map(({ id, error }) => [id, error]));
  const noHook = "this program only runs tools: remove the hooks and `memory` from plugin.toml";
  assert.deepEqual(errors, {
    1: "no such file: choose another",
    2: "that is private",
    3: "a text",
    4: "this program has no handler for the tool `missing`: generate its module again",
    5: "the value is nested too deeply to be written as JSON",
    6: "this program has no handler for the tool `toString`: generate its module again",
    7: noHook,
    8: noHook,
  });
  const { kind, fields } = program.replies.find(({ id }) => id === 2);
  assert.deepEqual([kind, fields], ["refused", { path: "/home", kind_: 1 }]);
  assert.ok(program.replies.every(({ id, ...reply }) => id === 2 || Object.keys(reply).length === 1));
  assert.match(program.err, /Error: no such file: choose another\n\s+at \S*throws \(/);
});

test("calls that run at the end of the input are answered", async () => {
  const program = new Program();
  program.send(call(1, "slow", { time: 100 }));
  assert.equal(await program.end(), 0);
  assert.deepEqual(program.replies, [{ id: 1, result: "call_1" }]);
});

test("integers are exact", async () => {
  const program = new Program();
  program.child.stdin.write('{"id":1,"tool":"big","arguments":{"number":12345678901234567890}}\n');
  await program.end();
  assert.equal(program.out, '{"id":1,"result":12345678901234567890}\n');
});

test("a line in pieces is one request, and the last one needs no end", async () => {
  const program = new Program();
  const line = Buffer.from(JSON.stringify(call(1, "echo", { a: "äöü" })));
  for (const byte of line) {
    program.child.stdin.write(Buffer.from([byte]));
  }
  await program.end();
  assert.deepEqual(program.replies[0].result.args, { a: "äöü" });
});

test("something that is not a request ends the program with a message", async () => {
  for (const line of ["nonsense", "[1]"]) {
    const program = new Program();
    program.child.stdin.write(`${line}\n`);
    assert.notEqual(await program.closed, 0);
    assert.match(program.err, /expected a JSON object/);
    assert.equal(program.out, "");
  }
});

test("a program whose host has ended, ends", async () => {
  const program = new Program();
  program.send(call(1, "wait"));
  program.child.stdout.destroy();
  program.send(call(2, "text"));
  await program.closed;
});

test("there is no current call outside of a handler", () => {
  assert.throws(() => currentCall(), /there is no current call/);
});
