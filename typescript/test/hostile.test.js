// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { ToolError } from "../dist/index.js";
import { errorOf, objectOf, turnOf } from "./support/catalog.js";

const ANY = { untyped: true };
const KINDS = new Set(["malformed_arguments", "invalid_arguments"]);

/**
 * Returns whether a text is accepted. Only the documented errors may be thrown.
 *
 * @param {import("../dist/index.js").Turn} turn
 * @param {string} text
 */
function isAccepted(turn, text) {
  try {
    const call = turn.read("t", text);
    assert.ok(call.repairs.length <= 100);
    return true;
  } catch (error) {
    assert.ok(error instanceof ToolError && KINDS.has(error.kind), String(error));
    assert.ok(error.text.length < 40_000);
    JSON.parse(error.text);
    return false;
  }
}

test("keys of the prototype of objects are ordinary keys", () => {
  const turn = turnOf([{ types: ["object"], untyped: true }]);
  const keys = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  for (const key of keys) {
    // The trailing comma needs a repair, so that both ways of reading are tested.
    for (const text of [`{"${key}":{"polluted":1}}`, `{"${key}":{"polluted":1},}`]) {
      const { arguments: read } = turn.read("t", text);
      assert.deepEqual(Object.keys(read), [key]);
      assert.deepEqual(Object.getOwnPropertyDescriptor(read, key)?.value, { polluted: 1 });
      assert.equal(Object.getPrototypeOf(read), Object.prototype);
    }
  }
  assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
  const strict = turnOf([objectOf({ a: 1 }), ANY]);
  for (const key of keys) {
    assert.match(errorOf(() => strict.read("t", `{"${key}":1}`)).message, /expected no argument of this name/);
    assert.equal(errorOf(() => strict.read(key, "{}")).kind, "unknown_tool");
  }
  const declared = turnOf([objectOf({ constructor: { node: 1, required: true } }), { types: ["integer"] }]);
  assert.equal(errorOf(() => declared.read("t", "{}")).problems[0]?.path, "/constructor");
  assert.deepEqual(declared.read("t", '{"constructor":"5"}').arguments, { constructor: 5 });
});

test("a default of a property that is called __proto__ becomes an own property", () => {
  const turn = turnOf([objectOf({ ["__proto__"]: { node: 1, default: [1] }, b: 1 }), ANY]);
  for (const text of ["{}", "{'b':1,}"]) {
    const { arguments: read } = turn.read("t", text);
    assert.deepEqual(Object.getOwnPropertyDescriptor(read, "__proto__")?.value, [1]);
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
  }
});

test("a key that occurs twice is found, whatever the strings contain", () => {
  const turn = turnOf([{ types: ["object"], untyped: true }]);
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":":","a":":"}',
    '{"a":"\\":","b":{"c":1,"c":2}}',
    '{"a":[{"x":"y:z"},{"x":1,"x":2}]}',
    '{"a\\\\":1,"a\\\\":2}',
    '{"\\u0061":1,"a":2}',
  ]) {
    assert.match(errorOf(() => turn.read("t", text)).message, /occurs twice in one object/, text);
  }
  for (const text of ['{"a":":","b":"::"}', '{"a":"\\":","b:":1}', '{"a\\\\":":","b":{"a":":\\\\"}}']) {
    assert.deepEqual(turn.read("t", text).arguments, JSON.parse(text), text);
  }
});

test("half of a character of UTF-16 becomes U+FFFD, as an escape it is refused", () => {
  const turn = turnOf([objectOf({ a: 1 }), { types: ["string"] }]);
  assert.deepEqual(turn.read("t", '{"a":"x\ud800y"}').arguments, { a: "x\ufffdy" });
  assert.deepEqual(turn.read("t", '{"a":"\ud83d\ude00"}').arguments, { a: "😀" });
  assert.deepEqual(turn.read("t", '{"a":"\\ud83d\\ude00"}').arguments, { a: "😀" });
  for (const [text, message] of [
    ['{"a":"\\ud800"}', "unexpected end of hex escape at line 1 column 13"],
    ['{"a":"\\ude00\\ud83d"}', "lone leading surrogate in hex escape at line 1 column 12"],
  ]) {
    assert.ok(errorOf(() => turn.read("t", text ?? "")).message.includes(message ?? ""), text);
  }
  assert.match(errorOf(() => turn.read("\udfff", "{}")).text, /unknown tool `\ufffd`/);
});

test("lengths are counted in code points, and positions in bytes", () => {
  const turn = turnOf([objectOf({ a: 1 }), { types: ["string"], bounds: { minLength: 2, maxLength: 2 } }]);
  assert.deepEqual(turn.read("t", '{"a":"😀ß"}').arguments, { a: "😀ß" });
  assert.match(errorOf(() => turn.read("t", '{"a":"😀"}')).message, /got 1 character$/);
  assert.match(errorOf(() => turn.read("t", '{"😀ß": x}')).message, /line 1 column 12\./);
});

