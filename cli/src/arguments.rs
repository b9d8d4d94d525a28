//! The arguments of a call, as a person writes them on a command line.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io;

use serde_json::{Map, Value};

use crate::streams::{self, Input};

/// Why words are not the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// The word is neither `NAME=VALUE` nor JSON that stands alone.
    NotAPair(String),
    /// The argument of this name is given twice.
    GivenTwice(String),
}

impl fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAPair(word) => {
                write!(f, "expected NAME=VALUE, got `{word}`; or pass all arguments as one JSON object")
            }
            Self::GivenTwice(name) => write!(f, "the argument `{name}` is given twice"),
        }
    }
}

impl Error for ArgumentsError {}

/// Returns the JSON of the arguments that these words stand for: a JSON text, `-` for standard input, `@FILE`, or `NAME=VALUE` pairs,
/// whose values are strings that argument repair converts. Without words, the arguments are `{}`.
pub(crate) fn read(words: &[String], input: &mut dyn Input) -> Result<String, String> {
    match words {
        [] => Ok("{}".to_owned()),
        [word] if word == "-" => {
            input.rest().map_err(|error| format!("failed to read the arguments from standard input: {error}"))
        }
        [word] if word.starts_with('@') => {
            let read = |path: &str| -> io::Result<String> { streams::rest(&mut File::open(path)?) };
            read(&word[1..]).map_err(|error| format!("failed to read the arguments from `{}`: {error}", &word[1..]))
        }
        words => arguments_of_words(words).map_err(|error| error.to_string()),
    }
}

/// Returns the JSON of the arguments on a line: a JSON text, or `NAME=VALUE` pairs, quoted as in a shell.
pub(crate) fn from_line(line: &str) -> Result<String, String> {
    if line.is_empty() {
        return Ok("{}".to_owned());
    }
    // JSON contains spaces.
    let first = line.split_whitespace().next().unwrap_or_default();
    if first.starts_with(['{', '[', '"']) {
        return Ok(line.to_owned());
    }
    let words = shlex::split(line).ok_or("a quote is not closed")?;
    from_words(words.iter().map(String::as_str)).map_err(|error| error.to_string())
}

/// Returns the JSON of the arguments that these words stand for: a JSON text, or `NAME=VALUE` pairs, whose values are strings that argument
/// repair converts. Without words, the arguments are `{}`.
///
/// # Errors
/// If a word is neither, or an argument is given twice.
pub fn arguments_of_words(words: &[String]) -> Result<String, ArgumentsError> {
    if words.is_empty() { Ok("{}".to_owned()) } else { from_words(words.iter().map(String::as_str)) }
}

fn from_words<'w>(words: impl Iterator<Item = &'w str> + Clone) -> Result<String, ArgumentsError> {
    let mut rest = words.clone();
    if let (Some(only), None) = (rest.next(), rest.next())
        && (only.is_empty() || only.starts_with(|first: char| first.is_whitespace() || "{[\"".contains(first)))
    {
        return Ok(only.to_owned());
    }
    let mut arguments = Map::new();
    for word in words {
        let (name, value) = pair(word).ok_or_else(|| ArgumentsError::NotAPair(word.to_owned()))?;
        if arguments.insert(name.to_owned(), Value::from(value)).is_some() {
            return Err(ArgumentsError::GivenTwice(name.to_owned()));
        }
    }
    Ok(Value::Object(arguments).to_string())
}

/// Splits `NAME=VALUE`. JSON, which may contain `=`, is not a pair: no name contains a quote, a bracket or a space.
fn pair(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "\"'[]{}".contains(c));
    is_name.then_some((name, value))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::streams::tests::Typed;

    fn arguments(words: &[&str]) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        read(&words, &mut Typed(Cursor::new(br#"{"from": "stdin"}"#.to_vec())))
    }

    #[test]
    fn arguments_are_json_pairs_a_file_or_standard_input() {
        let folder = std::env::temp_dir().join(format!("toolc-cli-{}", std::process::id()));
        std::fs::write(&folder, r#"{"from": "a file"}"#).expect("failed to write a file");
        for (words, expected) in [
            (&[][..], Ok("{}")),
            (&["{\"a\": \"b=c\"}"], Ok("{\"a\": \"b=c\"}")),
            (&["a=1", "b=x=y", "c="], Ok(r#"{"a":"1","b":"x=y","c":""}"#)),
            (&["-"], Ok(r#"{"from": "stdin"}"#)),
            (&[&format!("@{}", folder.display())], Ok(r#"{"from": "a file"}"#)),
            // The pipeline of calls reports that it is not an object.
            (&["[1]"], Ok("[1]")),
            (&["nonsense"], Err("expected NAME=VALUE, got `nonsense`")),
            (&["a=1", "b"], Err("expected NAME=VALUE, got `b`")),
            (&["a=1", "a=2"], Err("the argument `a` is given twice")),
            (&["@/no/such/file"], Err("failed to read the arguments from `/no/such/file`: ")),
        ] {
            match (arguments(words), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{words:?}"),
                (Err(found), Err(expected)) => assert!(found.starts_with(expected), "{words:?}: {found}"),
                (found, expected) => panic!("{words:?}: expected {expected:?}, got {found:?}"),
            }
        }
        std::fs::remove_file(folder).expect("failed to remove the file");
    }
}
