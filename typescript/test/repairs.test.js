// @ts-check
/**
 * Repairs that the vectors do not contain: numbers beyond bounds, and other names of parameters. The cases are the ones of the Rust runtime.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { errorOf, objectOf, turnOf } from "./support/catalog.js";

const STRING = { types: ["string"], untyped: true };
const INTEGER = { types: ["integer"], untyped: true };

/** @type {[string, Record<string, unknown>][]} */
const BOUNDS = [
  ["offset", { minimum: 1 }],
  ["limit", { minimum: 1, maximum: 2000 }],
  ["below", { maximum: -1 }],
  ["share", { minimum: 0, maximum: 0.5 }],
  ["maybe", { minimum: 1 }],
  ["half", { minimum: 0.5, maximum: 2.5 }],
  ["signed", { minimum: -2.5, maximum: -0.5 }],
  ["between", { exclusiveMinimum: 0, exclusiveMaximum: 10 }],
  ["halves", { exclusiveMinimum: 0.5, exclusiveMaximum: 9.5 }],
  ["fives", { minimum: 1, maximum: 99, multipleOf: 5 }],
  ["odd", { minimum: 1, multipleOf: 2.5 }],
  ["tenth", { minimum: 0.25, maximum: 0.95, multipleOf: 0.1 }],
  ["step", { exclusiveMinimum: 0, multipleOf: 0.5 }],
  ["listed", { minimum: 1, maximum: 4 }],
  ["strict", { minimum: 1 }],
];
const FLOATS = ["share", "tenth", "step"];

/** Returns a turn whose tool has these numbers, all clamped except for `strict`. */
function clamping() {
  const properties = Object.fromEntries(BOUNDS.map(([name], at) => [name, { node: at + 1, clamp: name !== "strict" }]));
  const nodes = BOUNDS.map(([name, bounds]) => ({
    types: [FLOATS.includes(name) ? "number" : "integer", ...(name === "maybe" ? ["null"] : [])],
    untyped: true,
    bounds,
    ...(name === "listed" ? { enum: [2, 4] } : {}),
  }));
  const inner = BOUNDS.length + 1;
  return turnOf([objectOf({ ...properties, inner }), ...nodes, objectOf({ offset: { node: 1, clamp: true } })]);
}

/** @type {[string, unknown][]} */
const CLAMPED = [
  ['{"offset":0}', { offset: 1 }],
  ['{"offset":-1}', { offset: 1 }],
  ['{"offset":-9223372036854775808}', { offset: 1 }],
  ['{"offset":0.0}', { offset: 1 }],
  ['{"offset":-0}', { offset: 1 }],
  ['{"offset":"0"}', { offset: 1 }],
  ['{"offset":" -5 "}', { offset: 1 }],
  ['{"offset":"0.0"}', { offset: 1 }],
  ['{"Offset":0}', { offset: 1 }],
  ['{"limit":0}', { limit: 1 }],
  ['{"limit":2001}', { limit: 2000 }],
  ['{"limit":9223372036854775807}', { limit: 2000 }],
  ['{"limit":"5000"}', { limit: 2000 }],
  ['{"limit":2e3}', { limit: 2000 }],
  ['{"below":0}', { below: -1 }],
  ['{"share":-0.1}', { share: 0 }],
  ['{"share":1}', { share: 0.5 }],
  ['{"share":"0.75"}', { share: 0.5 }],
  ['{"maybe":0}', { maybe: 1 }],
  ['{"half":0}', { half: 1 }],
  ['{"half":3}', { half: 2 }],
  ['{"half":"-7"}', { half: 1 }],
  ['{"signed":-3}', { signed: -2 }],
  ['{"signed":0}', { signed: -1 }],
  ['{"between":0}', { between: 1 }],
  ['{"between":10}', { between: 9 }],
  ['{"halves":0}', { halves: 1 }],
  ['{"halves":"10"}', { halves: 9 }],
  ['{"fives":0}', { fives: 5 }],
  ['{"fives":-100}', { fives: 5 }],
  ['{"fives":100}', { fives: 95 }],
  ['{"odd":0}', { odd: 5 }],
  ['{"tenth":0}', { tenth: 0.3 }],
  ['{"tenth":1}', { tenth: 0.9 }],
  ['{"step":0}', { step: 0.5 }],
  ['{"listed":5}', { listed: 4 }],
  ['{"limit":1e30}', { limit: 2000 }],
  ['{"limit":-1e30}', { limit: 1 }],
  ['{"limit":99999999999999999999}', { limit: 2000 }],
  ['{"limit":-99999999999999999999}', { limit: 1 }],
  ['{"limit":18446744073709551615}', { limit: 2000 }],
  ['{"limit":9007199254740993.0}', { limit: 2000 }],
  ['{"limit":"1e30"}', { limit: 2000 }],
  ['{"limit":"-1e30"}', { limit: 1 }],
  ['{"limit":"1e400"}', { limit: 2000 }],
  ['{"limit":"99999999999999999999"}', { limit: 2000 }],
  ['{"limit":" -99999999999999999999 "}', { limit: 1 }],
  ['{"share":1e30}', { share: 0.5 }],
  ['{"share":"-99999999999999999999.5"}', { share: 0 }],
  ['{"share":"1e400"}', { share: 0.5 }],
  ['{"maybe":-1e30}', { maybe: 1 }],
  ['{"inner":{"offset":-1e30}}', { inner: { offset: 1 } }],
  ['{"inner":{"offset":0}}', { inner: { offset: 1 } }],
  ['{"inner":"{\\"offset\\":0}"}', { inner: { offset: 1 } }],
];

