//! A text that is not finished. It has a marker such as `TODO:`, `FIXME` or `(TBD)`, or words that stand for others, such as
//! "lorem ipsum"; or it ends in the middle of a sentence, after "the", a comma or a colon, or with a parenthesis, a quotation mark
//! or a backtick that is never closed. Markers in quotes, and markers that are mentioned as such, as in "Lists the TODO: items", are allowed.
//! Words are only judged in English texts.
//!
//! ## Why is this bad
//! The model reads a note of the author as a fact about the tool, and guesses what the missing words say. Often, a program has cut
//! the text at a number of characters.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines. Use it before changing a file, because the result has the"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines. Use it before changing a file, because the result has the numbers of the lines."
//! ```

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::english::is_english;
use crate::lint::mentions::sentence;
use crate::lint::{Check, Lint, Rule};

use super::placeholder_description::is_to_be_written;

pub(super) const RULE: Rule = Rule::new("M031", "unfinished-text", Some(Level::Warning), Check::Tool(check));

/// What stands for words that are still to be written.
static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:TODO|FIXME|XXX)(?:\([^)\n]{0,30}\))?:|@(?i:todo|fixme)\b|(?:^|[.;]\s|\n)\s*XXX\s+[a-z]|[\[(<](?:TODO|FIXME|TBD|TBA|XXX)\b[^\])>\n]{0,60}[\])>]",
        r"|\b(?:FIXME|TBD)\b(?:[.!]|\s*$)|(?m:^\s*(?:TODO|FIXME|TBD)\b\s*(?:-|$))|(?m:^\s*FIXME\b)|[.;]\s+(?:TODO|FIXME)\s+[a-z]",
        r"|(?i:\blorem ipsum\b)|\?\?\?+",
        r"|(?i:[\[<](?:insert|add|your|describe|write)\s[^\]>\n]{0,40}(?:here|description|text)[\]>])|(?i:[\[<]fill(?: (?:me|this|it))? in(?: [^\]>\n]{0,30})?[\]>]|\(fill(?: (?:me|this|it))? in\))",
        r"|(?:(?:^|[.(\[]\s?)[Tt]o be (?:defined|determined|documented|decided|written|completed|specified))[.)\]]?(?:\s*$|[.)\]])",
    ))
    .expect("the pattern is valid")
});

/// A part of every text that [`MARKER`] matches.
const SIGNS: [&str; 13] =
    ["TODO", "FIXME", "TBD", "TBA", "XXX", "orem ipsum", "???", "o be ", "ere", "@todo", "@fixme", "ill ", "ILL "];

/// Words of a sentence that describes markers.
const ABOUT_MARKERS: [&str; 8] =
    ["comment", "marker", "placeholder", "tagged", "annotation", "such as", "e.g.", "for example"];

/// Words after which an English sentence goes on.
const OPEN_WORDS: [&str; 42] = [
    "a", "an", "and", "because", "but", "e.g", "either", "every", "from the", "i.e", "if", "into the", "its", "like the", "must",
    "nor", "of the", "or", "should", "such as", "than", "the", "their", "unless", "whether", "whose", "your",
    "the following", "which is", "which are", "It is", "It must be", "It should be", "It can be", "This is",
    "according to", "as well as", "depending on", "due to", "in addition to", "instead of", "prior to",
];

/// Words after which an English sentence goes on, unless it is a relative clause or a question: "what the path is relative to".
const OPEN_PHRASES: [&str; 12] = [
    "compared to", "do not", "does not", "is not", "may not", "must be", "must not", "relative to", "should be", "should not",
    "similar to", "will be",
];

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for text in tool.texts() {
        let Some(literal) = lint.string(text.place) else { continue };
        let value = literal.value();
        let Some((what, span)) = unfinished(value) else { continue };
        if is_to_be_written(value) {
            continue;
        }
        let message = format!("a text of `{}` is not finished: {what}", tool.name());
        sink.push(
            Diagnostic::new(codes::UNFINISHED_TEXT, literal.place(span), message)
                .help("finish the text; put words that are meant as they are in backticks"),
        );
    }
}

