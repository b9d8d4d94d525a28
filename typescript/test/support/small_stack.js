// @ts-check
/**
 * Reads arguments with a schema that needs a deep stack: unions of unions and parts of parts, at every level.
 */
import { errorOf, objectOf, turnOf } from "./catalog.js";

const turn = turnOf([
  objectOf({ a: 1 }),
  ...Array.from({ length: 16 }, (_, at) => ({ untyped: true, all_of: [at + 2] })),
  ...Array.from({ length: 17 }, (_, at) => ({ types: ["array"], items: 1, any_of: [at + 18] })),
  { types: ["array", "integer"], items: 1 },
]);
console.log(errorOf(() => turn.read("t", `{"a":${"[".repeat(63)}"1"${"]".repeat(63)}}`)).message);
