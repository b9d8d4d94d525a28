// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { processEnvironment } from "../dist/index.js";

const dist = new URL("../dist/", import.meta.url);

/** The entries that use Node.js, and the one module of it that each imports. */
const OF_NODE = new Map([
  ["./client/stdio", "node:child_process"],
  ["./plugin", "node:async_hooks"],
]);

/**
 * Returns the modules that a module imports, itself included, with their texts.
 *
 * @param {URL} entry
 * @param {string | undefined} allowed
 * @param {Map<string, string>} found
 */
function modulesFrom(entry, allowed, found = new Map()) {
  if (!found.has(entry.href)) {
    const text = readFileSync(entry, "utf8");
    found.set(entry.href, text);
    for (const [, name = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      if (name !== allowed) {
        assert.ok(name.startsWith("./") || name.startsWith("../"), `${entry.pathname} imports ${name}`);
        modulesFrom(new URL(name, entry), allowed, found);
      }
    }
  }
  return found;
}

test("no package can be reached from an entry, and modules of Node.js only from those that are for it", () => {
  /** @type {{ exports: Record<string, string | { default: string }> }} */
  const { exports } = JSON.parse(readFileSync(new URL("../package.json", dist), "utf8"));
  const reached = new Set();
  for (const [entry, target] of Object.entries(exports)) {
    if (typeof target === "string") {
      continue;
    }
    const modules = modulesFrom(new URL(`../${target.default}`, dist), OF_NODE.get(entry));
    for (const [name, text] of modules) {
      reached.add(name);
      const isPlatform = name.includes("/platform/") || name.endsWith("/process.js");
      assert.ok(isPlatform || !/\bprocess\.(?!js\b)\w|globalThis|\brequire\(/.test(text), name);
    }
  }
  const files = readdirSync(dist, { encoding: "utf8", recursive: true }).filter((name) => name.endsWith(".js"));
  // Modules of types are empty.
  const withCode = files.filter((name) => /\b(?:class|const|function)\b/.test(readFileSync(new URL(name, dist), "utf8")));
  assert.deepEqual(withCode.filter((name) => !reached.has(new URL(name, dist).href)), [], "every module is reached");
});

test("the package runs with nothing but the language", () => {
  const script = fileURLToPath(new URL("support/bare.js", import.meta.url));
  const output = execFileSync(process.execPath, ["--experimental-vm-modules", "--no-warnings", script], {
    encoding: "utf8",
  });
  assert.match(output, /^\d\d modules\n$/);
});

test("the environment of the process has its variables and programs", () => {
  assert.equal(processEnvironment.variable("PATH"), process.env["PATH"]);
  assert.equal(processEnvironment.variable("TOOLC_NOT_SET"), undefined);
  assert.ok(processEnvironment.hasProgram(process.execPath));
  for (const name of ["no-such-program", "", process.cwd()]) {
    assert.equal(processEnvironment.hasProgram(name), false, name);
  }
  if (process.platform === "linux") {
    assert.equal(processEnvironment.os, "linux");
    assert.ok(processEnvironment.hasProgram("sh"));
  }
});