/// Returns why a text is not finished, and the place. `None` if it is finished, as far as can be seen.
fn unfinished(text: &str) -> Option<(String, Range<usize>)> {
    marker(text).or_else(|| cut_off(text)).or_else(|| never_closed(text))
}

fn marker(text: &str) -> Option<(String, Range<usize>)> {
    if !SIGNS.iter().any(|sign| text.contains(sign)) {
        return None;
    }
    let found = MARKER.find_iter(text).find(|found| {
        let sentence = sentence(text, &found.range()).to_lowercase();
        !is_quoted(text, found.start())
            && !ABOUT_MARKERS.iter().any(|about| sentence.contains(about))
            && !is_named(text, &found.range())
    })?;
    let shown = found.as_str().trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '.' | ';'));
    let start = found.start() + found.as_str().find(shown)?;
    Some((format!("it has the marker `{shown}`"), start..start + shown.len()))
}

/// Words after which a marker is what the sentence is about.
const BEFORE_NAMES: [&str; 92] = [
    "a", "add", "adds", "all", "an", "and", "any", "as", "between", "by", "called", "collect", "collects", "contain", "containing",
    "contains", "count", "counts", "delete", "deletes", "each", "every", "extract", "extracts", "fewer", "find", "finds", "first", "following",
    "for", "from", "glob", "grep", "has", "have", "highlight", "highlights", "ignore", "ignores", "in", "insert", "inserts", "keyword",
    "keywords", "label", "labels", "last", "like", "list", "lists", "mark", "marked", "marks", "mask", "match", "matches", "matching", "named",
    "new", "next", "no", "of", "old", "on", "open", "or", "pattern", "prefix", "remove", "removes", "replace", "replaces", "report", "reports",
    "search", "searches", "show", "shows", "skip", "skips", "some", "status", "string", "tag", "tags", "the", "tracks", "unresolved", "with",
    "without", "word", "words",
];

/// What a note tells its author to do.
const ORDERS: [&str; 34] = [
    "add", "ask", "check", "clarify", "complete", "confirm", "correct", "decide", "define", "describe", "document", "expand", "explain", "fill",
    "finish", "fix", "improve", "insert", "link", "mention", "provide", "remove", "replace", "rewrite", "say", "specify", "tell", "test",
    "translate", "update", "verify", "what", "which", "write",
];

/// Nouns after a marker that is mentioned, as in `FIXME notes of a file`.
const NAMED: [&str; 18] = [
    "comments", "entries", "entry", "generator", "item", "items", "lines", "list", "markers", "notes", "occurrences", "paragraphs",
    "sentences", "state", "status", "tags", "text", "words",
];

/// Text before a `TBD` that is a value: one that is set (`Sets the owner to TBD`), or one that is searched for (`whose date is TBD`).
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:\b(?:as|contains?|containing|marked|shows?|says?|named?|called|returns|word|value|status|state|label)",
        r"|\b(?:sets?|changes?|resets?|moves?|switch(?:es)?|rename|convert) (?:the|a|an|its|it|this|them|all|each|every|one)\b[^.]{0,60} to",
        r"|\b(?:replaces?|replaced|fills?|filled)\b[^.]{0,60} (?:by|with)",
        r"|\b(?:whose|if|when|where) [^.]{1,40} (?:is|are)(?: still)?|\bthat (?:is|are)(?: still)?|[A-Za-z],? or)\s*$",
    ))
    .expect("the pattern is valid")
});

/// Returns whether a sentence is about a marker, so that it does not stand for words that are still to be written.
fn is_named(text: &str, span: &Range<usize>) -> bool {
    let marker = text[span.clone()].trim_start_matches(|letter: char| letter.is_whitespace() || matches!(letter, '.' | ';'));
    let start = span.end - marker.len();
    let first_word = |text: &str| {
        let word = text.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
        word.unwrap_or_default().to_lowercase()
    };
    // The match can end with a letter of the next word.
    let is_filler = marker.to_lowercase().starts_with("lorem");
    let name_end = marker.find(|letter: char| !letter.is_alphanumeric()).filter(|_| !is_filler).map_or(span.end, |end| start + end);
    let next = if marker.starts_with(['[', '(', '<']) { String::new() } else { first_word(&text[name_end..]) };
    if ORDERS.contains(&next.as_str()) {
        return false;
    }
    let is_value = marker.starts_with("TBD") && VALUE.is_match(&text[..start]);
    is_value
        || NAMED.contains(&next.as_str()) && !marker.contains(':')
        || is_list(marker)
        || is_line_of_list(text, start)
        || follows_name(text, start, marker)
}

