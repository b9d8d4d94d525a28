// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { Catalog, CatalogError, ToolError, TurnError } from "../dist/index.js";
import { catalogOf, documentOf, errorOf, objectOf, turnOf } from "./support/catalog.js";

const STRING = { types: ["string"], untyped: true };
const INTEGER = { types: ["integer"], untyped: true };

test("a catalog of another format, and what is not a catalog, are refused", () => {
  const text = (/** @type {unknown} */ document) => JSON.stringify(document);
  for (const [document, message] of [
    [
      text(documentOf([], { format: 2 })),
      "this catalog has the format 2, and this version of the runtime reads 1: run `cargo xtask gen` with the toolc of the same version",
    ],
    ["{", "this is not a compiled catalog: EOF while parsing an object at line 1 column 1: write it again with `cargo xtask gen`"],
    ["[]", "this is not a compiled catalog: the document: expected an object, got array: write it again with `cargo xtask gen`"],
    ["{}", "this is not a compiled catalog: the document: expected an object with the key `format`, got object: write it again with `cargo xtask gen`"],
    ['{"format":"1"}', 'this is not a compiled catalog: /format: expected a number, got "1": write it again with `cargo xtask gen`'],
  ]) {
    assert.throws(() => Catalog.parse(document ?? ""), new CatalogError(message ?? ""));
  }
  /** @type {[Record<string, unknown>, string][]} */
  const damaged = [
    [{ name: 5 }, "/tools/0/name: expected a string, got 5"],
    [{ name: "t", arguments: [{ types: ["text"] }] }, "/tools/0/arguments/0/types/0: expected one of null, boolean"],
    [{ name: "t", arguments: [objectOf({ a: 1 })] }, "/tools/0/arguments/0/properties/0/node: expected a number below 1"],
    [{ name: "t", definitions: { mcp: [{ when: { tools: "x" }, text: [] }] } }, "/definitions/mcp/0/when: expected a condition"],
    [{ name: "t", requires: { env: "A" } }, "/tools/0/requires/env: expected an array"],
  ];
  for (const [tool, place] of damaged) {
    const isExpected = (/** @type {Error} */ error) => error instanceof CatalogError && error.message.includes(place);
    assert.throws(() => catalogOf([tool]), isExpected, place);
  }
  const deep = `{"format":1,"x":${"[".repeat(200)}`;
  assert.throws(() => Catalog.parse(deep), CatalogError);
});

test("a parsed catalog is read like its text", () => {
  const document = documentOf([{ name: "t" }]);
  assert.equal(Catalog.from(document).turn("mcp").text, Catalog.parse(JSON.stringify(document)).turn("mcp").text);
  assert.throws(() => Catalog.from(undefined), CatalogError);
});

test("a turn of unknown names says which ones are near", () => {
  const facts = [
    { name: "vision", default: false },
    { name: "depth", default: 2 },
  ];
  const toolsets = [{ name: "files", aliases: ["file_tools"] }, { name: "web" }];
  const catalog = catalogOf([{ name: "read_file", toolset: "files", aliases: ["cat"] }], { facts, toolsets });
  /** @type {[any, string, string][]} */
  const unknown = [
    [{ enable: ["fils"] }, "unknown_toolset", "unknown toolset `fils`: did you mean `files`?"],
    [{ disable: ["read_file"] }, "unknown_toolset", "unknown toolset `read_file`: it is a tool, of the toolset `files`"],
    [{ enable: ["xyz"] }, "unknown_toolset", "unknown toolset `xyz`: the known toolsets are `all`, `files`, `web`"],
    [{ enableTools: ["file_read"] }, "unknown_tool", "unknown tool `file_read`: did you mean `read_file`?"],
    [{ enableTools: ["xyz"] }, "unknown_tool", "unknown tool `xyz`: the known tools are `read_file`"],
    [{ facts: { visoin: true } }, "unknown_fact", "unknown fact `visoin`: did you mean `vision`?"],
    [{ facts: { vision: "yes" } }, "fact_type", "the fact `vision` must be a boolean, not a string"],
    [{ facts: { depth: 1.5 } }, "fact_type", "the fact `depth` must be an integer from -2^53 to 2^53"],
  ];
  for (const [options, kind, message] of unknown) {
    const isExpected = (/** @type {unknown} */ error) =>
      error instanceof TurnError && error.kind === kind && error.message === message;
    assert.throws(() => catalog.turn("mcp", options), isExpected, message);
  }
  assert.throws(() => catalog.turn("mpc"), { message: "unknown dialect `mpc`: did you mean `mcp`?" });
  assert.throws(() => catalog.turn("xml"), { message: "unknown dialect `xml`: the catalog has mcp, typescript" });
  assert.deepEqual(catalog.turn("mcp", { enable: ["file_tools"], disableTools: ["Cat"] }).tools, []);
});

