// @ts-check
/** The package as npm installs it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "toolc-package-"));
after(() => {
  rmSync(folder, { recursive: true });
});

/**
 * Runs a program, and returns what it prints.
 *
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args, cwd = folder) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${program} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

/** @type {{ exports: Record<string, unknown>, dependencies?: object }} */
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.keys(manifest.exports)
  .filter((entry) => entry !== "./package.json")
  .map((entry) => `@toolc/runtime${entry.slice(1)}`);

test("the package has nothing but what is used, and installs without a network and without a dependency", (t) => {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], root));
  const files = packed.files.map((/** @type {{ path: string }} */ { path }) => path);
  const other = files.filter((/** @type {string} */ path) => !/^dist\/.*\.(?:js|d\.ts)$/.test(path));
  assert.deepEqual(other.sort(), ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"]);
  t.diagnostic(`packed ${String(packed.size)} bytes, unpacked ${String(packed.unpackedSize)} bytes, ${String(files.length)} files`);
  assert.ok(packed.size < 200_000);

  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, packed.filename)]);
  assert.deepEqual(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")), ["@toolc"]);

  writeFileSync(join(folder, "all.js"), `${entries.map((entry) => `console.log(Object.keys(await import("${entry}")).length);`).join("\n")}\n`);
  const counts = run(process.execPath, ["all.js"]).trim().split("\n").map(Number);
  assert.equal(counts.length, entries.length);
  assert.ok(counts.every((count) => count > 0));

  // Its types need no other package, and nothing that browsers do not have.
  const imports = entries.map((entry, at) => `import * as entry${String(at)} from "${entry}";\nexport const n${String(at)}: object = entry${String(at)};`);
  writeFileSync(join(folder, "all.ts"), `${imports.join("\n")}\n`);
  const typescript = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    target: "es2022",
    lib: ["es2024", "dom"],
    types: [],
    noEmit: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["all.ts"] }));
  run(process.execPath, [typescript, "-p", "."]);
});

const esbuild = join(root, "test/libraries/node_modules/esbuild/lib/main.js");
const skip = existsSync(esbuild) ? false : "esbuild is not installed: run `npm ci --prefix test/libraries`";

test("entries are small, and those that need no Node.js are bundled for browsers", { skip }, async (t) => {
  const { default: bundler } = await import(esbuild);
  for (const [entry, file] of Object.entries(manifest.exports)) {
    const path = /** @type {{ default?: string }} */ (file).default;
    if (path === undefined || entry === "./client/stdio" || entry === "./plugin") {
      continue;
    }
    const options = { bundle: true, minify: true, format: "esm", platform: "browser", write: false };
    const text = bundler.buildSync({ ...options, entryPoints: [join(root, path)] }).outputFiles[0].contents;
    const zipped = gzipSync(text).length;
    t.diagnostic(`${entry}: ${String(text.length)} bytes minified, ${String(zipped)} with gzip`);
    assert.ok(zipped < (entry === "." ? 40_000 : 20_000));
  }
});
