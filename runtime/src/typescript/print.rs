//! The text of types: layout, literals and comments. Nothing that a schema or a description holds can leave its literal or its
//! comment.

use std::fmt::Write as _;

use super::json::Json;
use crate::text::identifier::is_identifier;
use crate::text::invisible::changes_direction;

/// The longest object type that is written in one line, in bytes.
const MAX_LINE: usize = 80;

/// The longest list of types in which equal ones are looked for.
const MAX_SEARCHED: usize = 256;

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type {
    /// Any value. In a union, it stands for the whole union; in an intersection, it adds nothing.
    Unknown,
    /// No value.
    Never,
    /// The name of a type, or a literal.
    Word(String),
    Array(Box<Type>),
    Tuple {
        items: Vec<Type>,
        /// The number of items that must be there.
        required: usize,
        /// The type of further items, if there can be any.
        rest: Option<Box<Type>>,
    },
    Object {
        properties: Vec<Property>,
        /// The type of the values of all other properties, if there can be any.
        index: Option<Box<Type>>,
    },
    Union(Vec<Type>),
    Intersection(Vec<Type>),
    /// A type with a comment before it.
    Commented(String, Box<Type>),
}

/// A property of an object type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) optional: bool,
    pub(super) ty: Type,
    /// Empty if there is no comment.
    pub(super) comment: String,
}

impl Type {
    pub(super) fn word(text: &str) -> Self {
        Type::Word(text.to_owned())
    }

    /// Returns a union. `Unknown` absorbs all others, and equal types are listed once.
    pub(super) fn union(types: impl IntoIterator<Item = Type>) -> Self {
        let mut all: Vec<Type> = Vec::new();
        for ty in types {
            match ty {
                Type::Unknown => return Type::Unknown,
                Type::Never => {}
                Type::Union(inner) => inner.into_iter().for_each(|ty| push_new(&mut all, ty)),
                ty => push_new(&mut all, ty),
            }
        }
        match all.len() {
            0 => Type::Never,
            1 => all.remove(0),
            _ => Type::Union(all),
        }
    }

    /// Returns an intersection. `Unknown` adds nothing, and `Never` absorbs all others.
    pub(super) fn intersection(types: impl IntoIterator<Item = Type>) -> Self {
        let mut all: Vec<Type> = Vec::new();
        for ty in types {
            match ty {
                Type::Never => return Type::Never,
                Type::Unknown => {}
                Type::Intersection(inner) => inner.into_iter().for_each(|ty| push_new(&mut all, ty)),
                ty => push_new(&mut all, ty),
            }
        }
        match all.len() {
            0 => Type::Unknown,
            1 => all.remove(0),
            _ => Type::Intersection(all),
        }
    }

    /// Returns the type with a comment, if there is one.
    pub(super) fn commented(self, comment: String) -> Self {
        if comment.is_empty() { self } else { Type::Commented(comment, Box::new(self)) }
    }

    /// Returns the type of a single value.
    pub(super) fn literal(value: &Json) -> Self {
        match value {
            Json::Null => Type::word("null"),
            Json::Boolean(flag) => Type::Word(flag.to_string()),
            Json::Number(number) => Type::Word(number.to_string()),
            Json::String(text) => Type::Word(string(text)),
            Json::Array(items) => {
                Type::Tuple { items: items.iter().map(Type::literal).collect(), required: items.len(), rest: None }
            }
            Json::Object(entries) => {
                let property = |(name, value): &(String, Json)| Property {
                    name: name.clone(),
                    optional: false,
                    ty: Type::literal(value),
                    comment: String::new(),
                };
                Type::object(entries.iter().map(property).collect(), None)
            }
        }
    }

    /// Returns an object type. One without any property is spelt so that TypeScript refuses properties.
    pub(super) fn object(properties: Vec<Property>, index: Option<Type>) -> Self {
        let index = if properties.is_empty() && index.is_none() { Some(Type::Never) } else { index };
        Type::Object { properties, index: index.map(Box::new) }
    }

