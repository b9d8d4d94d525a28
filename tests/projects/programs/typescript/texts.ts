// The handlers of the toolset `texts`.

import { ToolError } from "@toolc/runtime";
import { serve } from "@toolc/runtime/plugin";
import { type TextsTools, textsHandlers } from "./tools/index.ts";

const texts: TextsTools = {
  count_words: ({ text }) => {
    if (text === "") {
      throw new ToolError("the text is empty", "refused", [], { characters: 0 });
    }
    return text.split(/\s+/).filter((word) => word !== "").length;
  },
  split_text: async ({ text, separator }) => Promise.resolve(text.split(separator)),
};

await serve(textsHandlers(texts));
