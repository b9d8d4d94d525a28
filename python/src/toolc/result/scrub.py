"""Scrubbing of error messages. They can contain text from anywhere: a web page, a file name, the model itself. Scrubbing removes
framing, which is anything that a model could mistake for structure: tags of tool calls and results, tokens of chat templates, code
fences.

A removal can create new framing (`<sys<system>tem>`), so it is repeated until nothing is left to remove.
"""

from __future__ import annotations

import re
from typing import Final

from ..text.invisible import without_invisible
from ..text.strings import ascii_lower, beginning, byte_len, is_space, trim, trim_start

MAX_CHARS: Final = 2_000
"""The maximum length of a message, in characters."""

# Names of tags, in any case and with any suffix. Code may use such a name for a type: see `_is_type_argument`.
_TAGS: Final = frozenset(
    """
    antml arg_key arg_value assistant developer end_of_turn function_call function_calls function_output
    function_response function_result function_results human im_end im_start invoke scratch_pad scratchpad start_of_turn
    system system_prompt think thinking tool_call tool_calls tool_code tool_output tool_outputs tool_response
    tool_responses tool_result tool_results tool_use toolcall
    """.split()  # noqa: SIM905
)
# Names that also occur in code. Only complete tags in one case are removed, so that `Vec<User>` is kept.
_WORDS: Final = frozenset(
    """
    answer function functions instructions output outputs parameter parameters response result results tool tools user
    """.split()  # noqa: SIM905
)
# The delimiters of special tokens: ChatML, Llama 3, Phi and many others; DeepSeek.
_MARKS: Final = (("<|", "|>"), ("<｜", "｜>"))
# Strings that are always removed: fences; the tokens of Llama 2, Mistral, GLM, DeepSeek.
_TOKENS: Final = (
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
)
# A string that is removed together with the next closing one.
_OPEN: Final = "<![CDATA["
_CLOSE: Final = "]]>"
# Names of speakers at the beginning of a line: Anthropic's old prompts, Vicuna, Alpaca.
_TURNS: Final = (
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
)
# The first characters of all patterns above.
_STARTS: Final = re.compile("[<[`#AHSU]")
# The maximum length of a tag's attributes, in bytes.
_MAX_ATTRIBUTES: Final = 256
# The maximum length of a special token's name, in bytes.
_MAX_NAME: Final = 64
# The maximum distance before a removal at which a new pattern can begin.
_MAX_PATTERN: Final = _MAX_ATTRIBUTES + 4 * _MAX_NAME

_NAME: Final = re.compile("[A-Za-z0-9_]*")
_ATTRIBUTE: Final = re.compile("[A-Za-z0-9_:.-]+")
_ANGLE: Final = re.compile("[<>]")


def scrub(text: str, most: int) -> str:
    """Returns `text` without framing, truncated to `most` characters."""
    # Reads up to four times as much, in case most of it is removed. The rest of a long text is never read.
    is_cut = len(text) > 4 * most
    text = _without_framing(text[: 4 * most])
    if is_cut or len(text) > most:
        text = _without_framing(f"{text[: most - 1]}…")
    return text


def _without_framing(text: str) -> str:
    text = without_invisible(text)
    while True:
        scrubbed = _without_framing_once(text)
        if scrubbed == text:
            return text
        text = scrubbed


def _without_framing_once(text: str) -> str:
    """Removes framing in one pass. After each removal, the pass continues at the first position where a new pattern could begin."""
    at = 0
    while (found := _STARTS.search(text, at)) is not None:
        at = found.start()
        length = _framing(text, at)
        if length == 0:
            at += 1
            continue
        if text.startswith(_OPEN, at) and (end := text.find(_CLOSE, at)) >= 0:
            text = text[:end] + text[end + len(_CLOSE) :]
        text = text[:at] + text[at + length :]
        at = max(at - _MAX_PATTERN, 0)
    return text


def _framing(text: str, at: int) -> int:
    """Returns the length of the framing at a place, or 0."""
    for token in (*_TOKENS, _OPEN):
        if text.startswith(token, at):
            return len(token)
    if text[at] == "<":
        return _special_token(text, at) or _tag(text, at)
    for token in _TURNS:
        if text.startswith(token, at):
            before = text[:at].rstrip(" \t")
            return len(token) if not before or before[-1] in "\r\n\u2028\u2029" else 0
    return 0


def _special_token(text: str, at: int) -> int:
    """Returns the length of a special token: a name between delimiters."""
    for opening, closing in _MARKS:
        if text.startswith(opening, at):
            start = end = at + len(opening)
            while end < len(text) and (text[end].isalnum() or text[end] in "_-./▁"):
                end += 1
            is_name = 0 < byte_len(text[start:end]) <= _MAX_NAME
            return end + len(closing) - at if is_name and text.startswith(closing, end) else 0
    return 0


def _tag(text: str, at: int) -> int:
    """Returns the length of a tag with one of the names, including its attributes. If the tag has no end, it is the length up to
    the end of the name."""
    after = text[at + 1 :]
    inner = trim_start(after)
    if inner.startswith("/"):
        inner = trim_start(inner[1:])
    is_spaced = after[:1] != "" and is_space(after[0])
    name = _name(inner)
    rest = inner[len(name) :]
    # A namespace prefix.
    if rest.startswith(":") and ascii_lower(name) not in _TAGS and len(name) <= _MAX_NAME:
        name = _name(rest[1:])
        rest = rest[1 + len(name) :]
    is_tag = ascii_lower(name) in _TAGS
    one_case = name == name.lower() or name == name.upper()
    if not is_tag and not (ascii_lower(name) in _WORDS and one_case):
        return 0
    if _is_type_argument(text, at, name):
        return 0
    end = _end_of_tag(rest, is_spaced)
    if end is not None:
        return len(text) - at - len(rest) + end + 1
    # `<System as Trait>` is code.
    if not is_spaced and ((is_tag and one_case) or _begins_attribute(rest)):
        return len(text) - at - len(rest)
    return 0


def _name(text: str) -> str:
    found = _NAME.match(text)
    assert found is not None
    return found[0]


def _end_of_tag(rest: str, is_spaced: bool) -> int | None:
    """Returns the place of the `>` at which a tag ends, in what follows its name."""
    attributes = beginning(rest, _MAX_ATTRIBUTES)
    found = _ANGLE.search(attributes)
    if found is None or found[0] != ">":
        return None
    attributes = attributes[: found.start()]
    is_bare = not trim(attributes).rstrip("/")
    has_attributes = not is_spaced and ("=" in attributes or not any(map(is_space, attributes)))
    return found.start() if is_bare or has_attributes else None


def _begins_attribute(rest: str) -> bool:
    """Returns whether an attribute follows a tag's name, of any length and content."""
    name = trim_start(rest)
    found = _ATTRIBUTE.match(name)
    return len(name) < len(rest) and found is not None and trim_start(name[found.end() :]).startswith("=")


def _is_type_argument(text: str, at: int, name: str) -> bool:
    """Returns whether `<name` begins the arguments of a type, as in `Vec<System>`, `Map<System, u8>` or `open::<System>()`: an
    identifier precedes it, `name` is spelled like a type (`ToolCall`), and no word directly follows it. No model was trained on
    framing of this form."""
    before = text[:at].removesuffix("::")
    is_type = name[:1].isupper() and name != name.upper() and "_" not in name
    if not is_type or not before or not _is_word(before[-1]) or not text.startswith(name, at + 1):
        return False
    end = trim_start(text[at + 1 + len(name) :])
    return end[:1] in (",", ":") or (end[:1] == ">" and not (end[1:2] and _is_word(end[1])))


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