test("a number beyond a bound becomes the bound with a repair", () => {
  const turn = clamping();
  for (const [sent, expected] of CLAMPED) {
    const { arguments: read, repairs } = turn.read("t", sent);
    assert.deepEqual(read, expected, sent);
    assert.equal(
      repairs.some(({ rule }) => rule === "bound"),
      !sent.includes("2e3"),
      sent,
    );
  }
});

/** @type {[string, boolean][]} */
const KEPT = [
  ['{"offset":1}', true],
  ['{"offset":7}', true],
  ['{"maybe":null}', true],
  ['{"offset":null}', true],
  ['{"strict":1}', true],
  ['{"strict":0}', false],
  ['{"offset":0.5}', false],
  ['{"offset":"zero"}', false],
  ['{"offset":[0]}', false],
  ['{"offset":true}', false],
  ['{"limit":"1,000"}', false],
  ['{"limit":"2000.5"}', false],
  ['{"limit":2000.5}', false],
  ['{"limit":"1e-400"}', false],
  ['{"offset":1e30}', false],
  ['{"offset":"99999999999999999999"}', false],
  ['{"strict":-1e30}', false],
  ['{"half":0.4}', false],
  ['{"fives":7}', false],
  ['{"fives":95}', true],
  ['{"listed":0}', false],
  ['{"listed":3}', false],
];

test("other numbers are refused or kept", () => {
  const turn = clamping();
  for (const [sent, isAccepted] of KEPT) {
    if (isAccepted) {
      assert.deepEqual(turn.read("t", sent).repairs, [], sent);
    } else {
      assert.equal(errorOf(() => turn.read("t", sent)).kind, "invalid_arguments", sent);
    }
  }
});

test("the repair of a bound says what was sent and what it became", () => {
  const turn = clamping();
  const found = (/** @type {string} */ sent) => turn.read("t", sent).repairs.map(({ from, to, rule }) => `${from} ${to} ${rule}`);
  assert.deepEqual(found('{"offset":-3}'), ["-3 1 bound"]);
  assert.deepEqual(found('{"offset":"0"}'), ['"0" 0 number', "0 1 bound"]);
  const large = ['"99999999999999999999" 1e+20 number', "1e+20 2000 bound"];
  assert.deepEqual(found('{"limit":"99999999999999999999"}'), large);
  assert.deepEqual(found('{"limit":"1e400"}'), ['"1e400" 2000 bound']);
});

/** Returns a turn whose parameters have other names. */
function aliasing() {
  return turnOf([
    objectOf({
      path: { node: 1, required: true, aliases: ["file_path", "filename"] },
      offset: { node: 2, aliases: ["start_line"] },
      id: 1,
      pin: { node: 1, secret: true, aliases: ["password"] },
      edits: 3,
      maybe: 5,
    }),
    STRING,
    INTEGER,
    { types: ["array"], untyped: true, items: 4 },
    objectOf({ text: { node: 1, aliases: ["content"] } }),
    { untyped: true, any_of: [4, 6] },
    { types: ["null"], untyped: true },
  ]);
}

