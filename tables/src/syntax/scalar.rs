//! Reads values without quotes: booleans, numbers and dates, and explains what is neither.

use toml::de::DeTable;

use super::characters;
use super::problem::{Problem, Read, quoted, string};
use super::scanner::{Scanner, is_bare};

/// Words of other languages for null.
const NULLS: &[&str] = &["null", "None", "nil", "NULL", "Null", "undefined", "none", "~"];

/// Words of other languages for `true` and `false`.
const FLAGS: &[(&str, &str)] = &[
    ("True", "true"),
    ("TRUE", "true"),
    ("False", "false"),
    ("FALSE", "false"),
    ("yes", "true"),
    ("Yes", "true"),
    ("YES", "true"),
    ("on", "true"),
    ("On", "true"),
    ("ON", "true"),
    ("no", "false"),
    ("No", "false"),
    ("NO", "false"),
    ("off", "false"),
    ("Off", "false"),
    ("OFF", "false"),
];

/// Other words for `inf` and `nan`.
const FLOATS: &[(&str, &str)] =
    &[("NaN", "nan"), ("NAN", "nan"), ("Infinity", "inf"), ("infinity", "inf"), ("Inf", "inf"), ("INF", "inf")];

impl Scanner<'_> {
    /// Reads a boolean, a number or a date.
    pub(super) fn scalar(&mut self, key: Option<&str>) -> Read<()> {
        let start = self.at;
        let in_array = !self.open.is_empty();
        let span = self.take_while(|letter| {
            !letter.is_whitespace() && !matches!(letter, ',' | ']' | '}' | '#') && !letter.is_control()
        });
        // The time of a date may follow a space.
        if is_date(&self.text[span.clone()])
            && self.rest().strip_prefix(' ').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        {
            let date_end = self.at;
            self.at += 1;
            self.take_while(|letter| {
                !letter.is_whitespace() && !matches!(letter, ',' | ']' | '}' | '#') && !letter.is_control()
            });
            if !is_value(&self.text[start..self.at]) {
                self.at = date_end;
            }
        }
        if is_value(&self.text[start..self.at]) {
            return Ok(());
        }
        let word = &self.text[span];
        if in_array && key.is_none() && in_brackets(&self.text[start..]).contains('=') {
            self.at = start + in_brackets(&self.text[start..]).find('=').unwrap_or(0);
            return Err(self.pair_in_array());
        }
        let whole = if in_array { in_brackets(&self.text[start..]) } else { rest_of_line(&self.text[start..]) };
        Err(explain(start, word, if whole.len() < word.len() { word } else { whole }, key))
    }
}

/// Returns whether a text is a TOML value.
fn is_value(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(['"', '\'', '[', '{']) && DeTable::parse(&format!("k = {text}")).is_ok()
}

fn is_date(text: &str) -> bool {
    let digits: Vec<bool> = text.chars().map(|letter| letter.is_ascii_digit()).collect();
    text.len() == 10 && digits == [true, true, true, true, false, true, true, false, true, true]
}

/// Returns the text up to the end of the item.
fn in_brackets(text: &str) -> &str {
    text.split(['\n', ',', ']', '}', '#', '"']).next().unwrap_or_default().trim_end()
}

/// Returns a value as it should be written: unchanged, or in quotes if it is a string.
pub(super) fn sample(text: &str) -> Option<String> {
    let text = rest_of_line(text);
    if text.is_empty() || text.len() > 100 || text.starts_with(['[', '{']) {
        return None;
    }
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        return (text.len() > 1 && text.ends_with(quote)).then(|| text.to_owned());
    }
    if is_value(text) { Some(text.to_owned()) } else { string(text) }
}

