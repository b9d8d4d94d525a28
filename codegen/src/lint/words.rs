//! The words of names and texts, as far as rules compare them.

use std::borrow::Cow;

/// A name's words, in small letters: of `read_file`, `read-file` and `readFile` the same two.
pub(super) fn words(name: &str) -> Vec<Cow<'_, str>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut before: Option<char> = None;
    let mut letters = name.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let is_hump = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || before.is_uppercase() && letters.peek().is_some_and(|(_, next)| next.is_lowercase())
            });
        if is_hump || !letter.is_alphanumeric() {
            words.extend(start.take().map(|start| small(&name[start..at])));
        }
        if letter.is_alphanumeric() {
            start.get_or_insert(at);
        }
        before = Some(letter);
    }
    words.extend(start.map(|start| small(&name[start..])));
    words
}

fn small(word: &str) -> Cow<'_, str> {
    let is_small = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if is_small { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
}

/// A word without what makes a plural, or a third person, of it.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    let Some(rest) = word.strip_suffix('s') else { return Cow::Borrowed(word) };
    if let Some(rest) = rest.strip_suffix("ie").filter(|rest| rest.len() > 2) {
        return Cow::Owned(format!("{rest}y"));
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| rest.ends_with(ending));
    Cow::Borrowed(if ends(&["che", "she", "sse", "xe", "ze"]) {
        &rest[..rest.len() - 1]
    } else if ends(&["s", "u", "i"]) || rest.len() < 2 {
        word
    } else {
        rest
    })
}

/// What a word of a tool's name, or the first of its description, says that the tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Deed {
    /// It leaves everything as it is.
    Read,
    /// It adds something.
    Create,
    /// It changes what is there.
    Change,
    /// It takes away what is there.
    Destroy,
    /// It starts something.
    Run,
}

/// Verbs and what they do; words that are as often nouns are left out.
const DEEDS: &[(Deed, &[&str])] = &[
    (
        Deed::Read,
        &[
            "browse", "can", "check", "count", "describe", "diff", "download", "explain", "fetch", "find", "get",
            "has", "inspect", "is", "list", "lookup", "preview", "query", "read", "retrieve", "search", "show",
            "status", "validate", "verify", "view", "watch",
        ],
    ),
    (Deed::Create, &["add", "append", "clone", "copy", "create", "insert", "make", "post", "register", "upload"]),
    (
        Deed::Change,
        &[
            "apply",
            "archive",
            "assign",
            "change",
            "clear",
            "close",
            "configure",
            "disable",
            "edit",
            "enable",
            "install",
            "merge",
            "modify",
            "move",
            "patch",
            "put",
            "remove",
            "rename",
            "reopen",
            "replace",
            "reset",
            "resolve",
            "restore",
            "save",
            "schedule",
            "send",
            "set",
            "submit",
            "update",
            "upsert",
            "write",
            "undelete",
            "undo",
            "cancel",
        ],
    ),
    (Deed::Destroy, &["delete", "destroy", "erase", "obliterate", "purge", "shred", "uninstall", "wipe"]),
    (Deed::Run, &["call", "execute", "invoke", "launch", "restart", "run", "start", "stop"]),
];

/// What a verb does. Other words do nothing that is known.
pub(super) fn deed(word: &str) -> Option<Deed> {
    let is = |verbs: &[&str], word: &str| verbs.contains(&word);
    DEEDS.iter().find(|(_, verbs)| is(verbs, word)).map(|(deed, _)| *deed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words_however_they_are_spelt() {
        for name in ["read_text_file", "read-text-file", "readTextFile", "Read Text file", "READ_TEXT_FILE"] {
            assert_eq!(words(name), ["read", "text", "file"], "{name}");
        }
        assert_eq!(words("getHTTPUrl2"), ["get", "http", "url2"]);
        assert_eq!(words("API-delete-a-block"), ["api", "delete", "a", "block"]);
        assert!(words("__").is_empty());
    }

    #[test]
    fn a_stem_is_the_same_for_one_and_many() {
        for (word, other) in
            [("files", "file"), ("entries", "entry"), ("boxes", "box"), ("branches", "branch"), ("gets", "get")]
        {
            assert_eq!(stem(word), stem(other));
        }
        for word in ["status", "class", "analysis", "as", "s"] {
            assert_eq!(stem(word), word);
        }
    }
}
