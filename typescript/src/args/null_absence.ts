/**
 * Null as absence: an optional property that does not allow null counts as absent if it is sent as null. In strict dialects, models must
 * write absent properties this way.
 *
 * @module
 */

import type { FullNode, NodeId } from "../data/table.ts";
import { clone, cloneCost, JsonMap, type Value } from "../value.ts";
import type { Reader } from "./reader.ts";
import { isAbsence, isValid } from "./validate.ts";

/** Removes properties whose null represents absence from a value, at every depth. */
export function dropAbsent(reader: Reader, value: Value): Value {
  return dropAt(reader, value, 0, 4 * reader.limits.maxDepth, new Set());
}

/**
 * `depth` is the maximum depth of values and alternatives. `requiredElsewhere` has the properties that other schemas of the same value
 * require.
 */
function dropAt(
  reader: Reader,
  sent: Value,
  id: NodeId,
  depth: number,
  requiredElsewhere: ReadonlySet<string>,
): Value {
  if (depth === 0 || !holdsNull(sent) || !reader.spend(cloneCost(sent))) {
    return sent;
  }
  const nodes = withAllOf(reader, id);
  const required = new Set(requiredElsewhere);
  for (const property of nodes.flatMap((node) => node.visible)) {
    if (property.required) {
      required.add(property.name);
    }
  }
  const inner = (value: Value, id: NodeId): Value => dropAt(reader, value, id, depth - 1, new Set());
  let value = sent;
  for (const node of nodes) {
    if (Array.isArray(value)) {
      const { items } = node;
      value = items === undefined ? value : value.map((item) => inner(item, items));
    } else if (value instanceof JsonMap) {
      dropFromObject(reader, value, node, required, inner);
    } else {
      return value;
    }
  }
  for (const { anyOf } of nodes) {
    const tested = value;
    if (anyOf.some((branch) => isValid(reader, tested, branch))) {
      continue;
    }
    for (const branch of anyOf) {
      const trial = dropAt(reader, clone(value), branch, depth - 1, required);
      if (isValid(reader, trial, branch)) {
        value = trial;
        break;
      }
    }
  }
  return value;
}

function dropFromObject(
  reader: Reader,
  map: JsonMap,
  node: FullNode,
  required: ReadonlySet<string>,
  inner: (value: Value, id: NodeId) => Value,
): void {
  for (const { name, node: id } of node.visible) {
    const value = map.get(name);
    if (value === undefined) {
      continue;
    }
    if (value !== null) {
      map.set(name, inner(value, id));
    } else if (isAbsence(reader, value, required.has(name), id)) {
      map.remove(name);
    }
  }
  if (typeof node.additional === "number") {
    const id = node.additional;
    map.keys.forEach((key, at) => {
      if (!node.byName.has(key)) {
        map.setAt(at, inner(map.values[at] ?? null, id));
      }
    });
  }
}

/** Returns the node, and all nodes in its `allOf`. */
function withAllOf(reader: Reader, id: NodeId): readonly FullNode[] {
  const ids = [id];
  for (const one of ids) {
    for (const other of reader.node(one).allOf) {
      if (!ids.includes(other) && reader.spend(ids.length)) {
        ids.push(other);
      }
    }
  }
  return ids.map((id) => reader.node(id));
}

function holdsNull(value: Value): boolean {
  if (Array.isArray(value)) {
    return value.some(holdsNull);
  }
  return value instanceof JsonMap ? value.values.some(holdsNull) : value === null;
}
