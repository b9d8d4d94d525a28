// @ts-check
/** The tests with the libraries of vendors, if these are installed. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("libraries/", import.meta.url));
const skip = existsSync(`${folder}node_modules/openai`) ? false : "the libraries are not installed: run `npm ci --prefix test/libraries`";

test("the adapters, the examples and the guide work with the libraries", { skip }, () => {
  // The runner of the tests inside prints for itself.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { status, stdout, stderr } = spawnSync("npm", ["test"], { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`${stdout}${stderr}`);
  }
});
