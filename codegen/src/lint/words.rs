//! The words of names and texts, as far as rules compare them.

/// A name's words, in small letters: of `read_file`, `read-file` and `readFile` the same two.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_alphanumeric() {
            let is_hump = letter.is_uppercase()
                && before.is_some_and(|before| {
                    before.is_lowercase()
                        || before.is_numeric()
                        || before.is_uppercase() && letters.peek().is_some_and(|next| next.is_lowercase())
                });
            if is_hump || before.is_none_or(|before| !before.is_alphanumeric()) {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                match letter {
                    'A'..='Z' | 'a'..='z' | '0'..='9' => word.push(letter.to_ascii_lowercase()),
                    _ => word.extend(letter.to_lowercase()),
                }
            }
        }
        before = Some(letter);
    }
    words
}

/// A word without what makes a plural, or a third person, of it.
pub(super) fn stem(word: &str) -> String {
    let strip = |ending: &str| word.strip_suffix(ending).filter(|rest| rest.len() > 1);
    if let Some(rest) = strip("ies").filter(|rest| rest.len() > 2) {
        return format!("{rest}y");
    }
    for ending in ["ches", "shes", "sses", "xes", "zes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let is_plural = !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    strip("s").filter(|_| is_plural).unwrap_or(word).to_owned()
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
