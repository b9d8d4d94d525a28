//! What authors write in conditions out of habit from other languages, and what to write instead.

use toolc::suggest::nearest;

/// Operators in words, and the signs with the same meaning.
const WORDS: &[(&str, &str)] = &[
    ("is", "=="),
    ("eq", "=="),
    ("equals", "=="),
    ("ne", "!="),
    ("neq", "!="),
    ("lt", "<"),
    ("le", "<="),
    ("lte", "<="),
    ("gt", ">"),
    ("ge", ">="),
    ("gte", ">="),
];

/// Words for null.
const NULLS: &[&str] = &["null", "None", "none", "nil", "undefined"];

/// Returns the name if the text is one word.
fn name(text: &str) -> Option<&str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    (!text.is_empty() && text.chars().all(is_part)).then_some(text)
}

/// Returns the last fact before a position, with the comparison that follows it, such as `facts.platform ==`.
fn fact_before(before: &str) -> Option<(&str, &str)> {
    let at = before.rfind("facts.")?;
    let rest = &before[at..];
    let end = rest.find(|letter: char| !(letter.is_alphanumeric() || "._-".contains(letter))).unwrap_or(rest.len());
    let after = rest[end..].trim_start();
    let sign = after.find(|letter: char| !"=!<>".contains(letter)).unwrap_or(after.len());
    Some((&rest[..end], &after[..sign]))
}

/// Returns a help for a word after the end of a condition: `facts.platform in ['a', 'b']`.
pub(super) fn after_condition(before: &str, word: &str, rest: &str) -> Option<String> {
    let (fact, sign) =
        fact_before(before).filter(|(fact, sign)| sign.is_empty() && before.trim_end().ends_with(fact))?;
    debug_assert!(sign.is_empty(), "filtered");
    let (negated, is_in, rest) = match (word, rest.trim_start()) {
        ("in", rest) => (false, true, rest),
        ("not", rest) => (true, true, rest.strip_prefix("in")?),
        (word, rest) => {
            let (_, sign) = WORDS.iter().find(|(known, _)| *known == word)?;
            let (sign, rest) = match rest.strip_prefix("not ") {
                Some(rest) if word == "is" => ("!=", rest.trim_start()),
                _ => (*sign, rest),
            };
            let value = rest.split_whitespace().next().unwrap_or("...");
            return Some(format!("write `{fact} {sign} {}`", as_value(value)));
        }
    };
    let items = rest.trim_start().trim_start_matches(['[', '(', '{']);
    let items: Vec<&str> =
        items.split([']', ')', '}']).next()?.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
    let (sign, word) = if negated { ("!=", " and ") } else { ("==", " or ") };
    let parts: Vec<String> = items.iter().take(6).map(|item| format!("{fact} {sign} {}", as_value(item))).collect();
    (is_in && !parts.is_empty()).then(|| format!("write `{}`", parts.join(word)))
}

/// Returns a help for a value where a condition is expected: `facts.platform == 'a' or 'b'`, `'x' in tools`.
pub(super) fn value_as_condition(before: &str, value: &str, rest: &str) -> Option<String> {
    if rest.trim_start().starts_with("in tools") {
        return name(value.trim_matches(['\'', '"'])).map(|tool| format!("write `tools.{tool}`"));
    }
    let joins = ["or", "and", "not"].iter().any(|word| before.trim_end().ends_with(word));
    let (fact, sign) = fact_before(before).filter(|(_, sign)| joins && !sign.is_empty())?;
    Some(format!("write `{fact} {sign} {value}`"))
}

/// Returns a help for a second comparison: `facts.n > 0 < 3`, `tools.a == true`.
pub(super) fn second_comparison(before: &str, sign: &str, rest: &str) -> String {
    let value = rest.split_whitespace().next().unwrap_or("...").trim_end_matches(')');
    let last = before.split_whitespace().next_back().unwrap_or_default().trim_start_matches('(');
    if let Some(tool) = last.strip_prefix("tools.") {
        return match (sign, value) {
            ("==", "true") | ("!=", "false") => format!("write `tools.{tool}`"),
            ("==", "false") | ("!=", "true") => format!("write `not tools.{tool}`"),
            _ => "`tools.NAME` is a condition by itself; join conditions with `and` or `or`".to_owned(),
        };
    }
    match fact_before(before) {
        Some((fact, _)) => format!("write `{} and {fact} {sign} {value}`", before.trim()),
        None => "join conditions with `and` or `or`".to_owned(),
    }
}

/// Returns the message and help for a word where the value of a comparison is expected.
pub(super) fn value(word: &str, sign: &str) -> (String, String) {
    if word.starts_with("facts.") || word.starts_with("tools.") {
        return (
            format!("`{word}` cannot be the value of a comparison"),
            "compare a fact with a string in quotes, an integer, `true` or `false`".to_owned(),
        );
    }
    if NULLS.contains(&word) {
        let help = "a fact always has a value: its default, if the host sets none".to_owned();
        return (format!("`{word}` is not a value"), help);
    }
    (format!("`{word}` is not quoted"), format!("write `{sign} '{word}'`"))
}