    /// Returns the type without the comments in it.
    pub(super) fn without_comments(self) -> Self {
        let all = |types: Vec<Type>| types.into_iter().map(Type::without_comments).collect();
        let boxed = |ty: Box<Type>| Box::new(ty.without_comments());
        match self {
            Type::Unknown | Type::Never | Type::Word(_) => self,
            Type::Array(item) => Type::Array(boxed(item)),
            Type::Tuple { items, required, rest } => Type::Tuple { items: all(items), required, rest: rest.map(boxed) },
            Type::Object { properties, index } => {
                let plain = |property: Property| Property {
                    ty: property.ty.without_comments(),
                    comment: String::new(),
                    ..property
                };
                Type::Object { properties: properties.into_iter().map(plain).collect(), index: index.map(boxed) }
            }
            Type::Union(types) => Type::union(all(types)),
            Type::Intersection(types) => Type::intersection(all(types)),
            Type::Commented(_, ty) => ty.without_comments(),
        }
    }

    /// Returns whether the type has no comment in it.
    fn is_plain(&self) -> bool {
        match self {
            Type::Unknown | Type::Never | Type::Word(_) => true,
            Type::Array(item) => item.is_plain(),
            Type::Tuple { items, rest, .. } => items.iter().chain(rest.as_deref()).all(Type::is_plain),
            Type::Object { properties, index } => {
                properties.iter().all(|property| property.comment.is_empty() && property.ty.is_plain())
                    && index.as_ref().is_none_or(|index| index.is_plain())
            }
            Type::Union(types) | Type::Intersection(types) => types.iter().all(Type::is_plain),
            Type::Commented(..) => false,
        }
    }

    /// Appends the type. Its further lines are indented by `indent` spaces.
    pub(super) fn write(&self, indent: usize, out: &mut String) {
        let written = self.write_in(Layout::Lines { indent }, out);
        debug_assert!(written.is_some(), "only a single line can be too short");
    }

    /// Appends the type. Returns `None` if it does not fit the line.
    fn write_in(&self, layout: Layout, out: &mut String) -> Option<()> {
        match self {
            Type::Unknown => out.push_str("unknown"),
            Type::Never => out.push_str("never"),
            Type::Word(word) => out.push_str(word),
            Type::Array(item) => {
                item.write_operand(layout, out)?;
                out.push_str("[]");
            }
            Type::Tuple { items, required, rest } => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    if at < *required {
                        item.write_in(layout, out)?;
                    } else {
                        item.write_operand(layout, out)?;
                        out.push('?');
                    }
                }
                if let Some(rest) = rest {
                    out.push_str(if items.is_empty() { "..." } else { ", ..." });
                    rest.write_operand(layout, out)?;
                    out.push_str("[]");
                }
                out.push(']');
            }
            Type::Object { properties, index } => write_object(properties, index.as_deref(), layout, out)?,
            Type::Union(types) => write_list(types, '|', layout, out)?,
            Type::Intersection(types) => write_list(types, '&', layout, out)?,
            Type::Commented(comment, ty) => {
                let Layout::Lines { indent } = layout else { return None };
                write_comment(comment, indent, out);
                out.push(' ');
                ty.write_operand(layout, out)?;
            }
        }
        layout.has_room(out)
    }

    /// Appends the type as an operand, in parentheses if necessary.
    fn write_operand(&self, layout: Layout, out: &mut String) -> Option<()> {
        let is_compound = matches!(self, Type::Union(_) | Type::Intersection(_) | Type::Commented(..));
        out.push_str(if is_compound { "(" } else { "" });
        self.write_in(layout, out)?;
        out.push_str(if is_compound { ")" } else { "" });
        Some(())
    }
}

/// Where a type is written.
#[derive(Clone, Copy)]
enum Layout {
    /// In one line, which ends at this length of the text.
    Line { end: usize },
    /// In several lines if necessary, after this number of spaces.
    Lines { indent: usize },
}

impl Layout {
    fn has_room(self, out: &str) -> Option<()> {
        match self {
            Layout::Line { end } if out.len() > end => None,
            _ => Some(()),
        }
    }

    fn indented(self) -> Self {
        match self {
            Layout::Line { .. } => self,
            Layout::Lines { indent } => Layout::Lines { indent: indent + 2 },
        }
    }

    /// Begins a part: in a new line, or after a space.
    fn begin(self, out: &mut String) {
        match self {
            Layout::Line { .. } => out.push(' '),
            Layout::Lines { indent } => {
                out.truncate(out.trim_end_matches(' ').len());
                let _ = write!(out, "\n{:indent$}", "");
            }
        }
    }
}

/// Adds a type to a list, unless it is there already. Long lists are not searched: a duplicate does no harm.
fn push_new(all: &mut Vec<Type>, ty: Type) {
    if all.len() > MAX_SEARCHED || !all.contains(&ty) {
        all.push(ty);
    }
}

