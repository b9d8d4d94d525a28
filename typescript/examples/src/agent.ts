// An agent with the package `openai`: it answers a question with the tools.
//
//   OPENAI_API_KEY=... node dist/agent.js "What did I want to buy?"
import { runChatCalls, chatTools } from "@toolc/runtime/openai";
import OpenAI from "openai";

import { Notes } from "./notes.ts";
import { catalog, handlers } from "./notes-tools/index.ts";

const notes = new Notes();
notes.add_note({ text: "Buy tea", tags: ["shopping"] });
const tools = handlers({ notes });

const openai = new OpenAI();
const turn = catalog.turn("openai");
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: process.argv[2] ?? "Which notes do I have?" }];

for (;;) {
  const completion = await openai.chat.completions.create({
    model: process.env["OPENAI_MODEL"] ?? "gpt-5",
    messages,
    tools: chatTools(turn),
  });
  const message = completion.choices[0]?.message;
  if (message === undefined) {
    throw new Error("the model has sent no message");
  }
  messages.push(message);
  const results = await runChatCalls(turn, message, tools);
  if (results.length === 0) {
    console.log(message.content);
    break;
  }
  messages.push(...results);
}