/** @type {[string, string][]} */
const RENAMED = [
  ['{"file_path":"a"}', '{"path":"a"}'],
  ['{"filename":"a"}', '{"path":"a"}'],
  ['{"filePath":"a"}', '{"path":"a"}'],
  ['{"FILE-PATH":"a"}', '{"path":"a"}'],
  ['{"fileName":"a"}', '{"path":"a"}'],
  ['{"Path":"a"}', '{"path":"a"}'],
  ['{"file_path":5}', '{"path":"5"}'],
  ['{"file_path":3.10}', '{"path":"3.10"}'],
  ['{"file_path":108177563933458432123}', '{"path":"108177563933458432123"}'],
  ['{"path":"a","start_line":3}', '{"path":"a","offset":3}'],
  ['{"path":"a","startLine":"3"}', '{"path":"a","offset":3}'],
  ['{"file_path":"a","start_line":"3"}', '{"path":"a","offset":3}'],
  ['{"path":"a","edits":[{"content":"x"},{"text":"y"}]}', '{"path":"a","edits":[{"text":"x"},{"text":"y"}]}'],
  ['{"path":"a","edits":{"content":"x"}}', '{"path":"a","edits":[{"text":"x"}]}'],
  ['{"path":"a","edits":"[{\\"content\\":1}]"}', '{"path":"a","edits":[{"text":"1"}]}'],
  ['{"path":"a","maybe":{"content":"x"}}', '{"path":"a","maybe":{"text":"x"}}'],
  ['{"path":"a","maybe":null}', '{"path":"a","maybe":null}'],
  ['{"path":"a","file_path":null}', '{"path":"a"}'],
  ['{"path":null,"file_path":"a"}', '{"path":"a"}'],
  ['{"path":"a","offset":null,"start_line":2}', '{"path":"a","offset":2}'],
  ['{"path":"a","offset":2,"start_line":null}', '{"path":"a","offset":2}'],
  ['```json\n{"file_path":"a"}\n```', '{"path":"a"}'],
  ['{\'file_path\': \'a\',}', '{"path":"a"}'],
  ['{"path":"a","file_path":"a"}', '{"path":"a"}'],
  ['{"file_path":"a","path":"a"}', '{"path":"a"}'],
  ['{"file_path":"a","filename":"a"}', '{"path":"a"}'],
  ['{"path":"a","file_path":"a","filename":"a","Path":"a"}', '{"path":"a"}'],
  ['{"path":"a","offset":3,"start_line":"3"}', '{"path":"a","offset":3}'],
  ['{"path":"a","offset":"3","start_line":3}', '{"path":"a","offset":3}'],
  ['{"path":"5","file_path":5}', '{"path":"5"}'],
];

test("an argument under an alias becomes the argument of the property", () => {
  const turn = aliasing();
  for (const [sent, expected] of RENAMED) {
    const { arguments: read, repairs } = turn.read("t", sent);
    assert.deepEqual(read, JSON.parse(expected), sent);
    assert.ok(repairs.length > 0 || !sent.includes("_"), sent);
  }
});

test("two values of one property are refused with the name of the property", () => {
  const turn = aliasing();
  const oneValue = 'expected only one value for "path", of which this is another name';
  for (const [sent, expected] of [
    ['{"path":"a","file_path":"b"}', oneValue],
    ['{"file_path":"b","path":"a"}', oneValue],
    ['{"file_path":"a","filename":"b"}', oneValue],
    ['{"path":"a","fileName":"b"}', oneValue],
    ['{"path":"a","file_path":"a","filename":"b"}', oneValue],
    ['{"path":"a","offset":1,"start_line":2}', 'only one value for "offset"'],
    ['{"path":"a","edits":[{"text":"x","content":"y"}]}', '/edits/0/content: expected only one value for "text"'],
    ['{"path":"a","file_pth":"b"}', 'did you mean "path"?'],
    ['{"path":"a","strat_line":"b"}', 'did you mean "offset"?'],
    ['{"path":"a","content":"b"}', "the known ones are"],
    ["{}", "/path: expected string (required)"],
  ]) {
    assert.ok(errorOf(() => turn.read("t", sent ?? "")).message.includes(expected ?? ""), sent);
  }
});

test("repairs and problems name the key that was sent", () => {
  const turn = aliasing();
  const found = (/** @type {string} */ sent) =>
    turn.read("t", sent).repairs.map(({ path, from, to, rule }) => `${path}: ${from} became ${to} (${rule})`);
  const renamed = ['/file_path: "file_path" became "path" (parameter_name)'];
  assert.deepEqual(found('{"file_path":"a"}'), renamed);
  assert.deepEqual(found('{"path":"a","file_path":"a"}'), renamed);
  assert.deepEqual(found('{"path":"a","startLine":"3"}'), [
    '/startLine: "startLine" became "offset" (parameter_name)',
    '/startLine: "3" became 3 (number)',
  ]);
  assert.equal(errorOf(() => turn.read("t", '{"file_path":["a","b"]}')).problems[0]?.path, "/file_path");
  const secret = found('{"path":"a","password":12345}').join(" ");
  assert.ok(secret.includes("parameter_name") && !secret.includes("12345"), secret);
});

test("keys that a dialect shows under another name get back the name of the property", () => {
  const turn = turnOf([objectOf({ "a.b": 1, "2fa": 2, $limit: 1 }), INTEGER, { types: ["boolean"], untyped: true }]);
  assert.deepEqual(turn.read("t", '{"a_b":1,"_2fa":true,"limit":"5"}').arguments, { "a.b": 1, "2fa": true, $limit: 5 });
  assert.deepEqual(turn.read("t", '{"a_b":1}').repairs, []);
  assert.match(errorOf(() => turn.read("t", '{"a_b":"x"}')).message, /\/a_b: expected integer/);
});
