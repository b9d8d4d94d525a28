/**
 * Scrubbing of error messages. They can contain text from anywhere: a web page, a file name, the model itself. Scrubbing removes framing,
 * which is anything that a model could mistake for structure: tags of tool calls and results, tokens of chat templates, code fences.
 *
 * A removal can create new framing (`<sys<system>tem>`), so it is repeated until nothing is left to remove. The patterns are in the tables at
 * the top.
 *
 * @module
 */

import { withoutInvisible } from "../text/invisible.ts";
import { asciiLower, beginningOfBytes, byteLength, positionOf, trim, trimStart } from "../text/utf8.ts";

/** The maximum length of a message, in characters. */
export const MAX_CHARS = 2_000;

/** Names of tags, in any case and with any suffix. Code may use such a name for a type: see {@link isTypeArgument}. */
const TAGS: ReadonlySet<string> = new Set([
  "antml",
  "arg_key",
  "arg_value",
  "assistant",
  "developer",
  "end_of_turn",
  "function_call",
  "function_calls",
  "function_output",
  "function_response",
  "function_result",
  "function_results",
  "human",
  "im_end",
  "im_start",
  "invoke",
  "scratch_pad",
  "scratchpad",
  "start_of_turn",
  "system",
  "system_prompt",
  "think",
  "thinking",
  "tool_call",
  "tool_calls",
  "tool_code",
  "tool_output",
  "tool_outputs",
  "tool_response",
  "tool_responses",
  "tool_result",
  "tool_results",
  "tool_use",
  "toolcall",
]);

/**
 * Names that also occur in code. Only complete tags in one case are removed, so that `Vec<User>` is kept. Names that are more common in HTML
 * and XML than in prompts, such as `input` and `message`, are not listed.
 */
const WORDS: ReadonlySet<string> = new Set([
  "answer",
  "function",
  "functions",
  "instructions",
  "output",
  "outputs",
  "parameter",
  "parameters",
  "response",
  "result",
  "results",
  "tool",
  "tools",
  "user",
]);

/** The delimiters of special tokens: ChatML, Llama 3, Phi and many others; DeepSeek. */
const MARKS: readonly (readonly [open: string, close: string])[] = [
  ["<|", "|>"],
  ["<｜", "｜>"],
];

const CDATA = "<![CDATA[";
const CDATA_END = "]]>";

/** Strings that are always removed: fences; the tokens of Llama 2, Mistral, GLM, DeepSeek; and `CDATA` together with its end. */
const TOKENS: readonly string[] = [
  "```",
  "<<SYS>>",
  "<</SYS>>",
  "<s>",
  "</s>",
  "<bos>",
  "<eop>",
  "<eos>",
  "<pad>",
  "<sop>",
  "<unk>",
  "<｜DSML｜",
  "</｜DSML｜",
  "[INST]",
  "[/INST]",
  "[SYSTEM_PROMPT]",
  "[/SYSTEM_PROMPT]",
  "[AVAILABLE_TOOLS]",
  "[/AVAILABLE_TOOLS]",
  "[CALL_ID]",
  "[TOOL_CALLS]",
  "[TOOL_CONTENT]",
  "[TOOL_RESULTS]",
  "[/TOOL_RESULTS]",
  "[THINK]",
  "[/THINK]",
  "[gMASK]",
  CDATA,
];

/** Names of speakers at the beginning of a line: Anthropic's old prompts, Vicuna, Alpaca. */
const TURNS: readonly string[] = [
  "Human:",
  "Assistant:",
  "USER:",
  "ASSISTANT:",
  "SYSTEM:",
  "### Assistant:",
  "### Human:",
  "### Instruction:",
  "### Response:",
  "### System:",
  "### User:",
];

