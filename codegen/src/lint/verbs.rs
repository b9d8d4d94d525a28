//! Splits names into words, and classifies verbs by their effect.

use std::borrow::Cow;

/// Returns the words of a name in lower case. `read_file`, `read-file` and `readFile` have the same two words.
pub(super) fn words(name: &str) -> Vec<Cow<'_, str>> {
    each_word(name).collect()
}

/// Returns the words of a name as [`words`] does, one after the other.
pub(super) fn each_word(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    toolc::__gen::words(name).map(lowercase)
}

fn lowercase(word: &str) -> Cow<'_, str> {
    let is_small = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if is_small { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
}

/// Returns a word without the ending of a plural or of the third person.
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

/// The effect of a tool, as a verb in its name or at the start of its description suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// Changes nothing.
    Read,
    /// Adds something.
    Create,
    /// Changes something that exists.
    Change,
    /// Deletes something that exists.
    Destroy,
    /// Starts or stops something.
    Run,
}

/// Verbs by their effect. Words that are as often nouns are left out.
const EFFECTS: &[(Effect, &[&str])] = &[
    (
        Effect::Read,
        &[
            "browse", "can", "check", "count", "describe", "diff", "download", "explain", "fetch", "find", "get",
            "has", "inspect", "is", "list", "lookup", "preview", "query", "read", "retrieve", "search", "show",
            "status", "validate", "verify", "view", "watch",
        ],
    ),
    (Effect::Create, &["add", "append", "clone", "copy", "create", "insert", "make", "post", "register", "upload"]),
    (
        Effect::Change,
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
    (Effect::Destroy, &["delete", "destroy", "erase", "obliterate", "purge", "shred", "uninstall", "wipe"]),
    (Effect::Run, &["call", "execute", "invoke", "launch", "restart", "run", "start", "stop"]),
];

/// Returns the effect of a verb, or `None` for other words.
pub(super) fn effect_of(word: &str) -> Option<Effect> {
    let is = |verbs: &[&str], word: &str| verbs.contains(&word);
    EFFECTS.iter().find(|(_, verbs)| is(verbs, word)).map(|(effect, _)| *effect)
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
