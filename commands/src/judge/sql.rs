//! Finds statements of SQL in a text.

use crate::rules::Statement;

/// The maximum number of words of a statement that are looked at.
const MAX_WORDS: usize = 4096;
/// The maximum number of words of a condition whose parentheses are removed.
const MAX_CONDITION: usize = 256;
/// The maximum depth of conditions in parentheses.
const MAX_NESTING: usize = 8;

/// Returns whether a text contains such a statement. Comments and the contents of strings do not count, except those of strings that
/// are run, as in `PREPARE ... FROM 'STATEMENT'`.
pub(crate) fn contains(text: &str, statement: Statement) -> bool {
    is_in(text, statement, true)
}

fn is_in(text: &str, statement: Statement, runs_strings: bool) -> bool {
    let mut words: Vec<String> = Vec::new();
    let mut strings: Vec<&str> = Vec::new();
    let is_found = |words: &[String], strings: &[&str]| {
        let is_run = runs_strings && words.iter().any(|word| matches!(word.as_str(), "PREPARE" | "EXECUTE" | "EXEC"));
        is(words, statement) || is_run && strings.iter().any(|text| is_in(text, statement, false))
    };
    for token in Tokens(text) {
        match token {
            Token::End => {
                if is_found(&words, &strings) {
                    return true;
                }
                // The rest of a block belongs to it: `DO $$ BEGIN ...; EXECUTE x; END $$`.
                let is_block = words.first().is_some_and(|word| word == "DO");
                words.truncate(usize::from(is_block));
                strings.clear();
            }
            Token::Word(word) if words.len() < MAX_WORDS => words.push(word.to_ascii_uppercase()),
            Token::Text(quote, text) if words.len() < MAX_WORDS => {
                words.push(quote.to_string());
                strings.push(text);
            }
            Token::Other(symbol) if words.len() < MAX_WORDS => words.push(symbol.to_string()),
            Token::Word(_) | Token::Text(..) | Token::Other(_) => {}
        }
    }
    is_found(&words, &strings)
}

/// Returns whether these are the words of such a statement.
fn is(words: &[String], statement: Statement) -> bool {
    let has = |keyword: &str| words.iter().any(|word| word == keyword);
    // `WITH ... DELETE` deletes, `EXPLAIN DELETE` only with `ANALYZE`.
    let first = match words.first().map(String::as_str) {
        Some("EXPLAIN") if !has("ANALYZE") => return false,
        // The statements of a block, whose beginning can be an earlier statement.
        Some(
            "WITH" | "EXPLAIN" | "BEGIN" | "(" | "DO" | "IF" | "ELSE" | "LOOP" | "DECLARE" | "FOR" | "WHILE" | "THEN",
        ) => None,
        first => first,
    };
    let starts = |keyword: &str| match first {
        Some(first) => (first == keyword).then_some(0),
        None => words.iter().position(|word| word == keyword),
    };
    match statement {
        Statement::Drop => starts("DROP").is_some_and(|at| has_object(words, at)),
        Statement::Truncate => starts("TRUNCATE").is_some_and(|at| has_object(words, at)),
        Statement::AlterDrop => starts("ALTER").is_some() && has("DROP"),
        Statement::DeleteWithoutWhere => {
            starts("DELETE").is_some_and(|at| has("FROM") && !is_limited(&words[at..]))
                || starts("MERGE").is_some_and(|at| words[at..].iter().any(|word| word == "DELETE"))
        }
        Statement::UpdateWithoutWhere => starts("UPDATE").is_some_and(|at| has("SET") && !is_limited(&words[at..])),
        Statement::Built => is_built(words),
    }
}