/// Returns a help for a name that is neither a tool nor a fact. `rest` is the text after it.
pub(super) fn unknown_atom(word: &str, rest: &str) -> String {
    // `tools['x']`, `has_tool('x')`
    let inner =
        rest.trim_start().strip_prefix(['[', '(']).map(|inner| inner.trim_start().trim_start_matches(['\'', '"']));
    let called = inner.map(|inner| &inner[..inner.find(['\'', '"', ']', ')', ',']).unwrap_or(inner.len())]);
    let prefix = |word: &str| nearest(word, ["tools", "facts"]).first().copied();
    if let Some(name) = called.and_then(name) {
        let of = prefix(word).unwrap_or(if word.contains("fact") { "facts" } else { "tools" });
        return format!("write `{of}.{name}`");
    }
    match word.split_once('.') {
        None if matches!(word, "tools" | "facts" | "tool" | "fact") => {
            format!("write a name after it: `{}.NAME`", prefix(word).unwrap_or("tools"))
        }
        None => format!("write `tools.{word}` or `facts.{word}`"),
        Some(("env" | "environ", _)) => {
            "a condition cannot read the environment: list the variable in `env`, in `[requires]`".to_owned()
        }
        Some((of, name)) => match prefix(of) {
            Some(of) => format!("write `{of}.{name}`"),
            None => "a condition can use `tools.NAME` and `facts.NAME`".to_owned(),
        },
    }
}

/// Returns a value as conditions write it: a text in single quotes.
fn as_value(text: &str) -> String {
    let bare = text.trim_matches(['\'', '"']);
    let is_literal = bare == text && (bare.parse::<i64>().is_ok() || bare == "true" || bare == "false");
    if is_literal || text == "..." { text.to_owned() } else { format!("'{bare}'") }
}

#[cfg(test)]
mod tests {
    use crate::text::{condition, template};

    #[test]
    fn habits_of_other_languages_are_corrected() {
        for (text, message, help) in [
            ("facts.p == cli", "`cli` is not quoted", "write `== 'cli'`"),
            (
                "facts.p == None",
                "`None` is not a value",
                "a fact always has a value: its default, if the host sets none",
            ),
            (
                "facts.p in ['a', \"b\"]",
                "`in` after the end of the condition",
                "write `facts.p == 'a' or facts.p == 'b'`",
            ),
            ("facts.n in (1, 2)", "`in` after the end of the condition", "write `facts.n == 1 or facts.n == 2`"),
            (
                "facts.p not in ['a','b']",
                "`not` after the end of the condition",
                "write `facts.p != 'a' and facts.p != 'b'`",
            ),
            ("tools.a and facts.p in ['a']", "`in` after the end of the condition", "write `facts.p == 'a'`"),
            ("facts.p is 'a'", "`is` after the end of the condition", "write `facts.p == 'a'`"),
            ("facts.p is not 'a'", "`is` after the end of the condition", "write `facts.p != 'a'`"),
            ("facts.n gt 3", "`gt` after the end of the condition", "write `facts.n > 3`"),
            ("facts.p == 'a' or 'b'", "expected a condition, found the string \"b\"", "write `facts.p == 'b'`"),
            (
                "facts.n > 0 < 3",
                "unexpected `<`: only a fact can be compared, and only with one value",
                "write `facts.n > 0 and facts.n < 3`",
            ),
            (
                "tools.a == false",
                "unexpected `==`: only a fact can be compared, and only with one value",
                "write `not tools.a`",
            ),
            ("'a' in tools", "expected a condition, found the string \"a\"", "write `tools.a`"),
            ("tool.a", "`tool.a` is neither a tool nor a fact", "write `tools.a`"),
            ("fact.p == 'a'", "`fact.p` is neither a tool nor a fact", "write `facts.p`"),
            ("facts['p'] == 'a'", "`facts` is neither a tool nor a fact", "write `facts.p`"),
            ("has_tool('a')", "`has_tool` is neither a tool nor a fact", "write `tools.a`"),
            (
                "env.HOME",
                "`env.HOME` is neither a tool nor a fact",
                "a condition cannot read the environment: list the variable in `env`, in `[requires]`",
            ),
            ("vision", "`vision` is neither a tool nor a fact", "write `tools.vision` or `facts.vision`"),
            ("facts.p == ‘a’", "unexpected `‘`", "write `'` on each side of a string"),
            ("facts.p == 3rd", "`3rd` is neither a name nor an integer", "if it is a string, write `'3rd'`"),
        ] {
            let fault = condition::parse(text).unwrap_err();
            assert_eq!((fault.message.as_str(), fault.help.as_deref()), (message, Some(help)), "{text}");
        }
        for (text, message, help) in [
            (
                "{% if tools.a %}{% else if tools.b %}{% endif %}",
                "unexpected `if` after `else`",
                "write `{% elif tools.b %}`",
            ),
            (
                "{% if tools.a %}{% else tools.b %}{% endif %}",
                "unexpected `tools.b` after `else`",
                "write `{% elif tools.b %}`",
            ),
            ("{% if tools.a %}{% elseif tools.b %}{% endif %}", "unknown tag `elseif`", "write `{% elif CONDITION %}`"),
            ("{% if tools.a %}{% end %}", "unknown tag `end`", "write `{% endif %}`"),
            ("{% if tools.a %}{% end_if %}", "unknown tag `end_if`", "write `{% endif %}`"),
            ("{% unless tools.a %}{% endif %}", "unknown tag `unless`", "write `{% if not CONDITION %}`"),
            ("{{ fact.p }}", "unknown template expression `fact.p`", "write `{{ facts.p }}`"),
            (
                "{{ platform }}",
                "unknown template expression `platform`",
                "write `{{ facts.platform }}`, or `{{ '{{' }}` for literal braces",
            ),
            (
                "{{ 'a' if tools.b else 'c' }}",
                "unexpected `if` after the expression",
                "an expression has no operators: write `{% if CONDITION %}...{% else %}...{% endif %}`",
            ),
        ] {
            let fault = template::parse(text).unwrap_err();
            assert_eq!((fault.message.as_str(), fault.help.as_deref()), (message, Some(help)), "{text}");
        }
    }
}