/// Returns whether the words before a marker make it their object.
fn follows_name(text: &str, start: usize, marker: &str) -> bool {
    if marker.starts_with("TBD") || marker.starts_with("FIXME") && !marker.contains(':') {
        return false;
    }
    // The sign of a comment, as in "Finds // TODO: lines".
    let before = text[..start].trim_end_matches(|letter: char| letter.is_whitespace() || "/#*-;%".contains(letter));
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    if marker.starts_with('?') {
        // A mask of a name is attached to it.
        let is_attached = text[start + marker.len()..].starts_with(|letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '*'));
        return is_attached || BEFORE_NAMES.contains(&word.to_lowercase().as_str());
    }
    if marker.starts_with('l') && !text[start..].starts_with("lorem ipsum dolor") {
        return word.ends_with(char::is_alphabetic);
    }
    let is_marker = |word: &str| ["TODO", "FIXME", "XXX", "TBD", "HACK"].contains(&word.trim_end_matches([':', ',', '/']));
    is_marker(word) || BEFORE_NAMES.contains(&word.to_lowercase().as_str())
}

/// Returns whether a marker in parentheses is one of a list of words in capital letters: `(TODO, DOING, DONE)`.
fn is_list(marker: &str) -> bool {
    let inner = marker.trim_matches(['(', ')', '[', ']', '<', '>']);
    let mut words = inner.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let is_word = |word: &str| word.is_empty() || ["or", "and"].contains(&word) || word.chars().all(|letter| letter.is_uppercase() || letter == '_');
marker.starts_with(['(', '[', '<']) && inner.contains([',', '/', '|', ' ']) && words.all(is_word)
}

/// Returns whether a marker begins a line of a list of words in capital letters, where others are words.
fn is_line_of_list(text: &str, start: usize) -> bool {
    let line_start = text[..start].rfind('\n').map_or(0, |line| line + 1);
    let is_bullet = |text: &str| text.chars().all(|letter| letter.is_whitespace() || matches!(letter, '-' | '*' | '•'));
    let heads = text.lines().filter_map(|line| {
        let line = line.trim_start_matches(|letter: char| letter.is_whitespace() || matches!(letter, '-' | '*' | '•'));
        let head = &line[..line.find(|letter: char| !letter.is_uppercase() && letter != '_').unwrap_or(line.len())];
        (head.len() > 2 && line[head.len()..].trim_start().starts_with(['-', ':', '–']) || head == line.trim_end()).then_some(head)
    });
    let is_other = |head: &str| !head.is_empty() && !["TODO", "FIXME", "TBD", "TBA", "XXX"].contains(&head);
    is_bullet(&text[line_start..start]) && heads.filter(|head| is_other(head)).count() > 0
}

/// Returns whether a place is in backticks or quotes: an odd number of them are before it in its line.
fn is_quoted(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |line| line + 1);
    ['`', '"'].iter().any(|quote| text[line..at].matches(*quote).count() % 2 == 1) || text[..at].ends_with('\'')
}

