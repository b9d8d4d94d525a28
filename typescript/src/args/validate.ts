/**
 * Validation: finds all paths at which a value does not satisfy its schema.
 *
 * @module
 */

import { fitsLength, isInRange, within } from "../data/bounds.ts";
import { ANY, type Bounds, type FullNode, holdsOthers, type NodeId, type Table, TYPE_BITS } from "../data/table.ts";
import { asFloat } from "../number.ts";
import type { Problem } from "../result/error.ts";
import { characterCount } from "../text/utf8.ts";
import { isNumber, JsonMap, type Value } from "../value.ts";
import * as text from "./expectation_text.ts";
import { canonical, equalsLiteral, fits } from "./json_type.ts";
import { placeOf } from "./origin.ts";
import { JsonPath } from "./path.ts";
import type { Reader } from "./reader.ts";
import { redacted } from "./redact.ts";

/** The maximum number of reported problems; the rest is counted. */
const MAX_LISTED = 20;
/** The maximum depth of values and alternatives. A schema may be its own alternative. */
const MAX_DEPTH = 256;
/** Replaces the description of a secret value. */
const SECRET = "a secret value";

/** The problems of the arguments. */
export interface Problems {
  readonly listed: readonly Problem[];
  /** The number of problems that are not listed. */
  readonly more: number;
}

/** Returns all problems of the arguments, with their places in what was `sent`. */
export function problemsOf(reader: Reader, value: Value, sent: Value): Problems {
  const report = new Report(reader, value, sent);
  const check = new Validator(reader, report, false);
  if (value instanceof JsonMap) {
    check.node(value, 0, JsonPath.ROOT);
  } else {
    check.fail(JsonPath.ROOT, () => ["object", gotInPlaceOf(reader.table, value, reader.node(0))]);
  }
  return report;
}

/** Returns whether the arguments satisfy the table. */
export function areValid(reader: Reader, value: Value): boolean {
  return value instanceof JsonMap && isValid(reader, value, 0);
}

/** Returns whether `value` satisfies a node. */
export function isValid(reader: Reader, value: Value, id: NodeId): boolean {
  return satisfies(reader, value, id, JsonPath.ROOT, false);
}

/** Like {@link isValid}, but null may represent an absent property. */
export function isValidWithNulls(reader: Reader, value: Value, id: NodeId): boolean {
  return satisfies(reader, value, id, JsonPath.ROOT, true);
}

/** Returns whether null, sent for a property that is not required, represents its absence. */
export function isAbsence(reader: Reader, value: Value, required: boolean, id: NodeId): boolean {
  return value === null && !required && !isValid(reader, value, id);
}

function satisfies(reader: Reader, value: Value, id: NodeId, path: JsonPath, nulls: boolean): boolean {
  const check = new Validator(reader, undefined, nulls);
  check.node(value, id, path);
  return check.isValid;
}

/** Describes `value`, unless it may contain a secret, such as a string in place of an object. */
function gotInPlaceOf(table: Table, value: Value, node: FullNode): string {
  const isNested = value instanceof JsonMap || Array.isArray(value);
  return !holdsOthers(node) || isNested || !table.hasSecrets ? text.got(value) : SECRET;
}

/** The expected and the actual value. */
type Description = readonly [expected: string, got: string];

class Report implements Problems {
  readonly #reader: Reader;
  /** The redacted arguments, if the table has secrets. */
  readonly #redacted: Value | undefined;
  readonly #arguments: Value;
  readonly #sent: Value;
  readonly listed: Problem[] = [];
  more = 0;

  constructor(reader: Reader, value: Value, sent: Value) {
    this.#reader = reader;
    this.#redacted = reader.table.hasSecrets ? redacted(reader, value) : undefined;
    this.#arguments = value;
    this.#sent = sent;
  }

  get hasRoom(): boolean {
    return this.listed.length < MAX_LISTED;
  }

