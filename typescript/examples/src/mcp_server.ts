// An MCP server on standard input and output, with the package `@modelcontextprotocol/sdk`.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { mcpTools } from "@toolc/runtime/mcp";

import { Notes } from "./notes.ts";
import { catalog, handlers } from "./notes-tools/index.ts";

const tools = mcpTools(catalog.turn("mcp"), handlers({ notes: new Notes() }));
// The low-level server, because the SDK's other one wants schemas of zod.
// eslint-disable-next-line @typescript-eslint/no-deprecated
const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, tools.list);
server.setRequestHandler(CallToolRequestSchema, tools.call);
await server.connect(new StdioServerTransport());
