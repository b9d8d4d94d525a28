//! Scrubbing of error messages. They can contain text from anywhere: a web page, a file name, the model itself. Scrubbing
//! removes framing, which is anything that a model could mistake for structure: tags of tool calls and results, tokens of
//! chat templates, code fences.
//!
//! A removal can create new framing (`<sys<system>tem>`), so it is repeated until nothing is left to remove. The patterns are
//! in the tables at the top.

use crate::text::invisible::is_invisible;
use std::borrow::Cow;

/// The maximum length of a message, in characters.
pub(crate) const MAX_CHARS: usize = 2_000;

/// Names of tags, in any case and with any suffix. Code may use such a name for a type: see [`is_type_argument`].
const TAGS: &[&str] = &[
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
];

/// Names that also occur in code. Only complete tags in one case are removed, so that `Vec<User>` is kept. Names that are
/// more common in HTML and XML than in prompts, such as `input` and `message`, are not listed.
const WORDS: &[&str] = &[
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
];

/// The delimiters of special tokens: ChatML, Llama 3, Phi and many others; DeepSeek.
const MARKS: &[(&str, &str)] = &[("<|", "|>"), ("<｜", "｜>")];

/// Strings that are always removed: fences; the tokens of Llama 2, Mistral, GLM, DeepSeek.
const TOKENS: &[&str] = &[
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
];

/// Strings that are removed together with the next closing one.
const PAIRS: &[(&str, &str)] = &[("<![CDATA[", "]]>")];

/// Names of speakers at the beginning of a line: Anthropic's old prompts, Vicuna, Alpaca.
const TURNS: &[&str] = &[
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

/// The first characters of all patterns above.
const STARTS: &[char] = &['<', '[', '`', '#', 'A', 'H', 'S', 'U'];

/// The maximum length of a tag's attributes, in bytes.
const MAX_ATTRIBUTES: usize = 256;
/// The maximum length of a special token's name, in bytes.
const MAX_NAME: usize = 64;
/// The maximum distance before a removal at which a new pattern can begin, in bytes.
const MAX_PATTERN: usize = MAX_ATTRIBUTES + 4 * MAX_NAME;

/// Returns `text` without framing, truncated to `max` characters.
pub(crate) fn scrub(text: &str, max: usize) -> Cow<'_, str> {
    // Reads up to four times as much, in case most of it is removed. The rest of a long text is never read.
    let (beginning, mut is_cut) = first(text, 4 * max);
    let mut text = remove_framing(Cow::Borrowed(beginning));
    if text.chars().nth(max).is_some() {
        is_cut = true;
    }
    if is_cut {
        let (beginning, _) = first(&text, max - 1);
        text = remove_framing(Cow::Owned(format!("{beginning}…")));
    }
    text
}

/// Returns the first `max` characters, and whether the text has more.
fn first(text: &str, max: usize) -> (&str, bool) {
    match text.char_indices().nth(max) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

fn remove_framing(mut text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains(is_invisible) {
        text.to_mut().retain(|letter| !is_invisible(letter));
    }
    while remove_once(&mut text) {}
    text
}

/// Removes framing in one pass. After each removal, the pass continues at the first position where a new pattern could begin.
/// Returns whether anything was removed.
fn remove_once(text: &mut Cow<'_, str>) -> bool {
    let (mut at, mut is_changed) = (0, false);
    while let Some(next) = text[at..].find(STARTS) {
        at += next;
        let length = framing(&text[..at], &text[at..]);
        if length == 0 {
            at += 1;
            at = text.ceil_char_boundary(at);
            continue;
        }
        is_changed = true;
        let text = text.to_mut();
        let is_open = |(open, _): &&(&str, &str)| text[at..].starts_with(open);
        if let Some((_, close)) = PAIRS.iter().find(is_open)
            && let Some(end) = text[at..].find(close)
        {
            text.drain(at + end..at + end + close.len());
        }
        text.drain(at..at + length);
        at = text.floor_char_boundary(at.saturating_sub(MAX_PATTERN));
    }
    is_changed
}

/// Returns the length of the framing at the beginning of `text`, in bytes.
fn framing(before: &str, text: &str) -> usize {
    let is_here = |token: &&&str| text.starts_with(**token);
    if let Some(token) = TOKENS.iter().chain(PAIRS.iter().map(|(open, _)| open)).find(is_here) {
        return token.len();
    }
    if text.starts_with('<') {
        return special_token(text).or_else(|| tag(before, text)).unwrap_or(0);
    }
    let begins_line =
        || before.trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| "\r\n\u{2028}\u{2029}".contains(c));
    TURNS.iter().find(is_here).filter(|_| begins_line()).map_or(0, |token| token.len())
}

