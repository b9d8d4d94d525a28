// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { processEnvironment } from "../dist/index.js";

const dist = new URL("../dist/", import.meta.url);

/** Returns the modules that a module imports, itself included, with their texts. */
function modulesFrom(/** @type {URL} */ entry, /** @type {Map<string, string>} */ found = new Map()) {
  if (!found.has(entry.href)) {
    const text = readFileSync(entry, "utf8");
    found.set(entry.href, text);
    for (const [, name = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      assert.ok(name.startsWith("./") || name.startsWith("../"), `${entry.pathname} imports ${name}`);
      modulesFrom(new URL(name, entry), found);
    }
  }
  return found;
}

test("no package and no module of Node.js can be reached from the entry", () => {
  const modules = modulesFrom(new URL("index.js", dist));
  const files = readdirSync(dist, { encoding: "utf8", recursive: true }).filter((name) => name.endsWith(".js"));
  // Modules of types are empty.
  const withCode = files.filter((name) => /\b(?:class|const|function)\b/.test(readFileSync(new URL(name, dist), "utf8")));
  assert.deepEqual(
    withCode.filter((name) => !modules.has(new URL(name, dist).href)),
    [],
    "every module is reached",
  );
  for (const [name, text] of modules) {
    assert.ok(name.endsWith("/process.js") || !/\bprocess\.(?!js\b)\w|globalThis|\brequire\(/.test(text), name);
  }
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
