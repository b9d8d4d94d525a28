export { type ErrorKind, type Problem, ToolError } from "./result/error.ts";