/// Finds the end of a text after which a sentence would go on.
fn cut_off(text: &str) -> Option<(String, Range<usize>)> {
    let whole = text.trim_end();
    let last = whole.chars().next_back()?;
    let at = whole.len() - last.len_utf8();
    let before = &whole[..at];
    let is_attached = before.ends_with(|letter: char| letter.is_alphanumeric() || matches!(letter, ')' | '`' | '"'));
    // What separates values is also named at the end of a sentence, and an emoji can be written as `:smile:`.
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let found = |what: String, start: usize| Some((what, start..whole.len()));
    match last {
        ',' | '，' | '、' if is_attached => found(format!("it ends with `{last}`"), at),
        ':' | '：' if is_attached && !word.contains([':', '/']) => {
            found(format!("nothing follows the `{last}` at its end"), at)
        }
        '-' | '–' | '—' if before.ends_with(' ') && !follows_sign(before) && is_english(text) => {
            found(format!("it ends with `{last}`"), at)
        }
        '(' | '[' if before.ends_with(' ') && !follows_sign(before) => found(format!("it ends with `{last}`"), at),
        '…' => elided(before, last),
        '.' if before.ends_with("..") => elided(before.trim_end_matches('.'), last),
        letter if letter.is_ascii_alphabetic() || matches!(letter, '.' | '/') => {
            let bare = whole.trim_end_matches(['.', '/']);
            // One period ends a sentence; after "the", it hides that one was cut.
            let phrases = OPEN_PHRASES.iter().filter(|_| !is_relative(bare));
            let open = OPEN_WORDS.iter().chain(phrases).filter(|open| ends_with_open(bare, open)).max_by_key(|open| open.len())?;
            is_english(text).then(|| found(format!("it ends after \"{open}\""), bare.len() - open.len()))?
        }
        _ => None,
    }
}

/// Returns whether the last sentence of a text has a relative clause or a question, which can end with a preposition or a verb.
fn is_relative(text: &str) -> bool {
    const RELATIVES: [&str; 10] = ["how", "that", "those", "what", "when", "where", "whether", "which", "who", "whom"];
    let sentence = text.rsplit_once(". ").map_or(text, |(_, sentence)| sentence).to_lowercase();
    sentence.split(|letter: char| !letter.is_alphanumeric()).any(|word| RELATIVES.contains(&word))
}

/// Returns whether a text names a sign at its end, as in "begins with (".
fn follows_sign(before: &str) -> bool {
    let word = before.trim_end().rsplit(' ').next().unwrap_or_default();
    ["with", "by", "and", "or", "character", "sign", "symbol", "a", "an", "the"].contains(&word)
}

/// Finds an ellipsis in place of the last words: one that is attached to a word, in a sentence that is not a list.
fn elided(before: &str, last: char) -> Option<(String, Range<usize>)> {
    const MIN_CHARS: usize = 24;
    let start = before.len();
    let end = start + if last == '.' { 3 } else { last.len_utf8() };
    let sentence = before.rsplit_once(". ").map_or(before, |(_, sentence)| sentence);
    let is_list = sentence.contains([',', '"', '\'', '`', '、']) || ["etc", "such as", "like", "e.g"].iter().any(|word| sentence.contains(word));
    let is_attached = before.ends_with(char::is_alphabetic);
    (is_attached && !is_list && before.chars().count() >= MIN_CHARS)
        .then(|| ("it ends with an ellipsis".to_owned(), start..end))
}

/// Words after which "a" is an article.
const BEFORE_ARTICLES: [&str; 22] = [
    "of", "to", "for", "with", "in", "on", "is", "as", "by", "from", "at", "find", "creates", "create", "use", "get", "gets", "returns",
    "return", "like", "into", "has",
];

fn ends_with_open(text: &str, open: &&str) -> bool {
    let rest = text.strip_suffix(*open);
    rest.is_some_and(|rest| {
        let word = rest.trim_end().rsplit(' ').next().unwrap_or_default();
        // "option a" and "row a." name something.
        let is_name = matches!(*open, "a" | "an") && !BEFORE_ARTICLES.contains(&word);
        rest.ends_with(char::is_whitespace) && !is_name && !is_quoted(text, rest.len())
            && word != "="
    })
}

