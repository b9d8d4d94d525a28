/**
 * The AI SDK: tools for `generateText`, `streamText` and agents of the package `ai`, whose types these fit.
 *
 * @module
 */

import type { Handlers, Turn } from "../turn.ts";
import { checkDialect, run, valueOf } from "./calls.ts";

/** A tool of the AI SDK. `S` is the type of its schemas. */
export interface AiTool<S> {
  description: string;
  inputSchema: S;
  execute: (input: unknown) => Promise<unknown>;
}

/** A definition in one of the dialects whose tools all have a JSON Schema. */
interface Definition {
  readonly function?: Definition;
  readonly name: string;
  readonly description?: string;
  readonly parameters?: object;
  readonly parametersJsonSchema?: object;
  readonly inputSchema?: object;
  readonly input_schema?: object;
}

/** The schema of a tool without parameters. */
const NOTHING = { type: "object", properties: {} };

/**
 * Returns the tools of a turn for the option `tools`. The AI SDK passes on what the model has sent. It is repaired and validated here, before
 * the handler runs, and an error is an error of the tool, whose message the model gets.
 *
 * @param jsonSchema - The function `jsonSchema` of the package `ai`. It keeps the schema as it is.
 * @throws A `TypeError` if the turn has another dialect than `portable`, `anthropic`, `anthropic-strict`, `gemini` or `mcp`. Choose the one of
 * the vendor, or `portable`.
 */
export function aiTools<S>(turn: Turn, handlers: Handlers, jsonSchema: (schema: never) => S): Record<string, AiTool<S>> {
  checkDialect(turn, "the AI SDK", ["portable", "anthropic", "anthropic-strict", "gemini", "mcp"]);
  const tool = (definition: Definition): [string, AiTool<S>] => {
    const { name, description = "", ...one } = definition.function ?? definition;
    const schema = one.parameters ?? one.parametersJsonSchema ?? one.inputSchema ?? one.input_schema ?? NOTHING;
    const execute = async (input: unknown): Promise<unknown> => {
      const answer = await run(turn, { name, input }, handlers);
      if (answer.isError) {
        throw new Error(answer.text);
      }
      return valueOf(answer);
    };
    return [name, { description, inputSchema: jsonSchema(schema as never), execute }];
  };
  return Object.fromEntries((turn.definitions as readonly Definition[]).map(tool));
}