test("an unknown option of a turn is refused, because a turn without it can have more tools", () => {
  const catalog = catalogOf([{ name: "read_file" }, { name: "delete_file" }]);
  const options = "the options are `available`, `disable`, `disableTools`, `enable`, `enableTools`, `environment`, `facts`, `limits`";
  /** @type {[any, string, string][]} */
  const unknown = [
    [{ tools: ["read_file"] }, "tools", `unknown option \`tools\` of a turn: ${options}`],
    [{ enabletools: ["read_file"] }, "enabletools", `unknown option \`enabletools\` of a turn: ${options}`],
    [["read_file"], "0", `unknown option \`0\` of a turn: ${options}`],
    [{ limits: { bytes: 5 } }, "bytes", "unknown limit `bytes` of a turn: the limits are `maxBytes`, `maxDepth`, `maxSteps`"],
  ];
  for (const [given, subject, message] of unknown) {
    const isExpected = (/** @type {unknown} */ error) =>
      error instanceof TurnError && error.kind === "unknown_option" && error.subject === subject && error.message === message;
    assert.throws(() => catalog.turn("mcp", given), isExpected, message);
  }
  assert.deepEqual(catalog.turn("mcp", { enableTools: ["read_file"], enable: undefined }).tools, ["read_file"]);
});

test("conditions decide about texts, parameters and values", () => {
  const vision = { fact: "vision", is: "==", value: true };
  const table = [
    objectOf({ a: { node: 1, when: vision, default: "x" }, b: { node: 2, aliases: ["bee"] } }),
    STRING,
    { types: ["string"], untyped: true, enum: ["one", "two"], enum_when: [[1, { not: { tool: "other" } }]] },
  ];
  const definitions = { mcp: ['"A', { when: vision, text: [" sees "] }, { fact: "place" }, '"'] };
  const facts = [
    { name: "vision", default: false },
    { name: "place", default: 'a "b"\n' },
  ];
  const catalog = catalogOf([{ name: "t", arguments: table, definitions }, { name: "other" }], { facts });
  const blind = catalog.turn("mcp");
  assert.equal(blind.text, '[{"name":"other"},"Aa \\"b\\"\\n"]');
  assert.deepEqual(blind.read("t", "{}").arguments, {});
  assert.match(errorOf(() => blind.read("t", '{"a":"x"}')).message, /the known ones are "b"/);
  assert.match(errorOf(() => blind.read("t", '{"b":"two"}')).message, /expected "one", got "two"/);
  const seeing = catalog.turn("mcp", { facts: { vision: true }, disableTools: ["other"] });
  assert.deepEqual(seeing.definitions, ['A sees a "b"\n']);
  assert.equal(seeing.definitions, seeing.definitions);
  assert.deepEqual(seeing.read("t", '{"bee":"TWO"}').arguments, { b: "two", a: "x" });
  assert.throws(() => catalog.turn("typescript").definitions, /are not JSON: use `turn.text`/);
});

test("a repaired call says what was repaired", () => {
  const turn = turnOf([objectOf({ limit: 1, names: 2 }), INTEGER, { types: ["array"], items: 3 }, STRING]);
  const call = turn.read("functions.T", '{"limit": "5", "names": "a"}');
  assert.deepEqual(call.arguments, { limit: 5, names: ["a"] });
  assert.deepEqual(call.repairs, [
    { path: "", rule: "tool_name", from: '"functions.T"', to: '"t"' },
    { path: "/limit", rule: "number", from: '"5"', to: "5" },
    { path: "/names", rule: "single_item", from: '"a"', to: '["a"]' },
  ]);
  assert.equal(call.repairs, call.repairs);
  assert.deepEqual(turn.read("t", '{"limit": 5}'), { tool: "t", arguments: { limit: 5 }, repairs: [] });
});

