/**
 * The rules of repair. `docs/repair.md` explains them.
 *
 * @module
 */

/** A rule by which arguments, or the name of a tool, are repaired. */
export type RepairRule =
  /** A tool gets its declared name. */
  | "tool_name"
  /** Missing arguments become `{}`. */
  | "empty_arguments"
  /** A parameter gets its declared name. */
  | "parameter_name"
  /** The string `null` becomes null. */
  | "null_word"
  /** A string becomes a word of the `enum`. */
  | "enum_word"
  /** A string becomes a number. */
  | "number"
  /** A number beyond a bound becomes the nearest allowed number. */
  | "bound"
  /** A string becomes a boolean. */
  | "boolean"
  /** A string becomes the array or object whose JSON it holds. */
  | "json_text"
  /** A text that is almost JSON becomes an array or object. */
  | "almost_json"
  /** Arguments that are said twice become one object. */
  | "repetition"
  /** A code fence is removed. */
  | "code_fence"
  /** A number or boolean becomes a string. */
  | "string"
  /** A value becomes an array with this one item. */
  | "single_item";