/** The first characters of all patterns above. */
const STARTS = /[<[`#AHSU]/g;

/** The maximum length of a tag's attributes, in bytes. */
const MAX_ATTRIBUTES = 256;
/** The maximum length of a special token's name, in bytes. */
const MAX_NAME = 64;
/** The maximum distance before a removal at which a new pattern can begin. */
const MAX_PATTERN = MAX_ATTRIBUTES + 4 * MAX_NAME;

/** Returns `text` without framing, truncated to `max` characters. */
export function scrub(text: string, max: number): string {
  // Reads up to four times as much, in case most of it is removed. The rest of a long text is never read.
  const end = positionOf(text, 4 * max);
  const clean = withoutFraming(text.slice(0, end));
  const isCut = end !== undefined || positionOf(clean, max) !== undefined;
  return isCut ? withoutFraming(`${clean.slice(0, positionOf(clean, max - 1))}…`) : clean;
}

function withoutFraming(text: string): string {
  let clean = withoutInvisible(text);
  for (;;) {
    const next = removeOnce(clean);
    if (next === clean) {
      return clean;
    }
    clean = next;
  }
}

/** Removes framing in one pass. After each removal, the pass continues at the first position where a new pattern could begin. */
function removeOnce(dirty: string): string {
  let text = dirty;
  for (let at = nextStart(text, 0); at >= 0; ) {
    const length = framing(text, at);
    if (length === 0) {
      at = nextStart(text, at + 1);
      continue;
    }
    if (text.startsWith(CDATA, at)) {
      const end = text.indexOf(CDATA_END, at);
      text = end < 0 ? text : text.slice(0, end) + text.slice(end + CDATA_END.length);
    }
    text = text.slice(0, at) + text.slice(at + length);
    at = nextStart(text, Math.max(at - MAX_PATTERN, 0));
  }
  return text;
}

function nextStart(text: string, from: number): number {
  STARTS.lastIndex = from;
  return STARTS.exec(text)?.index ?? -1;
}

/** Returns the length of the framing at this position. */
function framing(text: string, at: number): number {
  const token = TOKENS.find((token) => text.startsWith(token, at));
  if (token !== undefined) {
    return token.length;
  }
  if (text.startsWith("<", at)) {
    return specialToken(text.slice(at)) ?? tag(text.slice(0, at), text.slice(at)) ?? 0;
  }
  const turn = TURNS.find((turn) => text.startsWith(turn, at));
  return turn !== undefined && beginsLine(text, at) ? turn.length : 0;
}

function beginsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === " " || text[before] === "\t") {
    before -= 1;
  }
  return before < 0 || /[\r\n\u2028\u2029]/.test(text.charAt(before));
}

const TOKEN_NAME = /^[\p{Alphabetic}\p{N}_\-./▁]+/u;

/** Returns the length of a special token: a name between delimiters. */
function specialToken(text: string): number | undefined {
  const mark = MARKS.find(([open]) => text.startsWith(open));
  if (mark === undefined) {
    return undefined;
  }
  const [open, close] = mark;
  const name = TOKEN_NAME.exec(text.slice(open.length))?.[0] ?? "";
  const end = open.length + name.length;
  const isToken = name !== "" && byteLength(name) <= MAX_NAME && text.startsWith(close, end);
  return isToken ? end + close.length : undefined;
}

const NAME = /^[A-Za-z0-9_]*/;
const SPACE_FIRST = /^[\s\u0085]/;

/**
 * Returns the length of a tag with one of the names, including its attributes. If the tag has no end, it is the length up to the end of the
 * name.
 */
function tag(before: string, text: string): number | undefined {
  const afterSign = trimStart(text.slice(1));
  const inner = afterSign.startsWith("/") ? trimStart(afterSign.slice(1)) : afterSign;
  const isSpaced = startsWithSpace(text.slice(1));
  let name = NAME.exec(inner)?.[0] ?? "";
  let rest = inner.slice(name.length);
  // A namespace prefix.
  if (rest.startsWith(":") && !TAGS.has(asciiLower(name)) && name.length <= MAX_NAME) {
    name = NAME.exec(rest.slice(1))?.[0] ?? "";
    rest = rest.slice(1 + name.length);
  }
  const isTag = TAGS.has(asciiLower(name));
  const hasOneCase = !/[A-Z]/.test(name) || !/[a-z]/.test(name);
  const isWord = WORDS.has(asciiLower(name)) && hasOneCase;
  if ((!isTag && !isWord) || isTypeArgument(before, text, name)) {
    return undefined;
  }
  const attributes = /^([^<>]*)>/.exec(beginningOfBytes(rest, MAX_ATTRIBUTES))?.[1];
  if (attributes !== undefined && areAttributes(attributes, isSpaced)) {
    return text.length - rest.length + attributes.length + 1;
  }
  // `<System as Trait>` is code.
  return !isSpaced && ((isTag && hasOneCase) || beginsAttribute(rest)) ? text.length - rest.length : undefined;
}

function areAttributes(text: string, isSpaced: boolean): boolean {
  const isBare = /^\/*$/.test(trim(text));
  return isBare || (!isSpaced && (text.includes("=") || !/[\s\u0085]/.test(text.replaceAll("\ufeff", ""))));
}

function startsWithSpace(text: string): boolean {
  return SPACE_FIRST.test(text) && !text.startsWith("\ufeff");
}

/** Returns whether an attribute follows a tag's name, of any length and content. */
function beginsAttribute(rest: string): boolean {
  const name = trimStart(rest);
  const value = name.replace(/^[A-Za-z0-9_\-:.]+/, "");
  return name.length < rest.length && value.length < name.length && trimStart(value).startsWith("=");
}

/**
 * Returns whether `<name` begins the arguments of a type, as in `Vec<System>`, `Map<System, u8>` or `open::<System>()`: an identifier precedes
 * it, `name` is spelled like a type (`ToolCall`), and no word directly follows it. No model was trained on framing of this form.
 */
function isTypeArgument(before: string, text: string, name: string): boolean {
  const isType = /^[A-Z][A-Za-z0-9]*$/.test(name) && /[a-z]/.test(name);
  const generic = before.endsWith("::") ? before.slice(0, -2) : before;
  if (!isType || !/[\p{Alphabetic}\p{N}_]$/u.test(generic) || !text.startsWith(name, 1)) {
    return false;
  }
  const end = trimStart(text.slice(1 + name.length));
  return /^[,:]/.test(end) || (end.startsWith(">") && !/^>[\p{Alphabetic}\p{N}_]/u.test(end));
}