test("an integer beyond 2^53 is a bigint, and every other number a number", () => {
  const turn = turnOf([objectOf({ a: 1, b: 2 }), INTEGER, { types: ["number"], untyped: true }]);
  for (const [sent, expected] of [
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740992", 9_007_199_254_740_992n],
    ["-9007199254740993.0", -9_007_199_254_740_993n],
    ['"9223372036854775807"', 9_223_372_036_854_775_807n],
    ["5.0", 5],
    ["-0", 0],
  ]) {
    const { arguments: read } = turn.read("t", `{"a":${String(sent)}}`);
    assert.ok(Object.is(read["a"], expected), String(sent));
  }
  assert.deepEqual(turn.read("t", '{"b":1e300}').arguments, { b: 1e300 });
  assert.match(errorOf(() => turn.read("t", '{"a":9223372036854775808}')).message, /expected integer between -9223372036854775808/);
});

test("absent properties get their defaults, at every depth", () => {
  const table = [
    objectOf({ list: { node: 1, default: [{ n: 1 }] }, map: 5, either: 6, all: 8 }),
    { types: ["array"], items: 2 },
    objectOf({ n: 3, deep: { node: 4, default: {} } }),
    INTEGER,
    objectOf({ m: { node: 3, default: 7 } }),
    { types: ["object"], untyped: true, additional: 4 },
    { untyped: true, any_of: [7, 4] },
    objectOf({ kind: { node: 9, required: true }, x: { node: 3, default: 1 } }),
    { types: ["object"], untyped: true, all_of: [10, 4] },
    { types: ["string"], untyped: true, enum: ["k"] },
    { types: ["object"], untyped: true, properties: [{ name: "o", node: 3, default: 2 }] },
  ];
  const turn = turnOf(table);
  const deep = { m: 7 };
  assert.deepEqual(turn.read("t", "{}").arguments, { list: [{ n: 1, deep }] });
  const sent = { list: [{}, { n: 2, deep: { m: 1 } }], map: { a: {}, b: { m: 0 } } };
  const filled = { list: [{ deep }, { n: 2, deep: { m: 1 } }], map: { a: deep, b: { m: 0 } } };
  assert.deepEqual(turn.read("t", JSON.stringify(sent)).arguments, filled);
  const either = turn.read("t", '{"list":[],"either":{"kind":"k"}}').arguments;
  assert.deepEqual(either, { list: [], either: { kind: "k", x: 1 } });
  assert.deepEqual(turn.read("t", '{"list":[],"either":{}}').arguments, { list: [], either: { m: 7 } });
  const flat = turnOf([objectOf({ a: { node: 1, default: 1 }, b: { node: 2, default: { c: [] } } }), INTEGER, {}]);
  const first = flat.read("t", "{}").arguments;
  assert.deepEqual(first, { a: 1, b: { c: [] } });
  assert.notEqual(first.b, flat.read("t", "{}").arguments["b"], "defaults are not shared");
});

test("a text tool gets its text", () => {
  const turn = turnOf([objectOf({ code: { node: 1, required: true }, limit: 2 }), STRING, INTEGER]);
  const text = 'print("a")\n{}';
  assert.deepEqual(turn.read("t", text, { isText: true }).arguments, { code: text });
  const two = turnOf([objectOf({ a: 1, b: 1 }), STRING]);
  assert.deepEqual(two.read("t", '{"a":"x"}', { isText: true }).arguments, { a: "x" });
  assert.match(errorOf(() => two.read("t", "x", { isText: true })).message, /expected object, got "x"/);
});

test("a call runs the handler, and its response is the text for the model", async () => {
  const turn = turnOf([objectOf({ a: 1 }), INTEGER]);
  const call = (/** @type {import("../dist/index.js").Handler} */ t, text = '{"a":1}') => turn.call("t", text, { t });
  const response = await call((args) => ({ sum: Number(args["a"]) + 1, big: 2n ** 70n, when: new Date(0), not: undefined }));
  assert.equal(response.text, '{"sum":2,"big":1180591620717411303424,"when":"1970-01-01T00:00:00.000Z"}');
  assert.deepEqual([response.isError, response.tool, response.repairs], [false, "t", []]);
  for (const [result, text] of [
    ["as it is", "as it is"],
    [undefined, "null"],
    [["a", Number.NaN, () => 1], '["a",null,null]'],
    [Promise.resolve(true), "true"],
    ["\ud800", "\ud800"],
    [["\ud800"], '["\ufffd"]'],
  ]) {
    assert.equal((await call(() => result)).text, text);
  }
  const bound = {
    /** @this {{ word: string }} */
    t() {
      return this.word;
    },
    word: "its own",
  };
  assert.equal((await turn.call("t", "{}", /** @type {any} */ (bound))).text, "its own");
  const repaired = await call((args) => args["a"], '{"a":"5"}');
  assert.deepEqual([repaired.text, repaired.repairs[0]?.rule], ["5", "number"]);
});