/// Returns whether a statement is put together when it runs.
fn is_built(words: &[String]) -> bool {
    let after = |at: usize| words.get(at + 1).map_or("", String::as_str);
    // The statements of a block can name a variable: `DO $$ BEGIN EXECUTE x; END $$`.
    let is_block =
        matches!(words.first().map(String::as_str), Some("BEGIN" | "DECLARE" | "DO" | "FOR" | "IF" | "LOOP"));
    words.iter().enumerate().any(|(at, word)| match word.as_str() {
        "SP_EXECUTESQL" => true,
        // `\gexec`
        "GEXEC" => at > 0 && words[at - 1] == "\\",
        "EXECUTE" | "EXEC" => match after(at) {
            "IMMEDIATE" | "(" | "FORMAT" | "CONCAT" | "CONCAT_WS" | "REPLACE" | "CHR" => true,
            "'" | "$" => words[at..].iter().any(|word| matches!(word.as_str(), "|" | "+")),
            "FUNCTION" | "PROCEDURE" | "ON" | "PRIVILEGE" | "" => false,
            _ => is_block,
        },
        "PREPARE" => {
            words.get(at + 2).is_some_and(|word| word == "FROM")
                && words.get(at + 3).is_some_and(|word| word != "'" && word != "\"")
        }
        _ => false,
    })
}

/// Returns whether something follows a verb that can be its object, unlike in the name of a file or a database: `drop.sql`, `drop-2`.
fn has_object(words: &[String], verb: usize) -> bool {
    words.get(verb + 1).is_some_and(|next| !matches!(next.as_str(), "." | "-"))
}

/// Returns whether a statement has a condition that can be false.
fn is_limited(words: &[String]) -> bool {
    // The `WHERE` of a subquery limits only that.
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "WHERE" if depth == 0 => {
                let condition: Vec<&str> = words[at + 1..].iter().map(String::as_str).collect();
                let end = condition.iter().position(|word| *word == "RETURNING").unwrap_or(condition.len());
                return !is_always_true(&condition[..end], MAX_NESTING);
            }
            _ => {}
        }
    }
    false
}

/// Returns whether a condition is true for every row, as far as that is obvious: `1 = 1`, `TRUE OR ...`.
fn is_always_true(condition: &[&str], nesting: usize) -> bool {
    let is_part_true = |part: &[&str]| {
        let is_compound = part.iter().any(|word| matches!(*word, "OR" | "AND"));
        if is_compound { nesting > 0 && is_always_true(part, nesting - 1) } else { is_true(part) }
    };
    // One alternative that is true is enough.
    split(condition, "OR").any(|alternative| split(alternative, "AND").all(is_part_true))
}

/// Returns whether a condition without `AND` and `OR` is obviously true.
fn is_true(condition: &[&str]) -> bool {
    match condition {
        [] | ["TRUE"] | ["NOT", "FALSE" | "0"] => true,
        [number] => number.parse().is_ok_and(|number: i64| number != 0),
        [left, operator, right] => compare(left, operator, right),
        [left, first, second, right] => compare(left, &format!("{first}{second}"), right),
        _ => false,
    }
}

/// Returns whether a comparison of two equal words, or of two numbers, is true.
fn compare(left: &str, operator: &str, right: &str) -> bool {
    if let (Ok(left), Ok(right)) = (left.parse::<i64>(), right.parse::<i64>()) {
        return match operator {
            "=" | "==" => left == right,
            "<" => left < right,
            ">" => left > right,
            "<=" => left <= right,
            ">=" => left >= right,
            "<>" | "!=" => left != right,
            _ => false,
        };
    }
    // All strings count as equal, because their contents are not kept.
    left == right && matches!(operator, "=" | "==" | "<=" | ">=" | "LIKE" | "IS")
}