  add(path: JsonPath, describe: () => Description): void {
    if (this.hasRoom) {
      this.listed.push(this.#problem(path, describe));
    } else {
      this.more += 1;
    }
  }

  #problem(at: JsonPath, describe: () => Description): Problem {
    // The keys inside a secret are not shown either.
    const secret = this.#redacted === undefined ? undefined : at.toSecret(this.#redacted);
    const path = secret ?? at;
    const [expected, described] = describe();
    const got = secret === undefined ? described : SECRET;
    const place = placeOf(this.#reader, path.steps(), this.#sent, this.#arguments);
    if (place.wrappedAt === undefined || place.sent === undefined) {
      return { path: place.pointer, expected, got };
    }
    // The model did not send this array, so the problem names the array as what was expected.
    const { table } = this.#reader;
    const node = table.node(path.after(place.wrappedAt).id);
    return {
      path: place.pointer,
      expected: text.expected(table, node),
      got: secret === undefined ? gotInPlaceOf(table, place.sent, node) : got,
    };
  }

  /** Adds the names of other alternatives at `path` to a problem. */
  name(position: number, others: readonly NodeId[], path: JsonPath): void {
    const { table } = this.#reader;
    const isOther = ({ types }: FullNode): boolean => types.length !== 1 || types[0] !== "null";
    const named = others.filter((id) => isOther(table.node(id)));
    const problem = this.listed[position];
    if (named.length === 0 || problem === undefined) {
      return;
    }
    const place = placeOf(this.#reader, path.steps(), this.#sent, this.#arguments);
    // The problem of an array that the model did not send names all alternatives.
    if (place.wrappedAt === undefined) {
      const where = place.pointer === "" ? "the arguments" : place.pointer;
      const expected = `${problem.expected} (or ${where}: ${text.alternatives(table, named)})`;
      this.listed[position] = { ...problem, expected };
    }
  }
}

class Validator {
  readonly #reader: Reader;
  /** The problems, or `undefined` if only the verdict is needed. Then the first problem ends the validation. */
  readonly #report: Report | undefined;
  /** Whether null may represent an absent property. */
  readonly #nulls: boolean;
  isValid = true;

  constructor(reader: Reader, report: Report | undefined, nulls: boolean) {
    this.#reader = reader;
    this.#report = report;
    this.#nulls = nulls;
  }

  fail(path: JsonPath, describe: () => Description): void {
    this.isValid = false;
    this.#report?.add(path, describe);
  }

  get #isOver(): boolean {
    return !this.isValid && this.#report === undefined;
  }

  node(value: Value, id: NodeId, path: JsonPath): void {
    const { table } = this.#reader;
    if (path.depth > MAX_DEPTH || !this.#reader.spend(1)) {
      this.fail(path, () => ["something simpler", "too much to check"]);
      return;
    }
    const node = table.node(id);
    const isOther = !fits(node.ownBits, value);
    if (isOther || (node.literals.length > 0 && !node.literals.some((literal) => equalsLiteral(literal, value)))) {
      const expected = (): string =>
        isOther && isTooLong(value, node) ? text.integerRange() : text.expected(table, node);
      this.fail(path, () => [expected(), gotInPlaceOf(table, value, node)]);
      return;
    }
    const outside = node.bounds === undefined ? undefined : this.#outOfBounds(value, node.bounds);
    if (outside !== undefined) {
      this.fail(path, () => [text.expected(table, node), outside]);
    }
    if (Array.isArray(value)) {
      this.#items(value, node, path);
    } else if (value instanceof JsonMap) {
      this.#object(value, node, path);
    }
    for (const part of node.allOf) {
      if (!this.#isOver) {
        this.node(value, part, path.then(undefined, part));
      }
    }
    if (node.anyOf.length > 0 && !this.#isOver) {
      this.#alternatives(value, node, path);
    }
  }

  #items(items: readonly Value[], node: FullNode, path: JsonPath): void {
    if (node.items === undefined) {
      return;
    }
    for (const [index, item] of items.entries()) {
      if (this.#isOver) {
        return;
      }
      this.node(item, node.items, path.then(index, node.items));
    }
  }

