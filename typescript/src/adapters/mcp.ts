/**
 * MCP: tools for the low-level `Server` of the package `@modelcontextprotocol/sdk`, whose types these fit.
 *
 * @module
 */

import { ToolError } from "../result/error.ts";
import type { Handlers, Turn } from "../turn.ts";
import { type Answer, checkDialect, run, valueOf } from "./calls.ts";

/** The definition of a tool. */
export interface McpTool {
  [key: string]: unknown;
  name: string;
  description?: string;
  inputSchema: { type: "object"; [key: string]: unknown };
  outputSchema?: { type: "object"; [key: string]: unknown };
}

/** A request to call a tool. */
export interface McpCall {
  readonly params: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined };
}

/** The result of a call. */
export interface McpResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** What a server answers to requests for tools. */
export interface McpTools {
  /** Answers `tools/list`. */
  readonly list: () => { tools: McpTool[] };
  /** Answers `tools/call`. An error is a result with `isError`, so that the model can correct its arguments. */
  readonly call: (request: McpCall) => Promise<McpResult>;
}

/**
 * Returns the answers of a server that has the tools of a turn. A client gets an output schema and structured results if the results of the
 * tool are objects.
 *
 * @throws A `TypeError` if the turn has another dialect than `mcp`.
 */
export function mcpTools(turn: Turn, handlers: Handlers): McpTools {
  checkDialect(turn, "MCP", ["mcp"]);
  const tools = (turn.definitions as readonly McpTool[]).map(withObjects);
  const structured = new Set(tools.flatMap((tool) => (tool.outputSchema ? turn.toolCalled(tool.name) : [])));
  return {
    list: () => ({ tools }),
    call: async ({ params }) => {
      const answer = await run(turn, { name: params.name, input: params.arguments }, handlers);
      return result(answer, structured.has(answer.tool));
    },
  };
}

function result(answer: Answer, isStructured: boolean): McpResult {
  const parts = (text: string): McpResult["content"] => [{ type: "text", text }];
  if (answer.isError || !isStructured) {
    return { content: parts(answer.text), ...(answer.isError ? { isError: true } : {}) };
  }
  const value = valueOf(answer);
  if (!isObject(value)) {
    // Clients refuse such a result.
    const error = new ToolError("the handler did not return an object, as the output schema of the tool requires");
    return { content: parts(error.text), isError: true };
  }
  return { content: parts(answer.text), structuredContent: value };
}

/** Returns a definition without the schema of results that are not objects: clients refuse the whole list because of it. */
function withObjects(tool: McpTool): McpTool {
  const { outputSchema, ...others } = tool;
  return outputSchema === undefined || (outputSchema.type as unknown) === "object" ? tool : others;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
