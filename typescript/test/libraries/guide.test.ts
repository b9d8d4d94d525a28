import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const guide = new URL("../../../../docs/languages-typescript.md", import.meta.url);
const file = (name: string): string => fileURLToPath(new URL(`guide/${name}`, import.meta.url));

test("the programs of the guide print what it says", { skip: existsSync(guide) ? false : "there is no guide" }, async () => {
  const text = readFileSync(guide, "utf8");
  const programs = [...text.matchAll(/^```ts\n\/\/ ([\w-]+)\.ts\n.*?^```\n(?:\n[^\n]*prints:\n\n```text\n(.*?)^```$)?/gms)];
  assert.ok(programs.length > 5);
  for (const [, name = "", printed] of programs) {
    if (printed !== undefined) {
      const { stdout } = await promisify(execFile)(process.execPath, [file(`${name}.js`)]);
      assert.equal(stdout, printed, name);
    }
  }
});
