//! Reports values of the wrong type, and how to write them.

use toml::Spanned;
use toml::de::DeValue;

use super::Reader;
use crate::diagnostic::{Diagnostic, Edit, ticked};
use crate::key::JSON_TYPES;
use crate::{Key, KeyType, Language, codes};

impl<L: Language> Reader<'_, L> {
    /// Reports a value of the wrong type. `expected` describes the accepted values; the help shows a sample of `key_type`.
    /// `is_item` says whether the value is an item of the key's array.
    pub(super) fn wrong_type(
        &self,
        key: &Key,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        (expected, key_type): (&str, KeyType),
        is_item: bool,
    ) {
        let got = value.get_ref().type_str();
        let found = Diagnostic::new(codes::WRONG_TYPE, self.at(value), format!("`{name}` cannot be of type {got}"))
            .label(format!("expected {expected}"));
        if value.get_ref().is_array()
            && let Some(instead) = self.language.no_array(name)
        {
            self.report(value, found.help(instead));
            return;
        }
        let found = found.help(key.meaning());
        // An entry of a table with arbitrary names may be a key that belongs above the table.
        if name != key.name
            && let Some(belongs) = self.belongs_above(name)
        {
            self.report(value, found.help(belongs));
            return;
        }
        let own_type = if is_item && expected == "a string" { KeyType::Text } else { key_type };
        if let Some(right) = rewritten(own_type, value.get_ref(), &self.text[value.span()]) {
            let before = if is_item { String::new() } else { format!("{name} = ") };
            let found = found.help(format!("write `{before}{right}`"));
            let found = if is_certain(own_type) { found.fix(Edit::Replace(self.at(value), right)) } else { found };
            self.report(value, found);
            return;
        }
        if matches!((key_type, value.get_ref()), (KeyType::Condition, DeValue::Boolean(_))) {
            self.report(value, found.help("remove the key: without a condition, it is available in every turn"));
            return;
        }
        let sample = key_type.sample();
        self.report(
            value,
            match key_type {
                KeyType::Word(words) => {
                    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                    found.help(format!("it can be: {}", ticked(&words, ", ")))
                }
                KeyType::Table(keys) if (2..=MAX_SHOWN_KEYS).contains(&keys.len()) => {
                    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
                    found.help(format!("write `{name} = {sample}`; the keys are: {}", ticked(&names, ", ")))
                }
                _ if sample.starts_with(['[', '{']) => found.help(format!("write `{name} = {sample}`")),
                _ => found,
            },
        );
    }
}

/// The maximum number of keys in a message.
const MAX_SHOWN_KEYS: usize = 9;

/// Returns whether a [rewritten] value is certainly what was meant. The unit of a duration, or the items of a list, would be a guess.
fn is_certain(key_type: KeyType) -> bool {
    matches!(
        key_type,
        KeyType::Flag
            | KeyType::FlagOrSchema
            | KeyType::Integer
            | KeyType::Number
            | KeyType::Amount
            | KeyType::Count
            | KeyType::WholeNumber
    )
}

/// Returns the value as it was probably meant, or `None` if nothing is likely. `text` is the value as written.
// This function is long because one `match` has an arm for each pair of types.
fn rewritten(key_type: KeyType, value: &DeValue<'_>, text: &str) -> Option<String> {
    const MAX_BYTES: usize = 100;
    if text.len() > MAX_BYTES || text.contains('\n') {
        return None;
    }
    let quoted = |text: &str| format!("\"{text}\"");
    match (key_type, value) {
        (KeyType::Flag | KeyType::FlagOrSchema, DeValue::String(_) | DeValue::Integer(_)) => {
            flag(text.trim_matches(['"', '\''])).map(|flag| flag.to_string())
        }
        (
            KeyType::Integer
            | KeyType::Number
            | KeyType::Amount
            | KeyType::Count
            | KeyType::WholeNumber
            | KeyType::CountOrUnlimited,
            DeValue::String(word),
        ) => number(word, matches!(key_type, KeyType::Number | KeyType::Amount)),
        (
            KeyType::Integer | KeyType::Count | KeyType::WholeNumber | KeyType::CountOrUnlimited | KeyType::FactValue,
            DeValue::Float(_),
        ) => text.strip_suffix(".0").map(str::to_owned),
        (KeyType::Duration, DeValue::Integer(seconds)) => {
            super::duration::duration(&format!("{}s", seconds.as_str())).ok().map(|_| quoted(&format!("{text}s")))
        }
        (
            KeyType::Text | KeyType::Template | KeyType::Reference | KeyType::Types,
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_),
        ) => Some(quoted(text)),
        (
            KeyType::Text | KeyType::Template | KeyType::Condition | KeyType::Word(_) | KeyType::Reference,
            DeValue::Array(items),
        ) => {
            let [only] = &items[..] else { return None };
            only.get_ref().as_str().map(quoted)
        }
        (KeyType::Texts | KeyType::Names | KeyType::Words(_), DeValue::String(words)) => {
            let words: Vec<String> = words.split(',').map(|word| quoted(word.trim())).collect();
            Some(format!("[{}]", words.join(", ")))
        }
        (KeyType::Schemas | KeyType::List(_) | KeyType::Jsons | KeyType::Choices, DeValue::Table(_)) => {
            text.starts_with('{').then(|| format!("[{text}]"))
        }
        (KeyType::Jsons | KeyType::Choices, value) if !value.is_array() => Some(format!("[{text}]")),
        (KeyType::Schema, DeValue::String(word)) => {
            JSON_TYPES.contains(&&**word).then(|| format!("{{ type = \"{word}\" }}"))
        }
        (KeyType::Schema, DeValue::Array(items)) => {
            let is_only = items.len() == 1 && items[0].get_ref().is_table();
            is_only.then(|| text.trim_start_matches('[').trim_end_matches(']').trim().to_owned())
        }
        (KeyType::Table(keys), DeValue::String(word)) => {
            let fits = |key: &&Key| match key.key_type {
                KeyType::Word(words) => words.iter().any(|(known, _)| known == word),
                KeyType::Text => key.required,
                _ => false,
            };
            keys.iter().find(fits).map(|key| format!("{{ {} = {text} }}", key.name))
        }
        _ => None,
    }
}

/// Returns the boolean that a word stands for.
fn flag(word: &str) -> Option<bool> {
    match word.trim().to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" | "y" => Some(true),
        "false" | "no" | "off" | "0" | "n" => Some(false),
        _ => None,
    }
}

/// Returns a number that is written as a text, as TOML writes it.
fn number(word: &str, can_be_fraction: bool) -> Option<String> {
    let digits = word.trim().replace(',', "_");
    let plain = digits.replace('_', "");
    let is_number = plain.parse::<i64>().is_ok() || can_be_fraction && plain.parse::<f64>().is_ok_and(f64::is_finite);
    let is_kept =
        !plain.starts_with('0') && !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
    is_number.then_some(if is_kept { digits } else { plain.parse::<i64>().map_or(plain, |number| number.to_string()) })
}