test("texts beyond the limits are refused, and limits can be lowered", () => {
  const turn = turnOf([{ types: ["object"], untyped: true }]);
  const nested = (/** @type {number} */ depth) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  assert.ok(isAccepted(turn, nested(64)));
  assert.match(errorOf(() => turn.read("t", nested(65))).message, /nested too deeply at line 1 column \d+: at most 64 /);
  assert.match(errorOf(() => turn.read("t", " ".repeat(4_194_305))).message, /they have 4194305 bytes, but at most 4194304/);
  assert.match(errorOf(() => turn.read("t", "ß".repeat(2_097_153))).message, /they have 4194306 bytes/);
  const low = turnOf([{ types: ["object"], untyped: true }], { limits: { maxBytes: 20, maxDepth: 3, maxSteps: 10 } });
  assert.ok(isAccepted(low, nested(3)));
  assert.match(errorOf(() => low.read("t", nested(4))).message, /at most 3 levels/);
  assert.match(errorOf(() => low.read("t", `{"a":"${"x".repeat(20)}"}`)).message, /at most 20 are allowed/);
  const items = turnOf([objectOf({ a: 1 }), { types: ["array"], items: 2 }, { types: ["integer"] }], {
    limits: { maxSteps: 10 },
  });
  assert.match(errorOf(() => items.read("t", '{"a":[1,2,3,4,5,6,7,8,9]}')).message, /too much to check/);
  const higher = turnOf([ANY], { limits: { maxDepth: 1_000 } });
  assert.match(errorOf(() => higher.read("t", nested(65))).message, /at most 64 levels/);
});

test("schemas that refer to themselves end in bounded time and stack", () => {
  /** A union of itself, of arrays of itself and of objects of itself, with parts that are unions, too. */
  const union = [
    objectOf({ a: 1 }),
    { untyped: true, any_of: [2, 3, 4, 1, 5] },
    { types: ["array"], items: 1 },
    { types: ["object"], untyped: true, additional: 1 },
    { types: ["object"], untyped: true, additional: 1, any_of: [1, 2] },
    { untyped: true, all_of: [6, 6] },
    { untyped: true, one_of: [7, 3, 2], all_of: [5] },
    { types: ["integer", "null"] },
  ];
  const parts = [
    objectOf({ a: 1 }),
    { types: ["array", "object"], untyped: true, items: 1, additional: 1, any_of: [2, 3], all_of: [4] },
    { types: ["array", "object"], untyped: true, items: 1, additional: 1, any_of: [3, 1] },
    { types: ["array"], items: 1, any_of: [2, 1] },
    { untyped: true, items: 1, additional: 1, all_of: [5] },
    { untyped: true, items: 1, additional: 1, all_of: [4] },
  ];
  for (const table of [union, parts]) {
    const turn = turnOf(table, { limits: { maxSteps: 500_000 } });
    const open = '[{"a":'.repeat(31);
    const close = "}]".repeat(31);
    for (const inner of ["1", "null", '"null"', '"x"', "[1,[2,[3]]]", '"[1,[2,[null]]]"']) {
      isAccepted(turn, `{"a":${open}${inner}${close}}`);
      isAccepted(turn, `{"a":${"[".repeat(63)}${inner.startsWith("[") ? "1" : inner}${"]".repeat(63)}}`);
      isAccepted(turn, JSON.stringify({ a: `${open}${inner}${close}` }));
    }
    const start = performance.now();
    isAccepted(turnOf(table), `{"a":${open}"[1,[2,[null]]]"${close}}`);
    assert.ok(performance.now() - start < 60_000);
  }
});

test("the repairs of an object with many keys are listed in linear time", () => {
  const turn = turnOf([{ types: ["object"], untyped: true, properties: [{ name: "n", node: 1 }] }, { types: ["integer"] }]);
  const keys = Array.from({ length: 100_000 }, (_, at) => `"k${String(at)}":1`);
  const start = performance.now();
  assert.deepEqual(turn.read("t", `{"n":"5",${keys.join(",")}}`).repairs, [
    { path: "/n", rule: "number", from: '"5"', to: "5" },
  ]);
  assert.ok(performance.now() - start < 20_000);
});

test("a stack that is too small for a schema is not exhausted", () => {
  const script = fileURLToPath(new URL("support/small_stack.js", import.meta.url));
  const output = execFileSync(process.execPath, ["--stack-size=300", script], { encoding: "utf8" });
  assert.equal(output, "invalid arguments: expected something simpler, got too much to check\n");
});

test("random texts have no other errors than the documented ones", () => {
  const turn = turnOf([
    objectOf({ a: 1, b: 2, "c-d": 3, s: { node: 4, secret: true } }),
    { types: ["integer", "null"], bounds: { minimum: 1 } },
    { types: ["array"], items: 0 },
    { untyped: true, any_of: [1, 2, 0] },
    { types: ["string"], enum: ["One", "Two"] },
  ]);
  const pieces = [...Array.from("{}[]:,\"'\\ \n\t0159.-+eEnutfTN"), '"a"', '"b"', '"c_d"', '"s"', "null", "\\u", "d800", "\\x4", "1e9"];
  pieces.push('{"a":', "```", "json", "\ud83d", "é", "True", "None", "[secret]", "\u0000", '"C-D":', "{}");
  let seed = 1;
  const next = (/** @type {number} */ below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  let accepted = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: next(14) }, () => pieces[next(pieces.length)]).join("");
    accepted += isAccepted(turn, round % 2 === 0 ? text : `{"a":1,"b":[${text}]}`) ? 1 : 0;
  }
  assert.ok(accepted > 500, String(accepted));
});
