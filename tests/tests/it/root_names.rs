//! The root of the runtime's API stays small: items that few programs need are in modules.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The maximum number of names, so that the page of the documentation stays readable.
const MAX: usize = 30;

#[test]
fn the_runtime_has_few_names_at_its_root() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/lib.rs");
    let names = root_names(&fs::read_to_string(path).expect("the file can be read"));
    assert!(names.contains("Registry") && names.contains("Turn"), "{names:?}");
    assert!(names.len() <= MAX, "{} names, at most {MAX}: put some into a module: {names:?}", names.len());
}

/// Returns the names that a crate's root exports or defines, except modules and hidden items. `text` is `lib.rs`.
fn root_names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut is_hidden = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == "#[doc(hidden)]" {
            is_hidden = true;
        } else if let Some(item) = line.strip_prefix("pub ") {
            let mut item = item.to_owned();
            while item.starts_with("use ") && !item.ends_with(';') {
                item += lines.next().expect("an import ends with a semicolon");
            }
            if !is_hidden {
                names.extend(exported(&item));
            }
            is_hidden = false;
        }
    }
    names
}

/// Returns the names that an item exports.
fn exported(item: &str) -> Vec<String> {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (kind, rest) = item.split_once(' ').expect("an item has a name");
    match kind {
        "mod" => Vec::new(),
        "use" => {
            let list = rest.rsplit_once('{').map_or_else(|| rest.rsplit("::").next().unwrap_or(rest), |(_, list)| list);
            let names =
                list.split(',').map(|name| name.rsplit(' ').next().unwrap_or(name).trim_matches(|c| !is_letter(c)));
            let is_module = |name: &&str| name.starts_with(char::is_lowercase);
            names.filter(|name| !name.is_empty() && !is_module(name)).map(str::to_owned).collect()
        }
        _ => rest
            .split(|letter| !is_letter(letter))
            .find(|word| !["const", "fn", "unsafe"].contains(word))
            .map(str::to_owned)
            .into_iter()
            .collect(),
    }
}

#[test]
fn public_names_at_a_root_are_found() {
    let text = "
pub mod agent;
pub use call::{Call,
    ToolCall};
#[doc(hidden)]
pub use data::Hidden;
pub use result::output::ToolError as Failure;
pub use data::behaviour;
mod private;
pub struct Registry(u32);
pub const fn assert_stamp(stamp: u32) {}
pub mod hooks {
    pub use crate::call::hooks::Hook;
}
";
    assert_eq!(
        root_names(text).into_iter().collect::<Vec<_>>(),
        ["Call", "Failure", "Registry", "ToolCall", "assert_stamp"]
    );
}
