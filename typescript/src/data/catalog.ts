/**
 * The content of a compiled catalog.
 *
 * @module
 */

import { byteLength, compareText } from "../text/utf8.ts";
import { JsonError, parseJson } from "../args/tree.ts";
import { JsonMap, mapOf } from "../value.ts";
import { type FactValue, readFactValue } from "./condition.ts";
import { CatalogError, Part } from "./decode.ts";
import { type Definition, readDefinition } from "./definition.ts";
import { readRequirements, type Requirement } from "./requirement.ts";
import { TableTemplate } from "./template.ts";

/** The version of the format. */
const FORMAT = 1;
/** The maximum size of a catalog in bytes, and its maximum depth. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_DEPTH = 127;

/** A toolset. */
export interface ToolsetEntry {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The tools that it lists, besides its home tools. */
  readonly tools: readonly string[];
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
  readonly base: string | undefined;
  /** Whether it does not contain its home tools. */
  readonly closed: boolean;
  readonly requirements: readonly Requirement[];
}

/** A tool. */
export interface ToolEntry {
  readonly name: string;
  readonly home: ToolsetEntry;
  readonly aliases: readonly string[];
  /** Its names in the dialects in which it is not called by its own name. */
  readonly names: ReadonlyMap<string, string>;
  readonly requirements: readonly Requirement[];
  readonly arguments: TableTemplate;
  /** Its definitions, by dialect. */
  readonly definitions: ReadonlyMap<string, Definition>;
}

/** The content of a catalog. */
export interface CatalogData {
  readonly dialects: readonly string[];
  /** The facts with their defaults. */
  readonly facts: ReadonlyMap<string, FactValue>;
  /** Sorted by name. */
  readonly toolsets: readonly ToolsetEntry[];
  /** Sorted by name. */
  readonly tools: readonly ToolEntry[];
}

/** Reads a compiled catalog. Throws a {@link CatalogError} if the text is not one. */
export function readCatalog(text: string): CatalogData {
  if (byteLength(text) > MAX_BYTES) {
    throw new CatalogError(`the catalog has more than ${String(MAX_BYTES)} bytes: split it`);
  }
  const value = parseJson(text, MAX_DEPTH, true);
  if (value instanceof JsonError) {
    throw new CatalogError(`this is not a compiled catalog: ${value.message}: write it again with \`cargo xtask gen\``);
  }
  const root = new Part(value, "");
  const format = value instanceof JsonMap ? root.maybe("format") : undefined;
  if (format !== undefined && format.value !== FORMAT) {
    const found = typeof format.value === "number" ? String(format.value) : format.fail("a number");
    throw new CatalogError(
      `this catalog has the format ${found}, and this version of the runtime reads ${String(FORMAT)}: ` +
        "run `cargo xtask gen` with the toolc of the same version",
    );
  }
  root.get("format");
  const declared = root.get("toolsets").items.map(readToolset);
  const homes = new Map(declared.map((toolset) => [toolset.name, toolset]));
  const tools = root.get("tools").items.map((part) => readTool(part, homes));
  const byName = (a: { readonly name: string }, b: { readonly name: string }): number => compareText(a.name, b.name);
  return {
    dialects: root.get("dialects").items.map((item) => item.string),
    facts: new Map(root.get("facts").items.map((fact) => [fact.get("name").string, readFactValue(fact.get("default"))])),
    toolsets: [...homes.values()].sort(byName),
    tools: tools.sort(byName),
  };
}

function readToolset(part: Part): ToolsetEntry {
  return {
    name: part.get("name").string,
    aliases: part.strings("aliases"),
    tools: part.strings("tools"),
    includes: part.strings("includes"),
    excludes: part.strings("excludes"),
    base: part.maybe("extends")?.string,
    closed: part.flag("closed"),
    requirements: readRequirements(part.maybe("requires")),
  };
}

/** Reads a tool. Its home toolset is added to `homes` if it is not declared. */
function readTool(part: Part, homes: Map<string, ToolsetEntry>): ToolEntry {
  const toolset = part.get("toolset").string;
  const home = homes.get(toolset) ?? readToolset(new Part(mapOf([["name", toolset]]), ""));
  homes.set(toolset, home);
  const definitions = part.get("definitions").entries;
  return {
    name: part.get("name").string,
    home,
    aliases: part.strings("aliases"),
    names: new Map(part.maybe("names")?.entries.map(([dialect, name]) => [dialect, name.string])),
    requirements: readRequirements(part.maybe("requires")),
    arguments: new TableTemplate(part.get("arguments")),
    definitions: new Map(definitions.map(([dialect, pieces]) => [dialect, readDefinition(pieces)])),
  };
}
