/**
 * Names of keys: the one that some dialects show for a property, other spellings and aliases.
 *
 * @module
 */

import { isPortable } from "../data/name.ts";
import type { FullNode, NodeId, Property } from "../data/table.ts";
import { significantName } from "../text/names.ts";
import { clone, equal, type JsonMap, type Value } from "../value.ts";
import { allowsNull } from "./json_type.ts";
import type { Reader } from "./reader.ts";

/** The maximum depth of nested alternatives whose properties get back their names. */
const MAX_NESTED_PARTS = 4;

/** Repairs a value toward a node. */
type Repair = (value: Value, id: NodeId) => Value;

/** Does the same as {@link restoreNames} for the other schemas of the same value. */
export function restoreNamesOfParts(reader: Reader, map: JsonMap, node: FullNode, nested: number): void {
  if (nested === MAX_NESTED_PARTS) {
    return;
  }
  for (const id of [...node.anyOf, ...node.allOf]) {
    const part = reader.node(id);
    restoreNames(reader, map, part);
    if (reader.spend(1)) {
      restoreNamesOfParts(reader, map, part, nested + 1);
    }
  }
}

/**
 * Gives keys the name of the property that some dialects show under them, if that is not sent as well. Returns these properties.
 */
export function restoreNames(reader: Reader, map: JsonMap, node: FullNode): readonly Property[] {
  const { properties } = node;
  if (properties.every((property) => isPortable(property.name)) || !reader.spend(properties.length)) {
    return [];
  }
  return properties.filter(({ name, hidden }) => {
    const alias = hidden || map.has(name) ? undefined : reader.table.otherNames.get(name);
    const value = alias === undefined ? undefined : map.remove(alias);
    if (value !== undefined) {
      map.set(name, value);
    }
    return value !== undefined;
  });
}

/**
 * Gives unknown keys the name of the only declared property that they resemble or are an alias of. If the property is sent as well, with the
 * same value, the key is dropped. Returns these properties.
 */
export function renameKeys(reader: Reader, map: JsonMap, node: FullNode, repair: Repair): readonly Property[] {
  const { properties } = node;
  if (!reader.spend(map.size * properties.length)) {
    return [];
  }
  const unknown = map.keys
    .filter((key) => !node.byName.has(key))
    .map((key) => ({ key, name: significantName(key) }))
    .filter(({ name }) => name !== "");
  const names = properties.map((property) => significantName(property.name));
  return properties.filter((property, at) => {
    if (property.hidden || !reader.spend(unknown.length + properties.length)) {
      return false;
    }
    const name = names[at] ?? "";
    // A hidden property counts: its key has its own meaning, and gets its own error.
    const isOnly = names.filter((other) => other === name).length === 1;
    const others = [...(isOnly ? [name] : []), ...property.aliases.map(significantName)];
    const keys = unknown.filter((one) => others.includes(one.name)).map(({ key }) => key);
    return unite(reader, map, property, keys, repair);
  });
}

/**
 * Replaces these keys by the name of the property, if no two of them have different values. Null where the property does not allow it counts
 * as no value. Returns whether anything has changed.
 */
function unite(reader: Reader, map: JsonMap, property: Property, keys: readonly string[], repair: Repair): boolean {
  const { name, node: id } = property;
  const all = map.has(name) ? [name, ...keys] : keys;
  let kept = all[0];
  if (kept === undefined || keys.length === 0) {
    return false;
  }
  if (all.length > 1) {
    const isGiven = ({ value }: { value: Value }): boolean => value !== null || allowsNull(reader.node(id));
    let given: Value | undefined;
    for (const key of all) {
      const value = repair(clone(map.get(key) ?? null), id);
      if (!isGiven({ value })) {
        continue;
      }
      if (given === undefined) {
        [kept, given] = [key, value];
      } else if (!equal(given, value)) {
        return false;
      }
    }
  }
  const value = map.remove(kept) ?? null;
  for (const key of keys) {
    map.remove(key);
  }
  map.set(name, value);
  return true;
}
