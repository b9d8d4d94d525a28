/**
 * Measures the reading of calls next to zod and ajv, definitions, and the size of the package.
 *
 * `npm run build && cd bench && npm install && node read.mjs`
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { Ajv } from "ajv";
import { build } from "esbuild";
import { z } from "zod";

import { Catalog } from "../dist/index.js";

/** The parameters of a tool, as a table of a compiled catalog. */
const TABLE = [
  {
    types: ["object"],
    untyped: true,
    additional: false,
    properties: [
      { name: "query", node: 1, required: true },
      { name: "limit", node: 2 },
      { name: "kind", node: 3 },
      { name: "hidden", node: 4 },
      { name: "paths", node: 5 },
    ],
  },
  { types: ["string"], untyped: true, bounds: { minLength: 1 } },
  { types: ["integer"], untyped: true, bounds: { minimum: 1, maximum: 100 } },
  { types: ["string"], untyped: true, enum: ["file", "folder", "link"] },
  { types: ["boolean"], untyped: true },
  { types: ["array"], untyped: true, items: 6 },
  { types: ["string"], untyped: true },
];
const DESCRIPTION = "Search the files of the project, and return the lines that match, each with its file and its number.";

const zod = z.strictObject({
  query: z.string().min(1),
  limit: z.int().min(1).max(100).optional(),
  kind: z.enum(["file", "folder", "link"]).optional(),
  hidden: z.boolean().optional(),
  paths: z.array(z.string()).optional(),
});
const ajv = new Ajv().compile({
  type: "object",
  additionalProperties: false,
  required: ["query"],
  properties: {
    query: { type: "string", minLength: 1 },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    kind: { type: "string", enum: ["file", "folder", "link"] },
    hidden: { type: "boolean" },
    paths: { type: "array", items: { type: "string" } },
  },
});

const VALID = '{"query": "fn main", "limit": 20, "kind": "file", "hidden": false, "paths": ["src", "tests/unit"]}';
const WRONG = '{"query": "fn main", "limit": "20", "kind": "file", "hidden": false, "paths": "src"}';

/** Returns the microseconds of one call, the best of several runs. */
function time(run, calls = 20_000) {
  let best = Infinity;
  for (let round = 0; round < 12; round += 1) {
    const start = performance.now();
    for (let call = 0; call < calls; call += 1) {
      run();
    }
    best = Math.min(best, ((performance.now() - start) * 1_000) / calls);
  }
  return best;
}

function show(what, microseconds) {
  console.log(`${what.padEnd(58)} ${microseconds.toFixed(2).padStart(9)} µs`);
}

/** Returns a catalog with this many tools. */
function catalogOf(count) {
  const schema = JSON.stringify(z.toJSONSchema(zod));
  const tools = Array.from({ length: count }, (_, at) => {
    const head = `{"name":"search_${String(at)}","description":"${DESCRIPTION}`;
    const more = { when: { tool: "search_0" }, text: [" To read them, use another tool."] };
    const definitions = { anthropic: [head, more, `","input_schema":${schema}}`] };
    return { name: `search_${String(at)}`, toolset: "files", arguments: TABLE, definitions };
  });
  return JSON.stringify({ format: 1, dialects: ["anthropic"], facts: [], toolsets: [{ name: "files" }], tools });
}

console.log(`Node.js ${process.version}`);
const turn = Catalog.parse(catalogOf(1)).turn("anthropic");
show("valid call: turn.read", time(() => turn.read("search_0", VALID)));
show("valid call: JSON.parse and zod 4", time(() => zod.parse(JSON.parse(VALID))));
show("valid call: JSON.parse and ajv 8", time(() => ajv(JSON.parse(VALID))));
show("valid call: JSON.parse alone", time(() => JSON.parse(VALID)));
show("two repairs: turn.read", time(() => turn.read("search_0", WRONG), 5_000));
show("two mistakes: JSON.parse and zod 4, an error", time(() => zod.safeParse(JSON.parse(WRONG)), 5_000));
show("two mistakes: JSON.parse and ajv 8, an error", time(() => ajv(JSON.parse(WRONG)), 5_000));

const text = catalogOf(50);
const once = (run) => {
  const start = performance.now();
  run();
  return (performance.now() - start) * 1_000;
};
let catalog = Catalog.parse(text);
show(`50 tools: Catalog.parse of ${String(text.length >> 10)} KiB`, time(() => Catalog.parse(text), 20));
let fresh = catalog.turn("anthropic");
show("50 tools: the first turn.text", once(() => fresh.text));
show("50 tools: the first turn.definitions", once(() => fresh.definitions));
show("50 tools: turn.definitions again", time(() => fresh.definitions, 1_000));
show("50 tools: a new turn with its text", time(() => catalog.turn("anthropic").text, 200));

const root = fileURLToPath(new URL("..", import.meta.url));
const [pack] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: root, encoding: "utf8" }));
const result = await build({
  entryPoints: [`${root}/dist/index.js`],
  bundle: true,
  minify: true,
  format: "esm",
  write: false,
});
const code = result.outputFiles[0].contents;
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
console.log(`package: ${kib(pack.unpackedSize)} unpacked, ${String(pack.files.length)} files`);
console.log(`bundle: ${kib(code.length)} minified, ${kib(gzipSync(code).length)} with gzip`);