/// Appends a union or an intersection: if there is a comment in it, each operand in a line of its own.
fn write_list(types: &[Type], sign: char, layout: Layout, out: &mut String) -> Option<()> {
    let in_lines = !types.iter().all(Type::is_plain);
    let layout = if in_lines { layout.indented() } else { layout };
    for (at, ty) in types.iter().enumerate() {
        if in_lines {
            layout.begin(out);
            let _ = write!(out, "{sign} ");
        } else if at > 0 {
            let _ = write!(out, " {sign} ");
        }
        match ty {
            Type::Commented(..) if in_lines => ty.write_in(layout, out)?,
            ty => ty.write_operand(layout, out)?,
        }
    }
    Some(())
}

fn write_object(properties: &[Property], index: Option<&Type>, layout: Layout, out: &mut String) -> Option<()> {
    if let Layout::Lines { .. } = layout {
        let start = out.len();
        let line = Layout::Line { end: start + MAX_LINE };
        if write_members(properties, index, line, out).is_some() {
            return Some(());
        }
        out.truncate(start);
    }
    write_members(properties, index, layout, out)
}

fn write_members(properties: &[Property], index: Option<&Type>, layout: Layout, out: &mut String) -> Option<()> {
    let inner = layout.indented();
    out.push('{');
    for Property { name, optional, ty, comment } in properties {
        inner.begin(out);
        if !comment.is_empty() {
            let Layout::Lines { indent } = inner else { return None };
            write_comment(comment, indent, out);
            inner.begin(out);
        }
        out.push_str(&if is_identifier(name) { name.clone() } else { string(name) });
        out.push_str(if *optional { "?: " } else { ": " });
        ty.write_in(inner, out)?;
        out.push(';');
    }
    if let Some(index) = index {
        inner.begin(out);
        out.push_str("[key: string]: ");
        index.write_in(inner, out)?;
        out.push(';');
    }
    layout.begin(out);
    out.push('}');
    layout.has_room(out)
}

/// Returns a text as a string literal.
pub(super) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if is_unsafe(letter) => out.extend(letter.escape_unicode()),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// Returns whether a character ends a line for some programs, controls a terminal, or changes the direction of writing.
fn is_unsafe(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}') || changes_direction(letter)
}

/// Appends a text as a comment, in one line if it has one line. `indent` is the number of spaces before further lines.
pub(super) fn write_comment(text: &str, indent: usize, out: &mut String) {
    let clean = clean(text);
    let lines: Vec<&str> = clean.trim().lines().map(str::trim_end).collect();
    match lines.as_slice() {
        // TypeScript obeys `@ts-ignore` at the start of a comment, or of the last line of one, which is ` */` below.
        [line] if !line.starts_with(['@', '/', '*']) => {
            let _ = write!(out, "/** {line} */");
        }
        lines => {
            out.push_str("/**");
            for line in lines {
                let _ = write!(out, "\n{:indent$} *{}{line}", "", if line.is_empty() { "" } else { " " });
            }
            let _ = write!(out, "\n{:indent$} */", "");
        }
    }
}

/// Returns a text that cannot end a comment, with escapes for unsafe characters.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '/' if out.ends_with('*') => out.push_str("\\/"),
            '\n' | '\u{2028}' | '\u{2029}' | '\u{85}' => out.push('\n'),
            '\t' => out.push(' '),
            '\r' => {}
            letter if is_unsafe(letter) => out.extend(letter.escape_unicode()),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(text: &str) -> String {
        let mut out = String::new();
        write_comment(text, 2, &mut out);
        out
    }

    #[test]
    fn a_text_stays_in_its_comment() {
        for (text, expected) in [
            ("Plain.", "/** Plain. */"),
            ("a */ b", "/** a *\\/ b */"),
            ("a **/ *\r/ b", "/** a **\\/ *\\/ b */"),
            ("\u{1b}[2J\u{202e}\u{0}", "/** \\u{1b}[2J\\u{202e}\\u{0} */"),
            ("a\n\nb\u{2028}c\t", "/**\n   * a\n   *\n   * b\n   * c\n   */"),
            ("@ts-ignore", "/**\n   * @ts-ignore\n   */"),
            ("/ a", "/**\n   * / a\n   */"),
        ] {
            assert_eq!(comment(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_string_stays_in_its_literal() {
        assert_eq!(string("a\"\\\n\u{2028}\u{7f}é'`"), "\"a\\\"\\\\\\n\\u{2028}\\u{7f}é'`\"");
    }
}
