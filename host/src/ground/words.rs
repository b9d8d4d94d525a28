//! Words of a closed set, in options and in environment variables.

use std::env;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use toolc_config::Words;

use super::show;

/// Returns the parser of an option whose values are the words. The help shows what each one means.
pub(crate) fn parser<W: Words + Send + Sync>() -> impl TypedValueParser<Value = W> {
    let known = W::WORDS.iter().map(|(word, about)| PossibleValue::new(*word).help(about.trim_end_matches('.')));
    PossibleValuesParser::new(known).try_map(|word| W::from_word(&word).ok_or("it is not a known word"))
}

/// Returns the word in an environment variable, or `None` if it is not set or empty.
///
/// # Errors
/// If the variable has another value.
pub(crate) fn in_variable<W: Words>(variable: &str) -> Result<Option<W>, String> {
    let Some(value) = env::var_os(variable).filter(|value| !value.is_empty()) else { return Ok(None) };
    let found = value.to_str().and_then(W::from_word);
    found.map(Some).ok_or_else(|| {
        let known: Vec<String> = W::WORDS.iter().map(|(word, _)| format!("`{word}`")).collect();
        format!("the variable `{variable}` must be {}, not `{}`", show::one_of(&known), value.display())
    })
}
