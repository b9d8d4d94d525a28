/**
 * Tools for language models, from a catalog that toolc has compiled: definitions for each turn, and arguments that are repaired and validated.
 *
 * @packageDocumentation
 */

export type { Limits } from "./args/reader.ts";
export type { Repair } from "./args/repairs.ts";
export type { RepairRule } from "./args/rules.ts";
export type { Arguments } from "./args/strict.ts";
export type { Available, Check } from "./availability/resolve.ts";
export type { Selection } from "./availability/selection.ts";
export { Catalog, type TurnOptions } from "./catalog.ts";
export type { FactValue } from "./data/condition.ts";
export { CatalogError } from "./data/decode.ts";
export { type Environment, fixedEnvironment, type FixedEnvironment } from "./environment.ts";
export { processEnvironment } from "./process.ts";
export { type ErrorKind, type Problem, ToolError } from "./result/error.ts";
export { readResult } from "./result/read_result.ts";
export { TurnError, type TurnErrorKind } from "./result/turn_error.ts";
export type { StandardIssue, StandardResult, StandardSchema, StandardSchemaProps } from "./standard_schema.ts";
export {
  type Handler,
  type Handlers,
  type HiddenTool,
  type ReadOptions,
  type ToolCall,
  type ToolResponse,
  type Turn,
} from "./turn.ts";
export type { Plain } from "./value.ts";
