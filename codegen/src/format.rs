//! Formatting of manifests. Comments stay with their keys, and values keep their spelling.
//!
//! - Keys of a fixed table are in the order in which the [language](crate::manifest::keys) lists them; names that the
//!   author chose, such as parameters, stay in the author's order, which models see.
//! - Plain keys come before tables with headers, each of which has an empty line before it.
//! - An array is on one line if it fits, and otherwise has one item per line. An inline table stays on its line.
//! - Comments at the top of a file above an empty line, and the `#:schema` line, stay there.

mod entry;
mod value;

use toml_edit::{DocumentMut, Item, Key, Table};

use crate::manifest::keys::{self, KeyType, PROPERTY, SCHEMA};
use crate::source::Kind;
use entry::{Entry, lead};

/// Lines are at most this wide, where they can be broken.
const WIDTH: usize = 120;

/// The text in its one layout. None, where it is not TOML.
pub fn format(kind: Option<Kind>, text: &str) -> Option<String> {
    let (head, body) = text.split_at(head(text));
    // Only at the top of a file is it nothing.
    if !head.is_empty() && body.starts_with('\u{feff}') {
        return None;
    }
    let document: DocumentMut = body.parse().ok()?;
    let mut out = String::new();
    lead(&mut out, head, false);
    let order = kind.map_or(Order::Written, |kind| Order::Keys(kind.keys()));
    section(&mut out, &[], document.as_table(), order, false);
    let trailing = document.trailing().as_str().unwrap_or_default();
    let is_apart = !out.is_empty();
    lead(&mut out, trailing, is_apart);
    let end = out.trim_end().len();
    out.truncate(end);
    if !out.is_empty() {
        out.push('\n');
    }
    Some(out)
}

/// How many bytes at the top are about the whole file.
fn head(text: &str) -> usize {
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

/// In which order the entries of a table stand.
#[derive(Debug, Clone, Copy)]
enum Order {
    /// That of the language.
    Keys(&'static [&'static [keys::Key]]),
    /// The author's; what is in each of them is in the order of the language.
    Names(&'static [&'static [keys::Key]]),
    /// The author's, all the way down.
    Written,
}

impl Order {
    /// The keys of the table at a key.
    fn below(self, name: &str) -> Self {
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

    /// Where a key stands among the others.
    fn rank(self, name: &str) -> usize {
        let Order::Keys(keys) = self else { return 0 };
        let all = || keys.iter().copied().flatten();
        let position = |name: &str| all().position(|key| key.name == name);
        let first = keys.first().map_or(0, |keys| keys.len());
        match position(name) {
            None => usize::MAX,
            // `params` are properties of `schema`: which of them comes first says in which order those are.
            Some(_) if name == "schema" && position("params").is_some() => position("params").unwrap_or(0) * 2,
            // Keys of a property that are not keywords of its schema follow the description.
            Some(own) if own >= first => position("description").unwrap_or(0) * 2 + 1,
            Some(own) => own * 2,
        }
    }
}

/// A table: what is before its header, the header, its plain entries, its tables.
fn section(out: &mut String, path: &[&Key], table: &Table, order: Order, is_item: bool) {
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
    let below = |out: &mut String, (relative, item, order): &(Vec<&Key>, &Item, Order)| {
        let full: Vec<&Key> = path.iter().chain(relative).copied().collect();
        match item {
            Item::Table(table) => section(out, &full, table, *order, false),
            Item::ArrayOfTables(tables) => tables.iter().for_each(|table| section(out, &full, table, *order, true)),
            Item::None | Item::Value(_) => {}
        }
    };
    // Where names are in the author's order, tables before the first plain entry stay before it.
    tables[..first].iter().for_each(|table| below(out, table));
    if !path.is_empty() && (is_item || !table.is_implicit()) {
        header(out, path, table, is_item);
    }
    let mut is_inner = path.is_empty() && !out.is_empty();
    for line in lines {
        line.write(out, is_inner);
        is_inner = true;
    }
    tables[first..].iter().for_each(|table| below(out, table));
}

/// Every entry, those of dotted keys flattened, in order: its keys, itself, and the order of what is in it.
fn collect<'t>(path: &[&'t Key], table: &'t Table, order: Order, take: &mut dyn FnMut(Vec<&'t Key>, &'t Item, Order)) {
    let mut entries: Vec<(&Key, &Item)> = table.iter().filter_map(|(name, _)| table.get_key_value(name)).collect();
    entries.sort_by_key(|(key, _)| order.rank(key.get()));
    for (key, item) in entries {
        let full: Vec<&Key> = path.iter().copied().chain([key]).collect();
        match item {
            Item::Table(inner) if inner.is_dotted() => collect(&full, inner, order.below(key.get()), take),
            item => take(full, item, order.below(key.get())),
        }
    }
}

fn header(out: &mut String, path: &[&Key], table: &Table, is_item: bool) {
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
    let decor = table.decor();
    lead(out, decor.prefix().and_then(|text| text.as_str()).unwrap_or_default(), false);
    let name = entry::dotted(path);
    *out += &if is_item { format!("[[{name}]]") } else { format!("[{name}]") };
    entry::comment(out, decor.suffix().and_then(|text| text.as_str()).unwrap_or_default());
    out.push('\n');
}
