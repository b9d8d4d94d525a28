// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { fixedEnvironment } from "../dist/index.js";
import { catalogOf } from "./support/catalog.js";

/**
 * Returns the hidden tools of a turn with their reasons.
 *
 * @param {import("../dist/index.js").Catalog} catalog
 * @param {import("../dist/index.js").TurnOptions} [options]
 */
function hiddenOf(catalog, options) {
  const { hidden } = catalog.turn("mcp", { environment: fixedEnvironment({ os: "linux" }), ...options });
  return Object.fromEntries(hidden.map(({ tool, reason }) => [tool, reason]));
}

test("each kind of requirement has its reason", () => {
  const condition = { all: [{ fact: "a", is: "==", value: true }, { not: { fact: "b", is: ">", value: 1 } }] };
  const facts = [
    { name: "a", default: false },
    { name: "b", default: 2 },
  ];
  for (const [requires, reason] of [
    [{ env: ["A", "B"] }, "needs the environment variables `A` and `B`"],
    [{ any_env: ["A", "B", "C"] }, "needs one of the environment variables `A`, `B` and `C`"],
    [{ any_env: ["A"] }, "needs the environment variable `A`"],
    [{ programs: ["git"] }, "needs the program `git`"],
    [{ os: ["macos", "windows"] }, "runs only on `macos` or `windows`"],
    [{ tools: ["other"] }, "needs the tool `other`, which no tool provider has"],
    [{ any_tools: ["x", "y"] }, "needs one of the tools `x` and `y`"],
    [{ condition }, "the facts `a` and `b` rule it out"],
    [
      { any: [{ env: ["A"] }, { env: ["B"] }, { programs: ["c", "d"] }, { condition }] },
      "needs one of these: the environment variables `A` or `B`, the programs `c` and `d`, `facts.a and not facts.b > 1`",
    ],
    [{ env: ["A"], os: ["macos"], check: true }, "needs the environment variable `A`"],
  ]) {
    assert.deepEqual(hiddenOf(catalogOf([{ name: "t", requires }], { facts })), { t: reason });
  }
  const met = { env: ["A"], any_env: ["B", "A"], programs: ["git"], os: ["linux"], any: [{ env: ["B"] }, { env: ["A"] }] };
  const environment = fixedEnvironment({ variables: { A: "1", B: "" }, programs: ["git"], os: "linux" });
  assert.deepEqual(hiddenOf(catalogOf([{ name: "t", requires: met }]), { environment }), {});
});

test("tools whose required tools are missing are hidden, one after the other", () => {
  const tools = [
    { name: "a", requires: { tools: ["b"] } },
    { name: "b", requires: { tools: ["c"] } },
    { name: "c", requires: { env: ["C"] } },
    { name: "d", requires: { any_tools: ["a", "e"] } },
    { name: "e" },
    { name: "f", requires: { any_tools: ["a", "b"] } },
  ];
  assert.deepEqual(hiddenOf(catalogOf(tools)), {
    a: "needs the tool `b`",
    b: "needs the tool `c`",
    c: "needs the environment variable `C`",
    f: "needs one of the tools `a` and `b`",
  });
  assert.deepEqual(hiddenOf(catalogOf(tools), { environment: fixedEnvironment({ variables: { C: "1" } }) }), {});
});

test("checks are asked once, and only about tools whose other requirements are met", () => {
  const toolsets = [{ name: "tests", requires: { check: true } }];
  const tools = [
    { name: "a", requires: { check: true } },
    { name: "b", requires: { check: true, env: ["B"] } },
    { name: "c", toolset: "lone", requires: { check: true } },
  ];
  const catalog = catalogOf(tools, { toolsets });
  /** @type {unknown[]} */
  const asked = [];
  const hidden = hiddenOf(catalog, {
    available: (check) => {
      asked.push(check);
      return "tool" in check && check.tool === "a" ? "it is closed" : true;
    },
  });
  assert.deepEqual(hidden, { a: "it is closed", b: "needs the environment variable `B`" });
  assert.deepEqual(asked, [{ toolset: "tests" }, { tool: "a" }, { tool: "c" }]);
  const failed = hiddenOf(catalog, {
    available: () => {
      throw new Error("no network");
    },
  });
  assert.equal(failed["c"], "its check failed unexpectedly: no network");
  assert.equal(hiddenOf(catalog)["a"], undefined);
});

test("toolsets include, extend and exclude others", () => {
  const toolsets = [
    { name: "core" },
    { name: "files" },
    { name: "web", extends: "core", tools: ["z"] },
    { name: "less", includes: ["files", "web"], excludes: ["f2", "z"] },
    { name: "both", includes: ["less", "files"] },
    { name: "loop", includes: ["pool"] },
    { name: "pool", includes: ["loop", "core"] },
    { name: "shut", closed: true, tools: ["c1"] },
  ];
  const homes = { c1: "core", f1: "files", f2: "files", w1: "web", z: "shut" };
  const catalog = catalogOf(
    Object.entries(homes).map(([name, toolset]) => ({ name, toolset })),
    { toolsets },
  );
  const tools = (/** @type {import("../dist/index.js").TurnOptions} */ options) => catalog.turn("mcp", options).tools.join(" ");
  assert.equal(tools({}), "c1 f1 f2 w1 z");
  assert.equal(tools({ enable: ["web"] }), "c1 w1 z");
  assert.equal(tools({ enable: ["less"] }), "c1 f1 w1");
  assert.equal(tools({ enable: ["both"] }), "c1 f1 f2 w1");
  assert.equal(tools({ enable: ["loop"] }), "c1");
  assert.equal(tools({ enable: ["shut"] }), "c1");
  assert.equal(tools({ disable: ["web"] }), "c1 f1 f2");
  assert.equal(tools({ disable: ["*"] }), "");
  assert.equal(tools({ enable: ["all"], disable: ["less"] }), "f2 z");
  assert.equal(tools({ enableTools: ["z"] }), "z");
  assert.equal(tools({ enable: ["files"], enableTools: ["z"], disableTools: ["F1"] }), "f2 z");
});