/// Finds a parenthesis, a quotation mark or a backtick that opens the last part of a text and is never closed.
fn never_closed(text: &str) -> Option<(String, Range<usize>)> {
    if !text.bytes().any(|byte| matches!(byte, b'(' | b'[' | b'"' | b'`')) {
        return None;
    }
    let (mut open, mut quote): (Vec<usize>, Option<(usize, char)>) = (Vec::new(), None);
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        let next = text[at + letter.len_utf8()..].chars().next().unwrap_or(' ');
        let is_escaped = before == '\\';
        match (letter, quote) {
            ('`' | '"', _) if is_escaped => {}
            ('`', Some((_, '`'))) | ('"', Some((_, '"'))) => quote = None,
            // A fence, an inch and a lone sign open nothing.
            ('`', None) if before != '`' && next != '`' && opens(before, next) => quote = Some((at, letter)),
            ('"', None) if opens(before, next) => quote = Some((at, letter)),
            ('(' | '[', None) => open.push(at),
            // The closing sign of a half-open interval differs from the opening one.
            (')' | ']', None) => drop(open.pop()),
            _ => {}
        }
        before = letter;
    }
    if let Some((at, letter)) = quote {
        return Some((format!("`{letter}` is never closed"), at..text.len())).filter(|_| is_last_part(text, at));
    }
    let at = *open.last()?;
    let sign = &text[at..=at];
    // A face, a sign on its own, and an interval.
    let is_opened = !text[..at].ends_with([':', '"', '\'', '\\']) && !text[at + 1..].starts_with([' ', '\'', '"']);
    (is_opened && is_last_part(text, at)).then(|| (format!("`{sign}` is never closed"), at..text.trim_end().len()))
}

fn opens(before: char, next: char) -> bool {
    (before.is_whitespace() || matches!(before, '(' | '[' | ':')) && next.is_alphanumeric()
}

