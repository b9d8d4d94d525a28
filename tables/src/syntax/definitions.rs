//! The keys and tables that were defined so far, to find those that are defined twice or contradict each other.

use std::collections::BTreeMap;
use std::ops::Range;

use super::problem::{Problem, Read, quoted};
use super::scanner::Path;

/// A value that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Scalar,
    Array,
    InlineTable,
}

/// What a name was defined as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Value(Kind),
    /// `[NAME]`
    Table,
    /// `[[NAME]]`
    Array,
    /// A table that exists since a header names a table within it.
    Implied,
    /// A table that exists since a key with dots names a key within it.
    Dotted,
}

#[derive(Debug)]
struct Node {
    what: What,
    /// The first place of the name.
    span: Range<usize>,
    entries: Table,
}

type Table = BTreeMap<String, Node>;

/// The definitions of a file, or of an inline table.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    root: Table,
    /// The current table, or `None` if its header could not be read.
    current: Current,
}

#[derive(Debug, Default)]
enum Current {
    #[default]
    Root,
    Table(Vec<String>),
    Unknown,
}

impl Definitions {
    /// Ignores keys up to the next header, since the table that they belong to is unknown.
    pub(super) fn forget_table(&mut self) {
        self.current = Current::Unknown;
    }

    /// Adds `[PATH]` or `[[PATH]]`.
    pub(super) fn header(&mut self, path: &Path, is_array: bool) -> Read<()> {
        self.current = Current::Unknown;
        let mut table = &mut self.root;
        let shown = path.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        for (index, (name, span)) in path.iter().enumerate() {
            let is_last = index + 1 == path.len();
            let what = match (is_last, is_array) {
                (false, _) => What::Implied,
                (true, true) => What::Array,
                (true, false) => What::Table,
            };
            let is_new = !table.contains_key(name);
            let node =
                table.entry(name.clone()).or_insert_with(|| Node { what, span: span.clone(), entries: Table::new() });
            if !is_new {
                check_header(node, what, is_last, &shown[..=index].join("."), span)?;
            }
            if is_last && what == What::Array {
                node.entries.clear();
            }
            table = &mut node.entries;
        }
        self.current = Current::Table(path.iter().map(|(name, _)| name.clone()).collect());
        Ok(())
    }

    /// Adds `PATH = VALUE` to the current table.
    pub(super) fn assign(&mut self, path: &Path, value: &Value) -> Read<()> {
        let mut table = &mut self.root;
        match &self.current {
            Current::Unknown => return Ok(()),
            Current::Root => {}
            Current::Table(names) => {
                for name in names {
                    let Some(node) = table.get_mut(name) else { return Ok(()) };
                    table = &mut node.entries;
                }
            }
        }
        let shown = path.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        for (index, (name, span)) in path.iter().enumerate() {
            let is_last = index + 1 == path.len();
            let shown = shown[..=index].join(".");
            let what = if is_last { What::Value(value.kind) } else { What::Dotted };
            match table.get_mut(name) {
                None => {
                    table.insert(name.clone(), Node { what, span: span.clone(), entries: Table::new() });
                }
                Some(node) if is_last => return Err(twice(&shown, span.clone(), node)),
                Some(node) if node.what != What::Dotted => return Err(extended(&shown, span.clone(), node)),
                Some(_) => {}
            }
            let Some(node) = table.get_mut(name) else { return Ok(()) };
            table = &mut node.entries;
        }
        Ok(())
    }
}

/// Checks a header whose name, or whose beginning, was defined before.
fn check_header(node: &mut Node, what: What, is_last: bool, shown: &str, span: &Range<usize>) -> Read<()> {
    match (node.what, what) {
        (What::Value(_), _)
            if is_last && what == What::Table && !matches!(node.what, What::Value(Kind::InlineTable)) =>
        {
            Err(twice(shown, span.clone(), node))
        }
        (What::Value(_), _) => Err(extended(shown, span.clone(), node)),
        (What::Table | What::Implied | What::Dotted, What::Array) => {
            let problem = Problem::new(span.clone(), format!("`{shown}` is a table and cannot be an array of tables"));
            Err(problem
                .related(node.span.clone(), "used as a table here")
                .help(format!("write `[{shown}.NAME]`, a table with a name, for each entry")))
        }
        (What::Array, What::Table) => {
            let problem = Problem::new(span.clone(), format!("`{shown}` is an array of tables and cannot be a table"));
            Err(problem
                .related(node.span.clone(), "used as an array of tables here")
                .help(format!("write `[[{shown}]]`")))
        }
        (What::Table | What::Dotted, What::Table) => {
            let problem = Problem::new(span.clone(), format!("the table `{shown}` is defined twice"));
            Err(problem
                .label("defined again here")
                .related(node.span.clone(), "first defined here")
                .help("put all of its keys in one place"))
        }
        (What::Implied, What::Table) => {
            node.what = What::Table;
            node.span = span.clone();
            Ok(())
        }
        _ => Ok(()),
    }
}

fn twice(shown: &str, span: Range<usize>, node: &Node) -> Problem {
    let problem = Problem::new(span, format!("{} is defined twice", quoted(shown)));
    problem.label("defined again here").related(node.span.clone(), "first defined here").help("remove one of them")
}

/// Returns the problem of a name that is used as a table, and is another value or a finished table.
fn extended(shown: &str, span: Range<usize>, node: &Node) -> Problem {
    let (is, help) = match node.what {
        What::Value(Kind::InlineTable) => {
            ("an inline table and cannot be extended", "write all of its keys in the braces, or use `[...]` for both")
        }
        What::Value(Kind::Array) => {
            ("an array and cannot have keys", "write its tables in the brackets, or use `[[...]]` for all")
        }
        What::Value(Kind::String) => ("a string and cannot have keys", "remove one of them"),
        What::Value(Kind::Scalar) => ("a value without keys", "remove one of them"),
        What::Array => ("an array of tables", "write its keys below its `[[...]]`"),
        What::Table | What::Implied | What::Dotted => {
            ("a table that has its own header", "write its keys below that header")
        }
    };
    let problem = Problem::new(span, format!("{} is {is}", quoted(shown)));
    problem.related(node.span.clone(), "defined here").help(help)
}
