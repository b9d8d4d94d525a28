// @ts-check
/**
 * Runs the package in a context that has nothing but the language. Needs the option `--experimental-vm-modules` of Node.js.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import vm from "node:vm";

import { documentOf } from "./catalog.js";

const context = vm.createContext(Object.create(null));
/** @type {Map<string, vm.SourceTextModule>} */
const modules = new Map();
const load = (/** @type {URL} */ url) => {
  const options = { context, identifier: url.href };
  const module = modules.get(url.href) ?? new vm.SourceTextModule(readFileSync(url, "utf8"), options);
  modules.set(url.href, module);
  return module;
};
const entry = load(new URL("../../dist/index.js", import.meta.url));
await entry.link((name, from) => load(new URL(name, from.identifier)));
await entry.evaluate();
const { Catalog, processEnvironment } = /** @type {typeof import("../../dist/index.js")} */ (entry.namespace);
const tools = [
  { name: "a", arguments: [{ types: ["object"] }] },
  { name: "b", requires: { env: ["PATH"] } },
  { name: "c", requires: { programs: ["sh"] } },
  { name: "d", requires: { os: ["linux", "macos", "windows"] } },
];
const turn = Catalog.parse(JSON.stringify(documentOf(tools))).turn("mcp");
assert.deepEqual([...turn.tools], ["a"]);
assert.equal(turn.read("a", "{'x':1}").arguments["x"], 1);
assert.equal(processEnvironment.os, "");
console.log(`${String(modules.size)} modules`);
