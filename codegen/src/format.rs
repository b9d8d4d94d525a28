//! The formatter of manifests. Comments stay with their keys, and values keep their notation.
//!
//! - The keys of a table are in the order in which [`keys`](crate::manifest::keys) declares them. Names that the author chose, such as
//!   parameters, keep the author's order, which models see.
//! - Keys with plain values are before tables with headers. Each header has an empty line before it.
//! - An array is on one line if it fits, and otherwise has one item per line. An inline table is on one line.
//! - The `#:schema` line, and comments at the top of a file that are followed by an empty line, stay at the top.

mod entry;
mod key;
mod value;

use toml_edit::{DocumentMut, Item, Key, Table};

use crate::manifest::keys::{self, KeyType, PROPERTY, SCHEMA};
use crate::source::Kind;
use entry::{Entry, write_comments};

/// The maximum width of a line with an array, in characters.
const MAX_WIDTH: usize = 120;

/// Formats the text of a manifest. Returns `None` if it is not valid TOML. A file that is not a manifest (`kind` is `None`) keeps the
/// order of its keys.
pub fn format(kind: Option<Kind>, text: &str) -> Option<String> {
    let (head, body) = text.split_at(head_length(text));
    // A byte order mark is only valid at the start of a file.
    if !head.is_empty() && body.starts_with('\u{feff}') {
        return None;
    }
    let document: DocumentMut = body.parse().ok()?;
    let mut out = String::new();
    write_comments(&mut out, head, false);
    let order = kind.map_or(Order::Written, |kind| Order::Keys(kind.keys()));
    write_table(&mut out, &[], document.as_table(), order, false);
    let trailing = document.trailing().as_str().unwrap_or_default();
    let keep_first_empty_line = !out.is_empty();
    write_comments(&mut out, trailing, keep_first_empty_line);
    let end = out.trim_end().len();
    out.truncate(end);
    if !out.is_empty() {
        out.push('\n');
    }
    Some(out)
}

/// Returns the length in bytes of the comments at the top that belong to the whole file.
pub(crate) fn head_length(text: &str) -> usize {
    let mut end = 0;
    let mut at = 0;
    let is_comment = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    for line in text.split_inclusive('\n').take_while(is_comment) {
        at += line.len();
        if line.trim().is_empty() || (end == at - line.len() && line.starts_with("#:")) {
            end = at;
        }
    }
    end
}

/// The order of the entries of a table.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    /// The order of these declared keys.
    Keys(&'static [&'static [keys::Key]]),
    /// The author's order. The entries are tables with these declared keys.
    Names(&'static [&'static [keys::Key]]),
    /// The author's order, at any depth.
    Written,
}

impl Order {
    /// Returns the order of the table at a key.
    #[must_use]
    pub fn nested(self, name: &str) -> Self {
        let keys = match self {
            Order::Keys(keys) => keys,
            Order::Names(keys) => return Order::Keys(keys),
            Order::Written => return Order::Written,
        };
        match keys.iter().copied().flatten().find(|key| key.name == name).map(|key| &key.key_type) {
            Some(KeyType::Table(keys) | KeyType::List(keys)) => Order::Keys(std::slice::from_ref(keys)),
            Some(KeyType::Tables(keys)) => Order::Names(std::slice::from_ref(keys)),
            Some(KeyType::Schema | KeyType::FlagOrSchema | KeyType::Schemas) => Order::Keys(&[SCHEMA]),
            Some(KeyType::Properties) => Order::Names(&[SCHEMA, PROPERTY]),
            _ => Order::Written,
        }
    }

    /// Returns the sort key of a key among the others.
    fn rank(self, name: &str) -> usize {
        let Order::Keys(keys) = self else { return 0 };
        let position = |name: &str| keys.iter().copied().flatten().position(|key| key.name == name);
        let schema_keys = keys.first().map_or(0, |keys| keys.len());
        match position(name) {
            None => usize::MAX,
            // `params` and `schema` both declare properties, whose order depends on which of them is first: keep the author's.
            Some(_) if name == "schema" && position("params").is_some() => position("params").unwrap_or(0) * 2,
            // Keys of a property that are not keywords of its schema follow the description.
            Some(position_of_key) if position_of_key >= schema_keys => position("description").unwrap_or(0) * 2 + 1,
            Some(position_of_key) => position_of_key * 2,
        }
    }
}

/// Writes a table: the comments before its header, the header, its plain entries, and its tables.
fn write_table(out: &mut String, path: &[&Key], table: &Table, order: Order, is_item: bool) {
    let mut lines: Vec<Entry<'_>> = Vec::new();
    let mut tables: Vec<(Vec<&Key>, &Item, Order)> = Vec::new();
    let mut first = 0;
    collect(&[], table, order, &mut |path, item, order| match item {
        Item::Value(value) => {
            if lines.is_empty() {
                first = tables.len();
            }
            lines.push(Entry { path, value });
        }
        item => tables.push((path, item, order)),
    });
    if lines.is_empty() || matches!(order, Order::Keys(_)) {
        first = 0;
    }
    let write_nested = |out: &mut String, (relative, item, order): &(Vec<&Key>, &Item, Order)| {
        let full: Vec<&Key> = path.iter().chain(relative).copied().collect();
        match item {
            Item::Table(table) => write_table(out, &full, table, *order, false),
            Item::ArrayOfTables(tables) => tables.iter().for_each(|table| write_table(out, &full, table, *order, true)),
            Item::None | Item::Value(_) => {}
        }
    };
    // In the author's order, tables before the first plain entry stay before it.
    tables[..first].iter().for_each(|table| write_nested(out, table));
    if !path.is_empty() && (is_item || !table.is_implicit()) {
        write_header(out, path, table, is_item);
    }
    let mut is_inner = path.is_empty() && !out.is_empty();
    for line in lines {
        line.write(out, is_inner);
        is_inner = true;
    }
    tables[first..].iter().for_each(|table| write_nested(out, table));
}

/// Calls `take` for each entry in order, with its key, its item, and the order of a nested table. Dotted keys are flattened.
fn collect<'t>(path: &[&'t Key], table: &'t Table, order: Order, take: &mut dyn FnMut(Vec<&'t Key>, &'t Item, Order)) {
    let mut entries: Vec<(&Key, &Item)> = table.iter().filter_map(|(name, _)| table.get_key_value(name)).collect();
    entries.sort_by_key(|(key, _)| order.rank(key.get()));
    for (key, item) in entries {
        let full: Vec<&Key> = path.iter().copied().chain([key]).collect();
        match item {
            Item::Table(inner) if inner.is_dotted() => collect(&full, inner, order.nested(key.get()), take),
            item => take(full, item, order.nested(key.get())),
        }
    }
}

fn write_header(out: &mut String, path: &[&Key], table: &Table, is_item: bool) {
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
    let decor = table.decor();
    write_comments(out, decor.prefix().and_then(|text| text.as_str()).unwrap_or_default(), false);
    let name = key::dotted(path);
    *out += &if is_item { format!("[[{name}]]") } else { format!("[{name}]") };
    entry::comment(out, decor.suffix().and_then(|text| text.as_str()).unwrap_or_default());
    out.push('\n');
}