  #object(map: JsonMap, node: FullNode, path: JsonPath): void {
    const { table } = this.#reader;
    if (!this.#reader.spend(node.properties.length)) {
      this.isValid = false;
    }
    let [known, absent] = [0, 0];
    for (const { name, node: id, required } of node.visible) {
      if (this.#isOver) {
        return;
      }
      const value = map.get(name);
      if (value === undefined) {
        if (required) {
          const expected = (): string => `${text.expected(table, table.node(id))} (required)`;
          this.fail(path.then(name, id), () => [expected(), "nothing"]);
        }
      } else if (this.#nulls && isAbsence(this.#reader, value, required, id)) {
        absent += 1;
      } else {
        known += 1;
        this.node(value, id, path.then(name, id));
      }
    }
    const count = map.size - absent;
    if (node.bounds !== undefined && !isInRange(count, node.bounds.minProperties, node.bounds.maxProperties)) {
      this.fail(path, () => [text.expected(table, node), text.counted(count, "key")]);
    }
    if (node.additional !== true && count !== known && !this.#isOver) {
      this.#unknown(map, node, path);
    }
  }

  #unknown(map: JsonMap, node: FullNode, path: JsonPath): void {
    for (const [at, key] of map.keys.entries()) {
      if (node.byName.has(key)) {
        continue;
      }
      if (this.#isOver) {
        return;
      }
      const value = map.values[at] ?? null;
      const id = typeof node.additional === "number" ? node.additional : 0;
      const place = path.then(key, id);
      if (typeof node.additional === "number") {
        this.node(value, id, place);
      } else {
        this.fail(place, () => [text.unknownKey(key, node), text.got(value)]);
      }
    }
  }

  #alternatives(value: Value, node: FullNode, path: JsonPath): void {
    const { table } = this.#reader;
    const branches = node.anyOf;
    const inner = path.then(undefined, path.id);
    // The other keywords of `node` are satisfied, or have been reported.
    const expected = (): string => text.expected(table, { ...ANY, anyOf: branches });
    const wanted = node.exactlyOne ? 2 : 1;
    let hits = 0;
    for (const id of branches) {
      hits += satisfies(this.#reader, value, id, inner, this.#nulls) ? 1 : 0;
      if (hits === wanted) {
        break;
      }
    }
    if (hits > 1) {
      this.fail(path, () => [`exactly one of these: ${expected()}`, "more than one"]);
    } else if (hits === 0 && (this.#report === undefined || !this.#failNear(this.#report, value, branches, path))) {
      this.fail(path, () => [expected(), gotInPlaceOf(table, value, node)]);
    }
  }

  /** Reports the problems of the only alternative that may have been meant. Returns whether there is one. */
  #failNear(report: Report, value: Value, branches: readonly NodeId[], path: JsonPath): boolean {
    const { table } = this.#reader;
    const isOfType = (id: NodeId): boolean => fits(table.node(id).bits, value);
    const [only, ...more] = branches.filter((id) => isOfType(id) && matchesTag(table, value, table.node(id)));
    // The problems of the only alternative of this type say what to correct, while a text or number may belong to any.
    const isClear = value instanceof JsonMap || Array.isArray(value) || branches.length === 1;
    const before = report.listed.length;
    if (only !== undefined && more.length === 0 && isClear) {
      this.node(value, only, path.then(undefined, only));
      report.name(
        before,
        branches.filter((id) => id !== only),
        path,
      );
      return true;
    }
    const tag = value instanceof JsonMap && report.hasRoom ? this.#tag(value, branches) : undefined;
    if (tag === undefined) {
      return false;
    }
    const sent = (value as JsonMap).get(tag.name);
    if (sent !== undefined && tag.nodes.some((node) => hasLiteral(node, sent))) {
      return false;
    }
    const words = text.oneOf(tag.nodes);
    this.fail(path.then(tag.name, 0), () =>
      sent === undefined ? [`${words} (required)`, "nothing"] : [words, text.got(sent)],
    );
    report.name(
      before,
      branches.filter((id) => !isOfType(id)),
      path,
    );
    return true;
  }

  /** Returns the property that distinguishes the objects among alternatives, and its node in each of them. */
  #tag(value: JsonMap, branches: readonly NodeId[]): { name: string; nodes: readonly FullNode[] } | undefined {
    const { table } = this.#reader;
    const objects = branches.map((id) => table.node(id)).filter((node) => fits(node.bits, value));
    for (const { name } of objects[0]?.visible ?? []) {
      const nodes = objects.map((object) => tagNode(table, object, name));
      if (nodes.every((node) => node !== undefined)) {
        return { name, nodes };
      }
    }
    return undefined;
  }

  /** Describes a value that is out of bounds. */
  #outOfBounds(value: Value, bounds: Bounds): string | undefined {
    if (isNumber(value)) {
      return within(value, bounds) ? undefined : text.got(value);
    }
    if (typeof value === "string") {
      if (!fitsLength(value, bounds)) {
        return text.counted(characterCount(value), "character");
      }
      const rule = bounds.text;
      const holds = rule === undefined || (this.#reader.spend(rule.steps(value)) && rule.holds(value));
      return holds ? undefined : text.got(value);
    }
    if (Array.isArray(value)) {
      if (!isInRange(value.length, bounds.minItems, bounds.maxItems)) {
        return text.counted(value.length, "item");
      }
      const isUnique = bounds.uniqueItems !== true || new Set(value.map(canonical)).size === value.length;
      return isUnique ? undefined : "duplicate items";
    }
    return undefined;
  }
}

/** Returns whether an integer within the bounds has too many bits. */
function isTooLong(value: Value, node: FullNode): boolean {
  const isWhole =
    isNumber(value) && (node.ownBits & TYPE_BITS.integer) !== 0 && Number.isInteger(asFloat(value));
  return isWhole && (node.bounds === undefined || within(value, node.bounds));
}

/**
 * Returns whether the properties of `value` that distinguish alternatives (those with an `enum` or `const`) match this alternative. Missing
 * properties match.
 */
function matchesTag(table: Table, value: Value, node: FullNode): boolean {
  return node.visible.every((property) => {
    const tag = table.node(property.node);
    const sent = value instanceof JsonMap ? value.get(property.name) : undefined;
    return tag.literals.length === 0 || sent === undefined || hasLiteral(tag, sent);
  });
}

function hasLiteral(node: FullNode, value: Value): boolean {
  return node.literals.some((literal) => equalsLiteral(literal, value));
}

/** Returns the node of a required property, if it has an `enum` or `const`. */
function tagNode(table: Table, object: FullNode, name: string): FullNode | undefined {
  const property = object.byName.get(name);
  const node = property?.required === true ? table.node(property.node) : undefined;
  return node !== undefined && node.literals.length > 0 ? node : undefined;
}
