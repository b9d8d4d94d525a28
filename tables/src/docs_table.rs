//! Tables of keys in Markdown.

use std::fmt::Write as _;

use crate::{Key, KeyType};

/// Returns the table of these keys in Markdown, without a line break at its end.
pub fn docs_table(keys: &[Key]) -> String {
    let mut table = "| key | value | meaning |\n|---|---|---|".to_owned();
    for key in keys {
        let required = if key.required { "Required. " } else { "" };
        let _ = write!(table, "\n| `{}` | {} | {required}{}", key.name, key.key_type.noun(), key.documentation());
        if let KeyType::Word(words) | KeyType::Words(words) | KeyType::WordsByName(words) = key.key_type {
            for (word, doc) in words {
                let _ = write!(table, " `{word}`: {doc}");
            }
        }
        table += " |";
    }
    table
}
