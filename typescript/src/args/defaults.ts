/**
 * Defaults: valid arguments get the defaults of absent properties, at every depth.
 *
 * @module
 */

import type { NodeId } from "../data/table.ts";
import { clone, JsonMap, type Value } from "../value.ts";
import type { Reader } from "./reader.ts";
import { isValidWithNulls } from "./validate.ts";

/** The maximum depth of values and alternatives. A schema may be its own alternative. */
export const MAX_DEPTH = 256;

/** Sets the absent properties that have a default, in place. In a union, the first alternative that is valid counts. */
export function fillDefaults(reader: Reader, value: Value, id: NodeId = 0, room: number = MAX_DEPTH): void {
  const isNested = Array.isArray(value) || value instanceof JsonMap;
  if (!isNested || room === 0 || !reader.spend(1)) {
    return;
  }
  const node = reader.node(id);
  if (value instanceof JsonMap) {
    for (const property of node.visible) {
      if (property.default !== undefined && !value.has(property.name)) {
        value.set(property.name, clone(property.default));
      }
    }
    value.keys.forEach((key, at) => {
      const inner = node.byName.get(key)?.node ?? (typeof node.additional === "number" ? node.additional : undefined);
      if (inner !== undefined) {
        fillDefaults(reader, value.values[at] ?? null, inner, room - 1);
      }
    });
  } else if (node.items !== undefined) {
    for (const item of value) {
      fillDefaults(reader, item, node.items, room - 1);
    }
  }
  for (const part of node.allOf) {
    fillDefaults(reader, value, part, room - 1);
  }
  const chosen = node.anyOf.find((alternative) => isValidWithNulls(reader, value, alternative));
  if (chosen !== undefined) {
    fillDefaults(reader, value, chosen, room - 1);
  }
}
