//! Merges a newer source into an edited manifest: what changed in one of them only is taken, what changed in both is a conflict.

use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item, TableLike};
use toolc_codegen::format::format;
use toolc_codegen::source::Kind;

use crate::report::escaped;

/// A key that was changed both in the manifest and in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The place, as a JSON pointer into the manifest.
    pub pointer: String,
    /// The value in the manifest, which stays. Empty: it was removed.
    pub ours: String,
    /// The value in the source. Empty: it was removed.
    pub theirs: String,
}

/// A change of the source to make in the manifest: the path, and whether the key is set or removed.
type Edit = (Vec<String>, bool);

/// Returns the manifest `ours` with the changes from `base` to `theirs`, and what conflicts.
///
/// # Errors
/// If a text is not TOML.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Result<(String, Vec<Conflict>), String> {
    if ours == base || ours == theirs {
        return Ok((theirs.to_owned(), Vec::new()));
    }
    let parse = |text: &str| text.parse::<DocumentMut>().map_err(|error| format!("not TOML: {error}"));
    let (base, mut ours, theirs) = (parse(base)?, parse(ours)?, parse(theirs)?);
    let (old, mine, new) = (plain(base.as_item()), plain(ours.as_item()), plain(theirs.as_item()));
    let (mut edits, mut conflicts) = (Vec::new(), Vec::new());
    compare(&old, &mine, &new, &mut Vec::new(), &mut edits, &mut conflicts);
    for (path, is_set) in &edits {
        apply(&mut ours, &theirs, path, *is_set);
    }
    let text = ours.to_string();
    let text = format(Some(Kind::Tool), &text).unwrap_or(text);
    Ok((text, conflicts))
}

/// Compares three versions of a table.
fn compare(
    base: &Value,
    ours: &Value,
    theirs: &Value,
    path: &mut Vec<String>,
    edits: &mut Vec<Edit>,
    conflicts: &mut Vec<Conflict>,
) {
    let empty = Map::new();
    let tables = [base, ours, theirs].map(|value| value.as_object().unwrap_or(&empty));
    let mut names: Vec<&String> = Vec::new();
    for name in tables.iter().flat_map(|table| table.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let [old, mine, new] = tables.map(|table| table.get(name));
        if mine == new || new == old {
            continue;
        }
        path.push(name.clone());
        // Below a table that was not edited, too, there can be comments.
        if let (Some(mine @ Value::Object(_)), Some(new @ Value::Object(_))) = (mine, new)
            && old.is_none_or(Value::is_object)
        {
            compare(old.unwrap_or(&Value::Null), mine, new, path, edits, conflicts);
        } else if mine == old {
            edits.push((path.clone(), new.is_some()));
        } else {
            let text = |value: Option<&Value>| value.map(Value::to_string).unwrap_or_default();
            let pointer = path.iter().fold(String::new(), |path, step| path + "/" + &escaped(step));
            conflicts.push(Conflict { pointer, ours: text(mine), theirs: text(new) });
        }
        path.pop();
    }
}

/// Makes one change of the source in the manifest.
fn apply(ours: &mut DocumentMut, theirs: &DocumentMut, path: &[String], is_set: bool) {
    let Some((last, parents)) = path.split_last() else { return };
    let mut table: &mut dyn TableLike = ours.as_table_mut();
    for step in parents {
        let Some(next) = table.get_mut(step).and_then(Item::as_table_like_mut) else { return };
        table = next;
    }
    if !is_set {
        table.remove(last);
        return;
    }
    let item = path.iter().try_fold(theirs.as_item(), |item, step| item.get(step.as_str()));
    if let Some(item) = item {
        let mut item = item.clone();
        without_positions(&mut item);
        let Some(slot) = table.get_mut(last) else {
            table.insert(last, item);
            return;
        };
        // The comment of a value stays with its key.
        if let (Item::Value(old), Item::Value(new)) = (&*slot, &mut item) {
            *new.decor_mut() = old.decor().clone();
        }
        *slot = item;
    }
}

