/**
 * Compiled catalogs, from which turns are made.
 *
 * @module
 */

import { DEFAULT_LIMITS, type Limits } from "./args/reader.ts";
import { type Available, resolve } from "./availability/resolve.ts";
import { type Selection, Selector } from "./availability/selection.ts";
import { type CatalogData, readCatalog } from "./data/catalog.ts";
import type { FactValue } from "./data/condition.ts";
import type { Environment } from "./environment.ts";
import { processEnvironment } from "./process.ts";
import { TurnError } from "./result/turn_error.ts";
import { suggestion, suggestionOrNames } from "./text/nearest.ts";
import { wellFormed } from "./text/utf8.ts";
import { jsonText } from "./text/write.ts";
import { Turn } from "./turn.ts";

/** What a turn is made of. */
export interface TurnOptions extends Selection {
  /** The values of facts. Other facts have their defaults. */
  readonly facts?: Readonly<Record<string, FactValue>> | undefined;
  /** The environment in which requirements are looked up: by default, the environment of the process. */
  readonly environment?: Environment | undefined;
  /** Answers availability checks: `true`, or why the tools cannot be used now. By default, they can. */
  readonly available?: Available | undefined;
  /** Lower limits of the arguments of a call. */
  readonly limits?: Partial<Limits> | undefined;
}

/** The names of the options. The compiler refuses a name that is missing here. */
const OPTIONS: Readonly<Record<keyof TurnOptions, true>> = {
  available: true,
  disable: true,
  disableTools: true,
  enable: true,
  enableTools: true,
  environment: true,
  facts: true,
  limits: true,
};
const LIMITS: Readonly<Record<keyof Limits, true>> = { maxBytes: true, maxDepth: true, maxSteps: true };

/** The largest integer of a fact, which every JSON implementation represents exactly. */
const MAX_FACT = 2 ** 53;

/** The tools of a project, as `cargo xtask gen` has compiled them. */
export class Catalog {
  readonly #data: CatalogData;
  readonly #selector: Selector;

  private constructor(data: CatalogData) {
    this.#data = data;
    this.#selector = new Selector(data);
  }

  /**
   * Reads the JSON text of a compiled catalog.
   *
   * @throws A `CatalogError` if the text is not a compiled catalog, or has another format than this version of the package reads.
   */
  static parse(text: string): Catalog {
    return new Catalog(readCatalog(wellFormed(text)));
  }

  /**
   * Reads a compiled catalog that is already parsed, such as the default export of a JSON module. Numbers are as exact as `JSON.parse` reads
   * them.
   *
   * @throws A `CatalogError` like {@link Catalog.parse}.
   */
  static from(document: unknown): Catalog {
    return Catalog.parse(jsonText(document));
  }

  /** The dialects in which the catalog has definitions. */
  get dialects(): readonly string[] {
    return this.#data.dialects;
  }

  /** The facts with their defaults. */
  get facts(): ReadonlyMap<string, FactValue> {
    return this.#data.facts;
  }

  /** The names of the toolsets, sorted. */
  get toolsets(): readonly string[] {
    return this.#data.toolsets.map((toolset) => toolset.name);
  }

  /** The names of all tools, sorted. */
  get tools(): readonly string[] {
    return this.#data.tools.map((tool) => tool.name);
  }

  /**
   * Makes a turn: the tools that a model can call now, with definitions in a dialect.
   *
   * @throws A {@link TurnError} if the catalog does not have the dialect, or a toolset, tool or fact of the options, and for an option
   * that does not exist: a turn without the options that were meant would grant all tools.
   */
  turn(dialect: string, options: TurnOptions = {}): Turn {
    checkNames(options, OPTIONS, "option");
    checkNames(options.limits ?? {}, LIMITS, "limit");
    const { dialects, tools } = this.#data;
    if (!dialects.includes(dialect)) {
      const hint = suggestion(dialect, dialects) || `: the catalog has ${dialects.join(", ")}`;
      throw new TurnError("unknown_dialect", dialect, `unknown dialect \`${dialect}\`${hint}`);
    }
    const facts = this.#factsWith(options.facts ?? {});
    const granted = this.#selector.granted(options);
    const { environment = processEnvironment, available = (): true => true } = options;
    const availability = resolve(tools, granted, { dialect, facts, environment, available });
    const shown = new Set(availability.shown.map((tool) => tool.name));
    const circumstances = { hasTool: (name: string) => shown.has(name), facts };
    return new Turn({ dialect, all: tools, availability, circumstances, limits: lowered(options.limits ?? {}) });
  }

  #factsWith(values: Readonly<Record<string, FactValue>>): ReadonlyMap<string, FactValue> {
    const facts = new Map(this.#data.facts);
    for (const [name, value] of Object.entries(values)) {
      const expected = this.#data.facts.get(name);
      if (expected === undefined) {
        const hint = suggestionOrNames(name, "facts", [...this.#data.facts.keys()]);
        throw new TurnError("unknown_fact", name, `unknown fact \`${name}\`${hint}`);
      }
      if (typeof value !== typeof expected) {
        const message = `the fact \`${name}\` must be ${noun(expected)}, not ${noun(value)}`;
        throw new TurnError("fact_type", name, message);
      }
      if (typeof value === "number" && !(Number.isInteger(value) && Math.abs(value) <= MAX_FACT)) {
        const message = `the fact \`${name}\` must be an integer from -2^53 to 2^53`;
        throw new TurnError("fact_type", name, message);
      }
      facts.set(name, value);
    }
    return facts;
  }
}

/** Checks that an object has only known keys, which the compiler does not check in JavaScript. */
function checkNames(given: object, known: object, noun: string): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    const names = Object.keys(known).map((name) => `\`${name}\``);
    throw new TurnError("unknown_option", unknown, `unknown ${noun} \`${unknown}\` of a turn: the ${noun}s are ${names.join(", ")}`);
  }
}

/** Returns the type of a fact with an article. */
function noun(value: unknown): string {
  switch (typeof value) {
    case "string":
      return "a string";
    case "boolean":
      return "a boolean";
    case "number":
      return "an integer";
    default:
      return "another value";
  }
}

/** Returns the limits of every call, with those that are lower. */
function lowered(limits: Partial<Limits>): Limits {
  const { maxBytes, maxDepth, maxSteps } = DEFAULT_LIMITS;
  return {
    maxBytes: Math.min(maxBytes, limits.maxBytes ?? maxBytes),
    maxDepth: Math.min(maxDepth, limits.maxDepth ?? maxDepth),
    maxSteps: Math.min(maxSteps, limits.maxSteps ?? maxSteps),
  };
}

