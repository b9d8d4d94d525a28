//! Values: strings and numbers keep their notation, arrays and inline tables are formatted.

use toml_edit::{Key, Value};

use super::MAX_WIDTH;
use super::key::{comments_before, dotted};

const INDENT: &str = "    ";

/// Writes a value. Its line already has `used` characters, and is indented by `indent`.
pub(super) fn write(out: &mut String, value: &Value, used: usize, indent: &str) {
    let has_comments = has_comments(value);
    if !has_comments {
        let line = line(value);
        let fits = !line.contains('\n') && used + line.chars().count() <= MAX_WIDTH;
        if fits || !matches!(value, Value::Array(_)) {
            return *out += &line;
        }
    }
    match value {
        Value::Array(array) => {
            let items = array.iter().map(|item| (surrounding(item), String::new(), item));
            block(out, ['[', ']'], items.collect(), raw(Some(array.trailing())), indent);
        }
        Value::InlineTable(table) => {
            let mut entries = Vec::new();
            for (path, value) in table.get_values() {
                let space = [comments_before(&path).to_owned(), raw(value.decor().suffix()).to_owned()];
                entries.push((space, format!("{} = ", dotted(&path)), value));
            }
            block(out, ['{', '}'], entries, raw(Some(table.trailing())), indent);
        }
        other => *out += &line(other),
    }
}

/// Returns a value on one line; multi-line strings keep their lines.
fn line(value: &Value) -> String {
    match value {
        Value::String(text) => text.display_repr().into_owned(),
        Value::Integer(number) => number.display_repr().into_owned(),
        Value::Float(number) => number.display_repr().into_owned(),
        Value::Boolean(flag) => flag.display_repr().into_owned(),
        Value::Datetime(date) => date.display_repr().into_owned(),
        Value::Array(array) => format!("[{}]", array.iter().map(line).collect::<Vec<_>>().join(", ")),
        Value::InlineTable(table) => {
            let entries = table.get_values().into_iter();
            let entries: Vec<String> =
                entries.map(|(path, value)| format!("{} = {}", dotted(&path), line(value))).collect();
            if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
        }
    }
}

/// An item of an array or inline table: the white space before and after it, its key with `=` (empty in an array), and its value.
type Part<'v> = ([String; 2], String, &'v Value);

/// Writes an array or inline table with one item per line, and the comments between the items.
fn block(out: &mut String, [open, close]: [char; 2], parts: Vec<Part<'_>>, trailing: &str, indent: &str) {
    let inner = format!("{indent}{INDENT}");
    out.push(open);
    for ([before, after], key, value) in parts {
        // A comment on the same line belongs to the previous item.
        comments(out, &before, &inner);
        newline(out, &inner);
        *out += &key;
        let used = inner.len() + key.chars().count();
        write(out, value, used, &inner);
        out.push(',');
        comments(out, &after, &inner);
    }
    comments(out, trailing, &inner);
    newline(out, indent);
    out.push(close);
}

/// Writes the comments in white space: the first line at the end of the current line, the others on lines of their own.
fn comments(out: &mut String, space: &str, indent: &str) {
    for (index, line) in space.split('\n').map(str::trim).enumerate().filter(|(_, line)| !line.is_empty()) {
        if index == 0 {
            out.push(' ');
        } else {
            newline(out, indent);
        }
        *out += line;
    }
}

fn newline(out: &mut String, indent: &str) {
    out.push('\n');
    *out += indent;
}

fn has_comments(value: &Value) -> bool {
    let is_comment = |space: &str| space.contains('#');
    let around = |value: &Value| surrounding(value).iter().any(|space| is_comment(space)) || has_comments(value);
    match value {
        Value::Array(array) => is_comment(raw(Some(array.trailing()))) || array.iter().any(around),
        Value::InlineTable(table) => {
            let entry = |(path, value): (Vec<&Key>, &Value)| is_comment(comments_before(&path)) || around(value);
            is_comment(raw(Some(table.trailing()))) || table.get_values().into_iter().any(entry)
        }
        _ => false,
    }
}

/// Returns the white space and comments before and after a value.
fn surrounding(value: &Value) -> [String; 2] {
    let decor = value.decor();
    [raw(decor.prefix()).to_owned(), raw(decor.suffix()).to_owned()]
}

fn raw(space: Option<&toml_edit::RawString>) -> &str {
    space.and_then(|space| space.as_str()).unwrap_or_default()
}
