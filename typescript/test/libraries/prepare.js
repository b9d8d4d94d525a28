// @ts-check
/**
 * Copies what is compiled with the tests: the examples, and the blocks of code in the guide. A block is a file, whose name is in its first
 * line: `// search.ts`.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** @param {string} path */
const at = (path) => new URL(path, import.meta.url);
for (const folder of ["dist", "examples", "guide"]) {
  rmSync(at(folder), { recursive: true, force: true });
}
cpSync(at("../../examples/src"), at("examples"), { recursive: true });

mkdirSync(at("guide"));
for (const part of ["notes.ts", "notes-tools"]) {
  cpSync(at(`../../examples/src/${part}`), at(`guide/${part}`), { recursive: true });
}
const guide = at("../../../docs/languages-typescript.md");
if (existsSync(guide)) {
  for (const [, code = ""] of readFileSync(guide, "utf8").matchAll(/^```ts\n(.*?)^```$/gms)) {
    const name = /^\/\/ ([\w-]+\.ts)\n/.exec(code)?.[1];
    if (name === undefined) {
      throw new Error(`a block of the guide does not begin with the name of its file: ${code.slice(0, 80)}`);
    }
    writeFileSync(at(`guide/${name}`), code);
  }
}