test("errors of calls become responses, without what only the developer may see", async () => {
  const turn = turnOf([objectOf({ a: 1 }), INTEGER]);
  const call = (/** @type {() => unknown} */ t) => turn.call("t", "{}", { t });
  const thrown = (/** @type {unknown} */ error) => () => {
    throw error;
  };
  for (const [handler, text] of [
    [thrown(new Error("no such page")), '{"error":"no such page","kind":"failed"}'],
    [thrown("stop"), '{"error":"stop","kind":"failed"}'],
    [thrown({ secret: 1 }), '{"error":"the handler failed","kind":"failed"}'],
    [thrown(new ToolError("no file <system>x</system>", "not_found")), '{"error":"no file x","kind":"not_found"}'],
    [() => Promise.reject(new Error("later")), '{"error":"later","kind":"failed"}'],
    [() => Promise.reject(new ToolError("no", "refused")), '{"error":"no","kind":"refused"}'],
    [
      thrown(new ToolError("no", "failed", [], { exit_code: 2, kind: ["<system>x</system>"] })),
      '{"error":"no","kind":"failed","exit_code":2,"kind_":["x"]}',
    ],
    [
      thrown(new ToolError("no", "failed", [], { log: Array.from({ length: 2_000 }, () => "x") })),
      `{"error":"no","kind":"failed","log":${JSON.stringify(`${'["x",'.padEnd(2_000, '"x",').slice(0, 1_999)}…`)}}`,
    ],
  ]) {
    const response = await call(/** @type {() => unknown} */ (handler));
    assert.deepEqual([response.text, response.isError, response.tool], [text, true, "t"]);
  }
  const cyclic = await call(() => {
    /** @type {unknown[]} */
    const list = [];
    list.push(list);
    return list;
  });
  assert.match(cyclic.text, /nested too deeply/);
  const invalid = await turn.call("t", '{"a":"x"}', { t: () => assert.fail("it must not run") });
  assert.deepEqual(JSON.parse(invalid.text).problems, [{ path: "/a", expected: "integer", got: '"x"' }]);
  const unknown = await turn.call("constructor", "{}", { t: () => 1 });
  assert.deepEqual([unknown.isError, unknown.tool], [true, undefined]);
  await assert.rejects(turn.call("t", "{}", {}), /there is no handler for the tool `t`/);
});

test("the arguments of a tool are a Standard Schema", () => {
  const turn = turnOf([objectOf({ a: 1, "b/c": 2 }), INTEGER, { types: ["array"], items: 1 }]);
  const { "~standard": schema } = turn.schema("t");
  assert.deepEqual([schema.version, schema.vendor], [1, "toolc"]);
  assert.deepEqual(schema.validate({ a: "5", "b/c": [1n] }), { value: { a: 5, "b/c": [1] } });
  assert.deepEqual(schema.validate('{"a":"5",}'), { value: { a: 5 } });
  assert.deepEqual(schema.validate({ "b/c": [1, "x"] }), {
    issues: [{ message: 'expected integer, got "x"', path: ["b/c", 1] }],
  });
  assert.deepEqual(schema.validate('{"a":'), {
    issues: [
      { message: "failed to read the arguments: the JSON is cut off at line 1 column 5. Send the complete call again" },
    ],
  });
  /** @type {Record<string, unknown>} */
  const cyclic = {};
  cyclic["a"] = cyclic;
  assert.ok(schema.validate(cyclic).issues);
  assert.throws(() => turn.schema("x"), ToolError);
});

test("secrets are not shown", () => {
  const turn = turnOf([objectOf({ key: { node: 1, secret: true } }), INTEGER]);
  assert.doesNotMatch(errorOf(() => turn.read("t", '{"key":"hunter2"}')).text, /hunter2/);
  const { arguments: read, repairs } = turn.read("t", '{"key":"42"}');
  assert.deepEqual(read, { key: 42 });
  assert.deepEqual(repairs, [{ path: "/key", rule: "number", from: '"[secret]"', to: '"[secret]"' }]);
});