/// Explains a word that is not a value. `whole` is the word and what follows it in its line or item.
fn explain(start: usize, word: &str, whole: &str, key: Option<&str>) -> Problem {
    let at = start..start + word.len();
    let first = word.chars().next().unwrap_or(' ');
    let first_at = start..start + first.len_utf8();
    let before = key.map_or(String::new(), |key| format!("{key} = "));
    let write = |value: &str| format!("write `{before}{value}`");
    let or_quote = |value: &str| match string(whole) {
        Some(text) => format!("write `{before}{value}`, or `{before}{text}` if it is a string"),
        None => write(value),
    };
    if characters::is_quote(first) {
        let inner = whole.trim_matches(|letter| characters::is_quote(letter) || letter == '"');
        let problem = Problem::new(first_at, format!("{} is not a TOML quotation mark", characters::shown(first)));
        return match string(inner) {
            Some(text) => problem.help(write(&text)),
            None => problem.help("write `\"`"),
        };
    }
    if let Some(problem) = prefixed(start, word, whole, write).or_else(|| disguised(start, word, write)) {
        return problem;
    }
    if NULLS.contains(&word) {
        return Problem::new(at, "TOML has no null")
            .label(format!("{} is not a value", quoted(word)))
            .help("remove the key, or write `{ json = 'null' }` where any JSON value is allowed");
    }
    if let Some((_, right)) = FLAGS.iter().chain(FLOATS).find(|(other, _)| *other == word) {
        return Problem::new(at, format!("{} is not a value", quoted(word))).help(or_quote(right));
    }
    if let Some((message, right)) = explain_number(word).filter(|_| whole.len() == word.len()) {
        let problem = Problem::new(at, message);
        return match right {
            Some(right) => problem.help(or_quote(&right)),
            None => problem.help(string(whole).map_or_else(
                || "write a number".to_owned(),
                |text| format!("write a number, or `{before}{text}` if it is a string"),
            )),
        };
    }
    if word.len() >= 8
        && word[..word.floor_char_boundary(5)].ends_with('-')
        && word[..4].chars().all(|letter| letter.is_ascii_digit())
    {
        let problem = Problem::new(at, format!("{} is not a date", quoted(whole)));
        return problem.help(string(whole).map_or_else(String::new, |text| format!("quote it: {}", write(&text))));
    }
    if first == '(' {
        return Problem::new(first_at, "unexpected `(`").help("an array is written in `[...]`, a table in `{ ... }`");
    }
    if first == '=' {
        return Problem::new(first_at, "unexpected `=`").help("write one `=` between the key and its value");
    }
    unquoted(start, whole, key)
}

/// Explains a string with a prefix, as other languages have it. `write` makes the help from a value.
fn prefixed(start: usize, word: &str, whole: &str, write: impl Fn(&str) -> String) -> Option<Problem> {
    let (length, quote) = word.char_indices().find(|(_, letter)| matches!(letter, '"' | '\''))?;
    let prefix = &word[..length];
    if !(1..=2).contains(&length) || !prefix.chars().all(|letter| "rRbBfFuU@$".contains(letter)) {
        return None;
    }
    let is_raw = prefix.contains(['r', 'R', '@']);
    let body = whole[length..].trim_matches(quote);
    let value = if is_raw { format!("'{body}'") } else { format!("{quote}{body}{quote}") };
    let problem = Problem::new(start..start + length, format!("a string cannot have the prefix `{prefix}`"));
    Some(problem.help(write(&value)))
}

/// Explains a word with characters that look like those of a value.
fn disguised(start: usize, word: &str, write: impl Fn(&str) -> String) -> Option<Problem> {
    let plain = |letter: char| if characters::is_dash(letter) { Some('-') } else { characters::lookalike(letter) };
    let letters: String = word.chars().map(|letter| plain(letter).unwrap_or(letter)).collect();
    let (index, letter) = word.char_indices().find(|(_, letter)| plain(*letter).is_some())?;
    if letters == word || !is_value(&letters) && index > 0 {
        return None;
    }
    let at = start + index..start + index + letter.len_utf8();
    let problem = Problem::new(at, format!("unexpected {}", characters::shown(letter)));
    let problem = if characters::is_dash(letter) { problem.label("not the ASCII minus sign") } else { problem };
    let is_value = is_value(&letters);
    Some(problem.help(if is_value { write(&letters) } else { format!("write `{}`", plain(letter).unwrap_or('-')) }))
}

