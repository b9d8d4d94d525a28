// @ts-check
/**
 * The client and the program of a plugin together with the program `toolc`, if it is built: the variable `TOOLC`, or `target/debug/toolc`.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { ToolError } from "../dist/index.js";
import { connectHttp, McpError } from "../dist/platform/client.js";
import { connectStdio } from "../dist/platform/stdio.js";

const TOOLC = process.env["TOOLC"] ?? fileURLToPath(new URL("../../target/debug/toolc", import.meta.url));
const skip = existsSync(TOOLC) ? false : `${TOOLC} is not built: run \`cargo build -p toolc-host\`, or set TOOLC`;

const folder = mkdtempSync(join(tmpdir(), "toolc-runtime-"));
after(() => {
  rmSync(folder, { recursive: true });
});
const env = { PATH: process.env["PATH"] ?? "", HOME: folder };

/** @param {import("../dist/platform/client.js").McpClient} client */
async function tryTools(client) {
  assert.equal(client.server.name, "toolc");
  const tools = await client.tools();
  assert.ok(tools.some((tool) => tool.name === "read_file"));
  writeFileSync(join(folder, "notes.txt"), "tea\nmilk\n");
  // The limit is repaired by the server.
  const read = await client.call("read_file", { path: join(folder, "notes.txt"), limit: "1" });
  assert.match(JSON.stringify(read), /tea/);
  assert.doesNotMatch(JSON.stringify(read), /milk/);
  await assert.rejects(client.call("read_file", { limit: 1 }), (error) => {
    assert.ok(error instanceof ToolError);
    assert.equal(error.kind, "invalid_arguments");
    assert.equal(error.problems[0]?.path, "/path");
    return true;
  });
  await assert.rejects(client.call("read_file", { path: join(folder, "missing.txt") }), ToolError);
  await assert.rejects(client.call("no_such_tool"), (error) => error instanceof McpError && error.code === -32602);
}

test("the client uses `toolc mcp serve` over standard streams", { skip }, async () => {
  const client = await connectStdio(TOOLC, ["mcp", "serve", "--toolset", "file"], { cwd: folder, env });
  await tryTools(client);
  await client.close();
});

test("the client uses `toolc mcp serve` over HTTP", { skip }, async () => {
  const server = spawn(TOOLC, ["mcp", "serve", "--toolset", "file", "--http", "127.0.0.1:0"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  try {
    /** @type {string} */
    const url = await new Promise((resolve, reject) => {
      let text = "";
      /** @param {Buffer} bytes */
      const read = (bytes) => {
        text += String(bytes);
        const found = /http:\/\/127\.0\.0\.1:[0-9]+\S*/.exec(text);
        if (found !== null) {
          resolve(found[0]);
        }
      };
      server.stdout.on("data", read);
      server.stderr.on("data", read);
      server.once("close", () => {
        reject(new Error(text));
      });
    });
    const client = await connectHttp(url.endsWith("/mcp") ? url : `${url}/mcp`);
    await tryTools(client);
    await client.close();
  } finally {
    server.kill();
  }
});

test("`toolc` runs the tools of a plugin in TypeScript", { skip }, () => {
  const program = fileURLToPath(new URL("support/plugin_program.js", import.meta.url));
  for (const resident of [false, true]) {
    const plugin = join(folder, `plugins-${String(resident)}`, "tries");
    for (const part of ["tools", "toolsets"]) {
      mkdirSync(join(plugin, "manifests", part), { recursive: true });
    }
    writeFileSync(join(plugin, "plugin.toml"), `executable = "run"\ndescription = "Tries."\nresident = ${String(resident)}\n`);
    writeFileSync(join(plugin, "run"), `#!/bin/sh\nexec "${process.execPath}" "${program}"\n`, { mode: 0o755 });
    writeFileSync(join(plugin, "manifests/toolsets/tries.toml"), `name = "tries"\ndescription = "Tries."\n`);
    for (const name of ["echo", "prints", "throws"]) {
      const text = `name = "${name}"\ntoolset = "tries"\ndescription = "Try it. Returns what comes of it."\n[params.count]\ntype = "integer"\ndescription = "A number."\ndefault = 3\n`;
      writeFileSync(join(plugin, `manifests/tools/${name}.toml`), text);
    }
    /** @param {string[]} args */
    const toolc = (...args) => {
      try {
        return execFileSync(TOOLC, ["call", ...args, "--plugins", join(plugin, "..")], { cwd: folder, env, encoding: "utf8", stdio: "pipe" });
      } catch (error) {
        return /** @type {{ stdout: string }} */ (error).stdout;
      }
    };
    assert.match(toolc("echo", '{"count":"5"}'), /"args":\s*\{\s*"count":\s*5\s*\}/);
    assert.match(toolc("prints"), /done/);
    assert.match(toolc("throws"), /no such file: choose another/);
  }
});