/// Returns the parts of a condition between a keyword, without the parentheses around it and them. The keyword within other
/// parentheses does not count.
fn split<'w>(condition: &'w [&'w str], keyword: &'w str) -> impl Iterator<Item = &'w [&'w str]> {
    let mut depth = 0_usize;
    unwrapped(condition)
        .split(move |word| {
            match *word {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && *word == keyword
        })
        .map(unwrapped)
}

/// Returns a condition without the parentheses around it.
fn unwrapped<'w>(mut condition: &'w [&'w str]) -> &'w [&'w str] {
    while let ["(", inner @ .., ")"] = condition {
        let mut depth = 0_isize;
        let is_pair = inner.iter().all(|word| {
            depth += isize::from(*word == "(") - isize::from(*word == ")");
            depth >= 0
        });
        // Many parentheses are rare, and each pair takes time.
        if !is_pair || condition.len() > MAX_CONDITION {
            break;
        }
        condition = inner;
    }
    condition
}

enum Token<'t> {
    Word(&'t str),
    /// A string or a quoted name, with its quote.
    Text(char, &'t str),
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
                let end = text.find(first).unwrap_or(text.len());
                self.0 = text.get(end + 1..).unwrap_or_default();
                // A string or a quoted name counts as one word.
                return Some(Token::Text(first, &text[..end]));
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
    use Statement::{AlterDrop, Built, DeleteWithoutWhere, Drop, Truncate, UpdateWithoutWhere};

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
            ("DELETE FROM t WHERE (1=1)", DeleteWithoutWhere),
            ("DELETE FROM t WHERE ((2 > 1) AND (1))", DeleteWithoutWhere),
            ("DELETE FROM t WHERE id = 5 OR TRUE", DeleteWithoutWhere),
            ("DELETE FROM t WHERE (a = 1) OR (b <> 2 OR 1 >= 1)", DeleteWithoutWhere),
            ("UPDATE t SET x = (SELECT 1 WHERE 1 = 0)", UpdateWithoutWhere),
            ("DO $$ BEGIN DROP TABLE x; END $$", Drop),
            ("DO $$ BEGIN PERFORM 1; DROP TABLE x; END $$", Drop),
            ("PREPARE s FROM 'DROP TABLE x'", Drop),
            ("BEGIN EXECUTE 'TRUNCATE t'; END", Truncate),
            ("WITH x AS (SELECT 1) DELETE FROM t", DeleteWithoutWhere),
            ("UPDATE t SET a = 'WHERE'", UpdateWithoutWhere),
            ("MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE", DeleteWithoutWhere),
            ("EXECUTE IMMEDIATE 'dr' || 'op table t'", Built),
            ("DO $$ BEGIN EXECUTE 'dr' || 'op table t'; END $$", Built),
            ("DO $$ BEGIN EXECUTE q; END $$", Built),
            ("DO $$ DECLARE q text; BEGIN q := 'x'; EXECUTE q; END $$", Built),
            ("EXEC sp_executesql @q", Built),
            ("EXEC(@q)", Built),
            ("PREPARE s FROM @q", Built),
            ("SELECT 'drop table t' \\gexec", Built),
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
            ("DELETE FROM t WHERE id > 0 AND 1 = 1", DeleteWithoutWhere),
            ("DELETE FROM t WHERE (a = 1 OR b = 2)", DeleteWithoutWhere),
            ("DELETE FROM t WHERE id IN (SELECT 1 WHERE 1 = 1)", DeleteWithoutWhere),
            ("DELETE FROM t WHERE 1 = 2", DeleteWithoutWhere),
            ("DELETE FROM t WHERE 'a' = 'b' AND x", DeleteWithoutWhere),
            ("INSERT INTO t VALUES ('EXECUTE', 'DROP TABLE x')", Drop),
            ("UPDATE t SET a = 1 WHERE id = 2", UpdateWithoutWhere),
            ("ALTER TABLE t ADD COLUMN c int", AlterDrop),
            ("", Truncate),
            ("MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET a = 1", DeleteWithoutWhere),
            ("EXECUTE s(1)", Built),
            ("PREPARE s FROM 'SELECT 1'", Built),
            ("EXEC sp_who", Built),
            ("GRANT EXECUTE ON FUNCTION f TO a", Built),
            ("CREATE TRIGGER t BEFORE INSERT ON x EXECUTE FUNCTION f()", Built),
        ] {
            assert!(!contains(text, statement), "{text}");
        }
    }
}
