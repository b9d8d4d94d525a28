//! The command lines in an argument.

use serde_json::Value;

use toolc_redact::words;

/// Returns the command lines that an argument can mean. An array of words is one line, in which the words are quoted. If the array can also
/// be a list of lines, it has two meanings, both of which are returned. Returns `None` for a value that is not a command.
pub(super) fn lines(value: &Value, parameter: &str) -> Option<Vec<String>> {
    match value {
        Value::String(line) => Some(vec![line.clone()]),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().map(Value::as_str).collect::<Option<_>>()?;
            let Some(first) = items.first() else { return Some(vec![String::new()]) };
            let mut lines = vec![quoted(&items)];
            let is_plural = words(parameter).last().is_some_and(|word| word.ends_with('s') && word.len() > 3);
            if is_plural || first.contains(char::is_whitespace) {
                lines.push(items.join("\n"));
            }
            Some(lines)
        }
        _ => None,
    }
}

/// Words that a shell treats in a special way at the beginning of a command.
const RESERVED: &[&str] = &[
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then",
    "time", "until", "while",
];

/// Returns words as a line. Words that are not plain are quoted.
fn quoted(items: &[&str]) -> String {
    let quote = |(index, word): (usize, &&str)| {
        let is_plain =
            |letter: char| letter.is_ascii_alphanumeric() || "_@%+:,./-".contains(letter) || letter == '=' && index > 0;
        if !word.is_empty() && word.chars().all(is_plain) && !RESERVED.contains(word) {
            (*word).to_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    items.iter().enumerate().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_quoted() {
        let of = |value: Value| lines(&value, "argv");
        assert_eq!(of(json!("rm -rf x")).unwrap(), ["rm -rf x"]);
        assert_eq!(of(json!(["rm", "-rf", "a b", "--x=y", "it's", ""])).unwrap(), [r"rm -rf 'a b' --x=y 'it'\''s' ''"]);
        assert_eq!(of(json!(["A=b", "if", "$HOME", "~"])).unwrap(), ["'A=b' 'if' '$HOME' '~'"]);
        assert_eq!(of(json!([])).unwrap(), [""]);
        for value in [json!(5), json!({"a": 1}), json!(["rm", 5]), json!([["rm"]]), json!(true)] {
            assert_eq!(of(value.clone()), None, "{value}");
        }
    }

    #[test]
    fn a_list_of_lines_has_both_meanings() {
        assert_eq!(lines(&json!(["rm -rf /", "ls"]), "argv").unwrap(), ["'rm -rf /' ls", "rm -rf /\nls"]);
        assert_eq!(lines(&json!(["ls", "rm -rf /"]), "commands").unwrap(), ["ls 'rm -rf /'", "ls\nrm -rf /"]);
        assert_eq!(lines(&json!(["git", "commit", "-m", "rm -rf /"]), "command").unwrap().len(), 1);
    }
}
