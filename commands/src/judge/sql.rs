//! Finds statements of SQL in a text.

use crate::rules::Statement;

/// The maximum number of words of a statement that are looked at.
const MAX_WORDS: usize = 4096;

/// Returns whether a text contains such a statement. Comments and the contents of strings do not count.
pub(crate) fn contains(text: &str, statement: Statement) -> bool {
    let mut words: Vec<String> = Vec::new();
    for token in Tokens(text) {
        match token {
            Token::End => {
                if is(&words, statement) {
                    return true;
                }
                words.clear();
            }
            Token::Word(word) if words.len() < MAX_WORDS => words.push(word.to_ascii_uppercase()),
            Token::Other(symbol) if words.len() < MAX_WORDS => words.push(symbol.to_string()),
            Token::Word(_) | Token::Other(_) => {}
        }
    }
    is(&words, statement)
}

/// Returns whether these are the words of such a statement.
fn is(words: &[String], statement: Statement) -> bool {
    let has = |keyword: &str| words.iter().any(|word| word == keyword);
    // `WITH ... DELETE` deletes, `EXPLAIN DELETE` only with `ANALYZE`.
    let first = match words.first().map(String::as_str) {
        Some("EXPLAIN") if !has("ANALYZE") => return false,
        Some("WITH" | "EXPLAIN" | "BEGIN" | "(") => None,
        first => first,
    };
    let starts = |keyword: &str| match first {
        Some(first) => (first == keyword).then_some(0),
        None => words.iter().position(|word| word == keyword),
    };
    match statement {
        Statement::Drop => starts("DROP").is_some(),
        Statement::Truncate => starts("TRUNCATE").is_some(),
        Statement::AlterDrop => starts("ALTER").is_some() && has("DROP"),
        Statement::DeleteWithoutWhere => starts("DELETE").is_some_and(|at| has("FROM") && !is_limited(&words[at..])),
        Statement::UpdateWithoutWhere => starts("UPDATE").is_some_and(|at| has("SET") && !is_limited(&words[at..])),
    }
}

/// Returns whether a statement has a condition that can be false.
fn is_limited(words: &[String]) -> bool {
    let Some(at) = words.iter().position(|word| word == "WHERE") else { return false };
    let condition: Vec<&str> = words[at + 1..].iter().map(String::as_str).collect();
    let is_always_true = match condition.as_slice() {
        [] | ["TRUE" | "1"] | ["NOT", "FALSE" | "0"] => true,
        [left, "=", right] => left == right,
        _ => false,
    };
    !is_always_true
}

enum Token<'t> {
    Word(&'t str),
    Other(char),
    /// `;`
    End,
}

struct Tokens<'t>(&'t str);

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let rest = self.0.trim_start();
            let first = rest.chars().next()?;
            if rest.starts_with("--") || first == '#' {
                self.0 = rest.find('\n').map_or("", |end| &rest[end..]);
            } else if let Some(comment) = rest.strip_prefix("/*") {
                // MySQL runs the text of a `/*! ... */` comment.
                self.0 = match comment.strip_prefix('!') {
                    Some(code) => code.trim_start_matches(|letter: char| letter.is_ascii_digit()),
                    None => comment.find("*/").map_or("", |end| &comment[end + 2..]),
                };
            } else if matches!(first, '\'' | '"' | '`') {
                let text = &rest[1..];
                self.0 = text.find(first).map_or("", |end| &text[end + 1..]);
                // A string or a quoted name counts as one word.
                return Some(Token::Other(first));
            } else if first.is_alphanumeric() || first == '_' {
                let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
                self.0 = &rest[end..];
                return Some(Token::Word(&rest[..end]));
            } else {
                self.0 = &rest[first.len_utf8()..];
                return Some(if first == ';' { Token::End } else { Token::Other(first) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Statement::{AlterDrop, DeleteWithoutWhere, Drop, Truncate, UpdateWithoutWhere};

    #[test]
    fn statements_are_found() {
        for (text, statement) in [
            ("DROP TABLE users", Drop),
            ("select 1; drop/**/table users", Drop),
            ("/*!50000 DROP TABLE x*/", Drop),
            ("TRUNCATE users;", Truncate),
            ("alter table t\n drop column c", AlterDrop),
            ("DELETE FROM t", DeleteWithoutWhere),
            ("DELETE FROM t -- WHERE id = 1", DeleteWithoutWhere),
            ("DELETE FROM t WHERE 1=1", DeleteWithoutWhere),
            ("DELETE FROM t; SELECT * FROM t WHERE id = 1", DeleteWithoutWhere),
            ("WITH x AS (SELECT 1) DELETE FROM t", DeleteWithoutWhere),
            ("UPDATE t SET a = 'WHERE'", UpdateWithoutWhere),
        ] {
            assert!(contains(text, statement), "{text}");
        }
    }

    #[test]
    fn other_statements_are_not() {
        for (text, statement) in [
            ("SELECT 'DROP TABLE users'", Drop),
            ("-- drop table x\nselect 1", Drop),
            ("SELECT * FROM drops", Drop),
            ("DELETE FROM t\nWHERE id = 1", DeleteWithoutWhere),
            ("EXPLAIN DELETE FROM t", DeleteWithoutWhere),
            ("UPDATE t SET a = 1 WHERE id = 2", UpdateWithoutWhere),
            ("ALTER TABLE t ADD COLUMN c int", AlterDrop),
            ("", Truncate),
        ] {
            assert!(!contains(text, statement), "{text}");
        }
    }
}