/// Returns whether what begins at a place is in the last line, and ends without a period: a list of signs, or a picture in
/// characters, is not cut off.
fn is_last_part(text: &str, at: usize) -> bool {
    let rest = text[at..].trim_end();
    !rest.contains('\n') && rest.len() > 1 && !rest.ends_with(['.', '!', '?', '。']) && !rest[1..].contains(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_texts_are_found() {
        for text in [
            "Read a file. TODO: say which ones are allowed.",
            "Reads a file. FIXME(anna): what about links?",
            "The folder (TBD).",
            "The maximum size is TBD",
            "The format of the date. [TODO]",
            "Read a file. <TODO describe the encoding>",
            "XXX: check this with the server team",
            "The limit. TODO document the unit",
            "Lorem ipsum dolor sit amet, consectetur.",
            "Deletes rows. [insert description here]",
            "The kind of index. To be defined.",
            "The price (to be determined) of the item",
            "What does it return ???",
            "FIXME",
            "Lists the issues of a repository.\nTODO - filters",
            "Search the index for the",
            "Return the number of items and",
            "The user's name or",
            "Use it to find a",
            "Reads a file, unless",
            "Sends the message to the user because",
            "The path of the file, relative to the folder,",
            "Returns the following fields:",
            "Deletes the branch (",
            "The identifier of the user (as returned by `find_user`",
            "The name of the tool, as in `read_fil",
            "The title of the page, such as \"Introduction to",
            "Search all documents that the current user may rea...",
            "Lists all the tickets of the project that are still o…",
            "Returns the first match of the.",
            "The status of the order (one of open, closed",
            "文件的路径，",
            "返回以下字段：",
            "FIXME describe the folder of the user.",
            "The path of the file, relative to",
            "The path, relative to.",
            "It must not",
            "The name of the user. It should not",
            "How many rows to return, depending on",
            "The date is read according to",
            "Reads a file and its notes, as well as",
            "The name of a folder instead of",
            "The value will be",
            "Reads a file. @todo describe the encoding",
            "@TODO the limit",
            "The folder <fill in>",
            "The folder [fill this in]",
            "The unit (fill in)",
            "XXX write the unit",
            "Reads a file. XXX which encodings?",
            "The folder of the user, e.g.",
            "The folder of the user -",
            "The folder of the user with the following",
            "The user's folder, which is",
            "The user's folder. It must be",
            "Reads a file TODO: add the encoding",
            "Reads a file. // TODO: describe the encoding",
            "Returns the TODO: describe the result",
            "The unit is FIXME.",
            "Defaults to TBD.",
            "Limited to TBD",
            "The unit that is used is TBD.",
            "The format, which is TBD.",
            "Set to TBD.",
            "TODO: list the items",
            "Lists files. TODO: items that are hidden",
            "Reads a file.\nTODO: the encoding",
            "Reads a file (TODO: which encodings)",
            "Reads a file (TODO)",
            "The limit [FIXME, in bytes]",
            "Who may read it ???",
            "Lorem ipsum.",
            "Reads a file. lorem ipsum dolor sit amet",
            "Files. FIXME which ones",
            "TBD - the format",
            "The encoding of the file: TBD",
            "The unit is TBD. The default is 5.",
        ] {
            assert!(unfinished(text).is_some(), "{text}");
        }
    }

    #[test]
    fn finished_texts_are_not_found() {
        for text in [
            "Find comments such as TODO: and FIXME: in sources.",
            "Marks a line with `TODO:`.",
            "Adds the text \"TODO: review\" to the file.",
            "Show the items of the TODO list.",
            "TODO items to show",
            "Create a TODO",
            "Phone number, XXX-XXX-XXXX.",
            "The folder to look in",
            "Which file the path is relative to",
            "The base that all paths are relative to.",
            "The account that it will be similar to",
            "What the value must not be",
            "Fields to fill in",
            "The form (fill in all fields first) to send",
            "Notifies @todoist and others",
            "Prefix XXX of the code",
            "Whether to show the rows that are not",
            "The account that the user signs in with",
            "What the page consists of",
            "The date to start from",
            "Which option to choose: option a",
            "Vitamin a",
            "Field 1 of row a.",
            "Zeigt die Datei an",
            "Décrit le but",
            "Hängt den Text an.",
            "Wie der Nutzer heißt und wo er wohnt",
            "Values, separated by ,",
            "The text begins with (",
            "Reacts with an emoji, such as :thumbs_up:",
            "One of text, html, json, ...",
            "Files, folders, links...",
            "Please wait...",
            "Half-open interval [0, 1)",
            "Interval (0, 1]",
            "Height in inches, such as 5' 11\"",
            "The character ` or \"",
            "A face :(",
            "Use `a` or `b`, and \"c\".",
            "```\nprint(\"x\")\n```",
            "Steps: 1) open it, 2) read it, 3) close it.",
            "Regular expression, e.g. `^(a|b`.",
            "To be read by people",
            "Whether the task is to be completed today",
            "The columns are:\n- name\n- size",
            "Insert a text here <br>",
            "Is it ready??",
            "",
            "Reads a file (or a folder) and its `name`.",
            "Sort by name/size/date/",
            "Text in Latin: et cetera",
            "Prefix of the address, such as http://",
            "Port 80 of the address, such as localhost:80",
            "Name of the key in the form scope:name:",
            "何を検索するか",
            "The sign that separates them, which is a -",
            "How large the file is",
            "Where it is",
            "FIXME comments of the file",
            "Lists the TODO: items of a file",
            "Set the status to TBD.",
            "A task marker such as TODO or FIXME",
            "Marks an event as TBD.",
            "Lists events whose date is TBD.",
            "Replaces an unknown date by TBD.",
            "Finds all FIXME: lines in the sources",
            "Finds // TODO: and # FIXME: lines.",
            "Counts lines with TODO:, FIXME: or XXX: in them",
            "Searches for TODO: in the code",
            "The text of the TODO: line",
            "The states of a task (TODO, DOING, DONE)",
            "Kinds of notes (TODO/FIXME/XXX)",
            "Moves the card to another column (TODO or DONE).",
            "The state:\nTODO - not begun\nDOING - in work\nDONE - finished",
            "The state of the task:\n- TODO\n- DONE",
            "TODO: not begun\nDONE: finished",
            "FIXME notes of a project",
            "Scans the code. TODO items come first.",
            "Matches names such as ???.txt",
            "The mask ??? stands for three letters.",
            "Generates paragraphs of lorem ipsum.",
            "Lorem ipsum generator for mock-ups",
            "Adds TODO: lines to the file",
            "Shows the date, or TBD.",
            "Sets the owner of all open tasks to TBD.",
            "Removes every XXX: mark",
            "Returns tasks that are still TBD.",
            "The next TODO: entry of the list",
            "Отправляет сообщение пользователю и",
        ] {
            assert_eq!(unfinished(text), None, "{text}");
        }
    }
}