/// Returns the length of a special token: a name between delimiters.
fn special_token(text: &str) -> Option<usize> {
    let (open, close) = MARKS.iter().find(|(open, _)| text.starts_with(open))?;
    let inner = &text[open.len()..];
    let end = inner.find(|c: char| !(c.is_alphanumeric() || "_-./▁".contains(c)))?;
    (end > 0 && end <= MAX_NAME && inner[end..].starts_with(close)).then(|| open.len() + end + close.len())
}

/// Returns the length of a tag with one of the names, including its attributes. If the tag has no end, it is the length up to
/// the end of the name.
fn tag(before: &str, text: &str) -> Option<usize> {
    let inner = text[1..].trim_start();
    let inner = inner.strip_prefix('/').map_or(inner, str::trim_start);
    let is_spaced = text[1..].starts_with(char::is_whitespace);
    let end_of = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let mut name = &inner[..end_of(inner)];
    let mut rest = &inner[name.len()..];
    // A namespace prefix.
    if let Some(local) = rest.strip_prefix(':')
        && !is_listed(TAGS, name)
        && name.len() <= MAX_NAME
    {
        name = &local[..end_of(local)];
        rest = &local[name.len()..];
    }
    let is_tag = is_listed(TAGS, name);
    let one_case = !name.contains(char::is_uppercase) || !name.contains(char::is_lowercase);
    let is_word = || is_listed(WORDS, name) && one_case;
    if !is_tag && !is_word() || is_type_argument(before, text, name) {
        return None;
    }
    let attributes = &rest[..rest.floor_char_boundary(MAX_ATTRIBUTES)];
    let end = attributes.find(['<', '>']).filter(|&end| attributes[end..].starts_with('>')).filter(|&end| {
        let attributes = &attributes[..end];
        let is_bare = attributes.trim().trim_end_matches('/').is_empty();
        is_bare || !is_spaced && (attributes.contains('=') || !attributes.contains(char::is_whitespace))
    });
    let until = |rest: &str| text.len() - rest.len();
    match end {
        Some(end) => Some(until(&rest[end + 1..])),
        // `<System as Trait>` is code.
        None if !is_spaced && (is_tag && one_case || begins_attribute(rest)) => Some(until(rest)),
        None => None,
    }
}

/// Returns whether an attribute follows a tag's name, of any length and content.
fn begins_attribute(rest: &str) -> bool {
    let name = rest.trim_start();
    let value = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_-:.".contains(c));
    name.len() < rest.len() && value.len() < name.len() && value.trim_start().starts_with('=')
}

/// Returns whether `<name` begins the arguments of a type, as in `Vec<System>`, `Map<System, u8>` or
/// `open::<System>()`: an identifier precedes it, `name` is spelled like a type (`ToolCall`), and no word directly
/// follows it. No model was trained on framing of this form.
fn is_type_argument(before: &str, text: &str, name: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let generic = before.strip_suffix("::").unwrap_or(before);
    let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase) && !name.contains('_');
    let end = text.strip_prefix('<').and_then(|inner| inner.strip_prefix(name)).map(str::trim_start);
    is_type
        && generic.ends_with(is_word)
        && match end.map(|end| end.split_at_checked(1)) {
            Some(Some((">", after))) => !after.starts_with(is_word),
            Some(Some(("," | ":", _))) => true,
            _ => false,
        }
}

fn is_listed(names: &[&str], name: &str) -> bool {
    names.iter().any(|listed| listed.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests;