/// Explains a text without quotes.
pub(super) fn unquoted(start: usize, whole: &str, key: Option<&str>) -> Problem {
    let before = key.map_or(String::new(), |key| format!("{key} = "));
    let problem = Problem::new(start..start + whole.len(), format!("{} is not quoted", quoted(whole)));
    // A quote at one end only.
    let last = whole.chars().next_back().filter(|last| matches!(last, '"' | '\'') || characters::is_quote(*last));
    let is_single = last.is_some_and(|last| whole.matches(last).count() % 2 == 1);
    match string(if is_single { whole.trim_end_matches(|letter| Some(letter) == last) } else { whole }) {
        Some(text) => problem.help(format!("write `{before}{text}`")),
        None => problem.help("put the string in quotes"),
    }
}

/// Says why a number is not one, and how to write it.
fn explain_number(word: &str) -> Option<(String, Option<String>)> {
    let (sign, digits) = match word.strip_prefix(['-', '+']) {
        Some(digits) => (&word[..1], digits),
        None => ("", word),
    };
    let is_number = |text: &str| {
        text.chars().any(|letter| letter.is_ascii_digit())
            && text.chars().all(|letter| letter.is_ascii_digit() || "_.eE+-".contains(letter))
    };
    let accepted = |text: String| is_value(&text).then_some(text);
    if digits.starts_with('0')
        && digits.len() > 1
        && digits.chars().all(|letter| letter.is_ascii_digit() || letter == '_')
    {
        let right = digits.trim_start_matches(['0', '_']);
        return Some((
            "integers cannot have leading zeros".to_owned(),
            accepted(format!("{sign}{}", if right.is_empty() { "0" } else { right })),
        ));
    }
    if let Some(hex) = ["0X", "0O", "0B"].into_iter().find(|prefix| digits.starts_with(prefix)) {
        return Some((
            format!("the prefix `{hex}` must be in lower case"),
            accepted(word.replacen(hex, &hex.to_lowercase(), 1)),
        ));
    }
    if digits.starts_with("0x") || digits.starts_with("0o") || digits.starts_with("0b") {
        return (digits.len() > 2 && digits.chars().all(is_bare)).then(|| {
            (
                format!("{} is not an integer", quoted(word)),
                accepted(digits.replace("__", "_").trim_end_matches('_').to_owned()),
            )
        });
    }
    if let Some(number) = digits.strip_suffix('%').filter(|number| is_number(number)) {
        return Some(("a number cannot have a `%`".to_owned(), accepted(format!("{sign}{number}"))));
    }
    if !is_number(digits) || digits.contains(['-', '+']) && !digits.contains(['e', 'E']) {
        return None;
    }
    explain_decimal(word, sign, digits)
}

/// Says why a decimal number is not one. `digits` is what follows the sign.
fn explain_decimal(word: &str, sign: &str, digits: &str) -> Option<(String, Option<String>)> {
    let accepted = |text: String| is_value(&text).then_some(text);
    if digits.contains('_') {
        let right = accepted(word.replace('_', ""));
        return right.map(|right| ("an underscore in a number needs a digit on each side".to_owned(), Some(right)));
    }
    if digits.matches('.').count() > 1 {
        return None;
    }
    if digits.starts_with('.') {
        return Some(("a number needs a digit before the point".to_owned(), accepted(format!("{sign}0{digits}"))));
    }
    if digits.ends_with('.') {
        return Some(("a number needs a digit after the point".to_owned(), accepted(format!("{sign}{digits}0"))));
    }
    if digits.starts_with('0') {
        let right = digits.trim_start_matches('0');
        let right = if right.starts_with('.') { format!("0{right}") } else { right.to_owned() };
        return accepted(format!("{sign}{right}"))
            .map(|right| ("numbers cannot have leading zeros".to_owned(), Some(right)));
    }
    Some((format!("{} is not a number", quoted(word)), None))
}

/// Returns the text up to the end of the line or a comment, without a comma or semicolon at its end.
pub(super) fn rest_of_line(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or_default();
    let line = line.find(" #").map_or(line, |comment| &line[..comment]);
    line.trim_end().trim_end_matches([',', ';']).trim_end()
}
