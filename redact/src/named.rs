//! Secret values that are too short or too common to be looked for everywhere. They are replaced where their variable is shown with them:
//! `TOKEN=test`, `"PASSWORD": "secret"`, `password: 'secret'`.

use std::ops::Range;

/// The maximum number of bytes between the name of a variable and its value.
const MAX_BETWEEN: usize = 16;

/// The names of variables with their values.
#[derive(Clone, Default)]
pub(crate) struct NamedValues(Vec<(String, String)>);

impl NamedValues {
    pub(crate) fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let trimmed = |(name, value): (String, String)| (name, value.trim().to_owned());
        let mut all: Vec<_> =
            variables.into_iter().map(trimmed).filter(|(name, value)| !name.is_empty() && !value.is_empty()).collect();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether this is the value of the variable with this name.
    pub(crate) fn has(&self, name: &str, value: &str) -> bool {
        self.0.iter().any(|(known, secret)| known.eq_ignore_ascii_case(name) && secret == value.trim())
    }

    /// Returns the places of the values in a text, sorted.
    pub(crate) fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for (name, value) in &self.0 {
            let places = text.match_indices(name.as_str()).map(|(at, _)| at);
            found.extend(
                places.filter(|at| begins_name(text, *at)).filter_map(|at| value_after(text, at + name.len(), value)),
            );
        }
        found.sort_unstable_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        found.dedup_by(|next, last| next.start < last.end);
        found
    }

    /// Returns the first place from which the text to its end could be the beginning of a name with its value.
    pub(crate) fn beginning(&self, text: &str) -> Option<usize> {
        let of_one = |(name, value): &(String, String)| {
            let longest = name.len() + MAX_BETWEEN + value.len();
            let first = text.floor_char_boundary(text.len().saturating_sub(longest));
            let could_begin = |at: &usize| {
                let rest = &text[*at..];
                begins_name(text, *at)
                    && (name.starts_with(rest)
                        || rest.strip_prefix(name.as_str()).is_some_and(|rest| could_continue(rest, value)))
            };
            (first..text.len()).filter(|at| text.is_char_boundary(*at)).find(could_begin)
        };
        self.0.iter().filter_map(of_one).min()
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns whether no longer name contains this place.
fn begins_name(text: &str, at: usize) -> bool {
    !text[..at].ends_with(is_of_name)
}

/// Returns the length of the quotes, blanks and the sign between a name and its value, and whether only a value in quotes can be replaced.
fn between(text: &str) -> Option<(usize, bool)> {
    let quotes = ['"', '\'', '`', '\\'];
    let name_end = text.trim_start_matches(quotes);
    let is_quoted = name_end.len() < text.len();
    let rest = name_end.trim_start_matches(' ');
    let value = rest.strip_prefix(':').or_else(|| rest.strip_prefix("=>")).or_else(|| rest.strip_prefix('='))?;
    let is_json = is_quoted && rest.starts_with(':');
    let value = value.trim_start_matches([' ', '\t']);
    let inner = value.trim_start_matches(quotes);
    Some((text.len() - inner.len(), is_json && inner.len() == value.len()))
}

fn value_after(text: &str, at: usize, value: &str) -> Option<Range<usize>> {
    let rest = &text[at..];
    let (length, is_number) = between(rest).filter(|(length, _)| *length <= MAX_BETWEEN)?;
    let start = at + length;
    let after = text[start..].strip_prefix(value)?;
    // JSON in which a number or `true` is replaced is not JSON any more.
    (!is_number && !after.starts_with(|letter| is_of_name(letter) || letter == '-')).then(|| start..start + value.len())
}

/// Returns whether the text after a name, which ends here, can still become its value.
fn could_continue(rest: &str, value: &str) -> bool {
    match between(rest) {
        Some((length, _)) => length <= MAX_BETWEEN && (value.starts_with(&rest[length..]) || rest[length..] == *value),
        None => rest.len() <= MAX_BETWEEN && rest.chars().all(|letter| "\"'`\\ ".contains(letter)),
    }
}

#[cfg(test)]
mod tests {
    use crate::{REDACTED, Redactor};

    fn redactor() -> Redactor {
        let variables =
            [("TOKEN", "test"), ("PASSWORD", "secret"), ("PIN", "1"), ("DB_PASS", "password"), ("KEY", "ollama")];
        Redactor::default().with_variables(variables.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    #[test]
    fn a_common_word_is_hidden_where_its_variable_is_shown_and_nowhere_else() {
        for (text, expected) in [
            ("TOKEN=test", "TOKEN=[secret]"),
            ("PASSWORD=secret", "PASSWORD=[secret]"),
            ("export PASSWORD='secret'; run", "export PASSWORD='[secret]'; run"),
            ("PASSWORD = \"secret\"", "PASSWORD = \"[secret]\""),
            ("PASSWORD: secret\n", "PASSWORD: [secret]\n"),
            (r#"{"PASSWORD":"secret","a":1}"#, r#"{"PASSWORD":"[secret]","a":1}"#),
            (r#"{"PASSWORD": "secret"}"#, r#"{"PASSWORD": "[secret]"}"#),
            (r#""{\"PASSWORD\": \"secret\"}""#, r#""{\"PASSWORD\": \"[secret]\"}""#),
            ("{'PASSWORD': 'secret'}", "{'PASSWORD': '[secret]'}"),
            ("'PASSWORD' => 'secret'", "'PASSWORD' => '[secret]'"),
            ("docker run -e TOKEN=test -e PIN=1 x", "docker run -e TOKEN=[secret] -e PIN=[secret] x"),
            ("TOKEN=test PASSWORD=secret", "TOKEN=[secret] PASSWORD=[secret]"),
            ("DB_PASS=password&x=1", "DB_PASS=[secret]&x=1"),
            ("OLD=1,KEY=ollama,", "OLD=1,KEY=[secret],"),
            // The words alone, and in other variables.
            ("the test of the secret password of ollama, 1", "the test of the secret password of ollama, 1"),
            ("TOKEN=testing TOKEN=test-1 TOKEN=test_2", "TOKEN=testing TOKEN=test-1 TOKEN=test_2"),
            ("MY_TOKEN=test XPASSWORD=secret", "MY_TOKEN=test XPASSWORD=secret"),
            ("TOKEN test, TOKEN is test", "TOKEN test, TOKEN is test"),
            ("PIN=10 PIN=1.5", "PIN=10 PIN=[secret].5"),
            // JSON stays JSON.
            (r#"{"PIN":1,"KEY":"x"}"#, r#"{"PIN":1,"KEY":"x"}"#),
        ] {
            assert_eq!(redactor().text(text), expected, "{text}");
        }
        assert!(redactor().is_value_of("password", "secret") && redactor().is_value_of("PIN", "1"));
        assert!(!redactor().is_value_of("PASSWORD", "test") && !redactor().is_value_of("OTHER", "secret"));
    }

    #[test]
    fn a_distinctive_value_is_replaced_everywhere() {
        let redactor = Redactor::default().with_variables([("NOTE".to_owned(), "hunter2hunter2".to_owned())]);
        assert_eq!(redactor.text("NOTE=hunter2hunter2"), "NOTE=[secret]");
        assert_eq!(
            redactor.text("it is hunter2hunter2"),
            "it is hunter2hunter2",
            "only `new` gets values for all places"
        );
        let redactor = Redactor::new(["hunter2hunter2".to_owned()], [])
            .with_variables([("NOTE".to_owned(), "hunter2hunter2".to_owned())]);
        assert_eq!(redactor.text("NOTE=hunter2hunter2, hunter2hunter2"), "NOTE=[secret], [secret]");
    }

    #[test]
    fn a_named_value_that_arrives_in_parts_is_replaced() {
        let redactor = redactor();
        for text in [
            "a PASSWORD=secret b",
            "{\"PASSWORD\": \"secret\"}",
            "TOKEN=testing",
            "TOKEN=test",
            "PASSWORD = ",
            "TO TOK TOKEN PASS",
            "é PASSWORD: 'secret' é",
        ] {
            for size in 1..=text.chars().count() {
                let mut stream = redactor.stream();
                let letters: Vec<char> = text.chars().collect();
                let mut parts: String =
                    letters.chunks(size).map(|part| stream.push(&part.iter().collect::<String>())).collect();
                parts += &stream.end();
                assert_eq!(parts, redactor.text(text), "{text} {size}");
            }
        }
        assert_eq!(redactor.stream().push("nothing is held back."), "nothing is held back.");
        assert!(redactor.text("PASSWORD=secret").contains(REDACTED));
    }
}
