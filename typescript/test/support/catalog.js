// @ts-check
/**
 * Catalogs for tests.
 */
import assert from "node:assert/strict";

import { Catalog, ToolError } from "../../dist/index.js";

/** @typedef {Record<string, unknown>} Json */

/**
 * Returns the document of a catalog with these tools, which are shown in the dialects `mcp` and `typescript`.
 *
 * @param {readonly Json[]} tools
 * @param {Json} [more]
 */
export function documentOf(tools, more) {
  const tool = (/** @type {Json} */ one) => ({
    toolset: "tests",
    description: "Does it.",
    arguments: [{ types: ["object"], untyped: true }],
    definitions: { mcp: [`{"name":${JSON.stringify(one["name"])}}`], typescript: ["declare tools;\n"] },
    ...one,
  });
  return {
    format: 1,
    dialects: ["mcp", "typescript"],
    facts: [],
    toolsets: [{ name: "tests" }],
    ...more,
    tools: tools.map(tool),
  };
}

/**
 * @param {readonly Json[]} tools
 * @param {Json} [more]
 */
export function catalogOf(tools, more) {
  return Catalog.parse(JSON.stringify(documentOf(tools, more)));
}

/**
 * Returns a turn with the tool `t`, whose arguments have this table.
 *
 * @param {readonly Json[]} table
 * @param {import("../../dist/index.js").TurnOptions} [options]
 */
export function turnOf(table, options) {
  return catalogOf([{ name: "t", arguments: table }]).turn("mcp", options);
}

/**
 * Returns the node of an object that refuses other keys. Properties are given by their nodes, or as they are.
 *
 * @param {Record<string, number | Json>} properties
 * @param {Json} [more]
 */
export function objectOf(properties, more) {
  const all = Object.entries(properties).map(([name, property]) =>
    typeof property === "number" ? { name, node: property } : { name, ...property },
  );
  return { types: ["object"], untyped: true, additional: false, properties: all, ...more };
}

/**
 * Returns the error that a function throws.
 *
 * @param {() => unknown} run
 */
export function errorOf(run) {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ToolError, String(error));
    return error;
  }
  assert.fail("it has thrown no error");
}