/// Removes the places that tables have in their own document.
fn without_positions(item: &mut Item) {
    match item {
        Item::Table(table) => {
            table.set_position(None);
            table.iter_mut().for_each(|(_, item)| without_positions(item));
        }
        Item::ArrayOfTables(tables) => {
            for table in tables.iter_mut() {
                table.set_position(None);
                table.iter_mut().for_each(|(_, item)| without_positions(item));
            }
        }
        Item::None | Item::Value(_) => {}
    }
}

/// Returns an item as JSON, whatever its notation.
fn plain(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => plain_value(value),
        Item::Table(table) => {
            table.iter().map(|(name, item)| (name.to_owned(), plain(item))).collect::<Map<_, _>>().into()
        }
        Item::ArrayOfTables(tables) => {
            let table = |table: &toml_edit::Table| -> Value {
                table.iter().map(|(name, item)| (name.to_owned(), plain(item))).collect::<Map<_, _>>().into()
            };
            tables.iter().map(table).collect()
        }
    }
}

fn plain_value(value: &toml_edit::Value) -> Value {
    use toml_edit::Value as Toml;
    match value {
        Toml::String(text) => text.value().as_str().into(),
        Toml::Integer(number) => (*number.value()).into(),
        Toml::Float(number) => (*number.value()).into(),
        Toml::Boolean(flag) => (*flag.value()).into(),
        Toml::Datetime(date) => date.value().to_string().into(),
        Toml::Array(items) => items.iter().map(plain_value).collect(),
        Toml::InlineTable(table) => {
            table.iter().map(|(name, value)| (name.to_owned(), plain_value(value))).collect::<Map<_, _>>().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "name = \"t\"\ndescription = \"Old.\"\n\n[params.a]\ntype = \"integer\"\nminimum = 1\n\n[params.b]\ntype = \"string\"\n";

    fn merged(ours: &str, theirs: &str) -> (String, Vec<Conflict>) {
        merge(BASE, ours, theirs).expect("all are TOML")
    }

    #[test]
    fn a_manifest_without_edits_becomes_that_of_the_source() {
        let theirs = BASE.replace("Old", "New");
        assert_eq!(merged(BASE, &theirs), (theirs, vec![]));
    }

    #[test]
    fn edits_and_changes_of_different_keys_are_both_kept() {
        let ours = BASE.replace("Old.", "Ours.").replace("minimum = 1", "minimum = 1 # why");
        let theirs = BASE.replace("minimum = 1", "minimum = 2")
            + "\n[params.c]\ntype = \"array\"\nitems = { type = \"null\" }\n";
        let (text, conflicts) = merged(&ours, &theirs);
        assert_eq!(conflicts, []);
        let expected = ours.replace("minimum = 1", "minimum = 2")
            + "\n[params.c]\ntype = \"array\"\nitems = { type = \"null\" }\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_the_source_removed_goes_unless_it_was_edited() {
        let theirs = BASE.replace("\n[params.b]\ntype = \"string\"\n", "");
        let (text, conflicts) = merged(&BASE.replace("Old", "Ours"), &theirs);
        assert_eq!((text.as_str(), conflicts), (&*theirs.replace("Old", "Ours"), vec![]));
        let (text, conflicts) = merged(&BASE.replace("\"string\"", "\"boolean\""), &theirs);
        assert!(text.contains("[params.b]"), "{text}");
        let expected =
            Conflict { pointer: "/params/b".into(), ours: r#"{"type":"boolean"}"#.into(), theirs: String::new() };
        assert_eq!(conflicts, [expected]);
    }

    #[test]
    fn a_conflict_keeps_the_edit_and_names_both_sides() {
        let (text, conflicts) = merged(&BASE.replace("Old.", "Ours."), &BASE.replace("Old.", "Theirs."));
        assert!(text.contains("Ours."), "{text}");
        let expected =
            Conflict { pointer: "/description".into(), ours: "\"Ours.\"".into(), theirs: "\"Theirs.\"".into() };
        assert_eq!(conflicts, [expected]);
    }

    #[test]
    fn the_notation_of_a_table_is_no_edit() {
        let ours = BASE.replace("[params.b]\ntype = \"string\"\n", "[params]\nb = { type = \"string\" }\n");
        let (text, conflicts) = merged(&ours, &BASE.replace("\"string\"", "\"boolean\""));
        assert_eq!(conflicts, []);
        assert!(text.contains("boolean") && !text.contains("string"), "{text}");
    }
}
