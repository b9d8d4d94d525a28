/**
 * Redaction of secrets in arguments, for problems and repairs.
 *
 * @module
 */

import type { NodeId } from "../data/table.ts";
import { clone, JsonMap, type Value } from "../value.ts";
import { Reader } from "./reader.ts";

/** What is shown in place of a secret. */
export const REDACTED = "[secret]";

/** The maximum depth of values and alternatives. A schema may be its own alternative. */
const MAX_DEPTH = 256;

/** Returns the arguments with {@link REDACTED} in place of every secret. */
export function redacted(reader: Reader, value: Value): Value {
  if (!reader.table.hasSecrets) {
    return value;
  }
  // With a new budget: otherwise, an expensive repair could exhaust it, and everything would be redacted.
  return redact(new Reader(reader.table, reader.limits), clone(value), 0, MAX_DEPTH);
}

/**
 * Redacts every value that any alternative declares as secret. If the depth or the budget is exceeded, it redacts the whole value.
 */
function redact(reader: Reader, sent: Value, id: NodeId, room: number): Value {
  if (room === 0 || !reader.spend(1)) {
    return REDACTED;
  }
  const node = reader.node(id);
  let value = sent;
  if (Array.isArray(value)) {
    const { items } = node;
    value = items === undefined ? value : value.map((item) => redact(reader, item, items, room - 1));
  } else if (value instanceof JsonMap) {
    const map = value;
    // An unknown key may be the misspelt name of a secret.
    const holdsSecrets = node.properties.some((property) => property.secret);
    map.keys.forEach((key, at) => {
      const item = map.values[at] ?? null;
      const property = node.properties.find((property) => property.name === key);
      const inner = property?.node ?? (typeof node.additional === "number" ? node.additional : undefined);
      if (property === undefined ? holdsSecrets : property.secret) {
        map.setAt(at, REDACTED);
      } else if (inner !== undefined) {
        map.setAt(at, redact(reader, item, inner, room - 1));
      }
    });
  }
  for (const branch of [...node.anyOf, ...node.allOf]) {
    value = redact(reader, value, branch, room - 1);
  }
  return value;
}
