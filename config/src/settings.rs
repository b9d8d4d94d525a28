//! Single settings by their keys, such as `approval.mode`: changed in `config.toml`, and shown as the file would say them.

use std::path::Path;

use serde_json::{Map, Value};
use tempfile::NamedTempFile;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};
use toolc::redaction::without_secrets;
use toolc_tables::{HasKeys as _, Key, KeyType, MAX_BYTES};

use crate::bounded;
use crate::edit::{Edited, edit_with, implicit_table, new_file, put, write_schema};
use crate::error::ConfigError;
use crate::file::{ConfigFile, FindNames};
use crate::home::Home;
use crate::keys::ConfigTable;

/// Sets keys, such as `approval.mode`. A value is written as the type of its key says: a text needs no quotes, and the texts of a list are
/// separated by commas. The file is written if everything in it is valid then, with the names that `names` finds, or not at all; its comments stay.
///
/// # Errors
/// If a key cannot be set, or the file cannot be read, has mistakes after the change, or cannot be written.
pub fn set_values(home: &Home, settings: &[(&str, &str)], names: FindNames<'_>) -> Result<Edited, ConfigError> {
    let paths: Vec<_> = settings.iter().map(|(key, text)| Ok((path_of(key)?, *text))).collect::<Result<_, _>>()?;
    let mut missing = Vec::new();
    let edited = edit_with(home, Some(names), |document| {
        let set =
            |(path, text): &(Vec<String>, &str)| insert(document.as_table_mut(), path, value(type_at(path), text));
        paths.iter().try_for_each(set)?;
        for (path, _) in &paths {
            missing.extend(missing_beside(document.as_table(), path));
        }
        Ok(())
    });
    missing.sort_unstable();
    missing.dedup();
    match edited {
        Err(error) if !missing.is_empty() => {
            let given: Vec<&str> = settings.iter().flat_map(|(key, text)| [*key, *text]).collect();
            let mut words: Vec<String> = given.into_iter().map(quoted).collect();
            words.extend(missing.iter().flat_map(|key| [quoted(key), "VALUE".to_owned()]));
            let command = without_secrets(&format!("toolc config set {}", words.join(" ")), &[]);
            Err(error.with_help(&format!("set all keys that the table needs at once: `{command}`")))
        }
        edited => edited,
    }
}

/// Returns a word of a shell command.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:@%+,".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns the required keys that the table with the key at a path lacks.
fn missing_beside(document: &Table, path: &[String]) -> Vec<String> {
    let Some((_, above)) = path.split_last() else { return Vec::new() };
    let outer = above.split_last().and_then(|(_, above)| type_at(above));
    let ((Some(KeyType::Table(keys)), _) | (_, Some(KeyType::Tables(keys)))) = (type_at(above), outer) else {
        return Vec::new();
    };
    let mut table: &dyn TableLike = document;
    for name in above {
        let Some(inner) = table.get(name).and_then(Item::as_table_like) else { return Vec::new() };
        table = inner;
    }
    let lacks = keys.iter().filter(|key| key.required && !table.contains_key(key.name));
    lacks.map(|key| [above.join("."), key.name.to_owned()].join(".")).collect()
}

/// Removes keys or whole tables, so that their defaults count.
///
/// # Errors
/// Like [`set_values`], or if the file does not have a key.
pub fn unset_values(home: &Home, keys: &[&str], names: FindNames<'_>) -> Result<Edited, ConfigError> {
    let paths: Vec<_> = keys.iter().map(|key| path_of(key)).collect::<Result<_, _>>()?;
    edit_with(home, Some(names), |document| paths.iter().try_for_each(|path| remove(document.as_table_mut(), path)))
}

/// Returns the value of a key, as the file says it: from the values of [`ConfigFile::to_json`]. `None` stands for a key without a value.
///
/// # Errors
/// If no key has this name.
pub fn value_of(values: &Map<String, Value>, key: &str) -> Result<Option<Value>, ConfigError> {
    let path = path_of(key)?;
    let (last, above) = path.split_last().ok_or_else(|| unknown(key))?;
    let mut table = values;
    for name in above {
        table = table.get(name).and_then(Value::as_object).ok_or_else(|| unknown(key))?;
    }
    if let Some(milliseconds) = table.get(&format!("{last}_ms")) {
        return Ok(milliseconds.as_u64().map(duration).map(Value::String));
    }
    let is_known = type_at(&path).is_some() || table.contains_key(last);
    let value = is_known.then(|| table.get(last).cloned().unwrap_or_default()).ok_or_else(|| unknown(key))?;
    Ok(Some(value).filter(|value| !value.is_null()))
}

/// Returns values of [`ConfigFile::to_json`] as a text that `config.toml` accepts.
pub fn to_toml(values: &Map<String, Value>) -> String {
    let mut document = DocumentMut::new();
    fill(document.as_table_mut(), ConfigTable::KEYS, values);
    document.to_string()
}

/// A copy of `config.toml` that a person edits. The file is replaced only by a copy without mistakes.
#[derive(Debug)]
pub struct Draft {
    home: Home,
    file: NamedTempFile,
    before: String,
}

impl Draft {
    /// Makes a copy in the home folder, which only this user can read.
    ///
    /// # Errors
    /// If the file cannot be read, or the copy cannot be written.
    pub fn new(home: &Home) -> Result<Self, ConfigError> {
        let failed = |error| ConfigError::io("failed to copy", &home.config(), error);
        let before = bounded::read(&home.config(), MAX_BYTES).map_err(failed)?.unwrap_or_else(new_file);
        home.create(home.path()).map_err(failed)?;
        let copy = tempfile::Builder::new().prefix(".config-").suffix(".toml").tempfile_in(home.path());
        let file = copy.and_then(|file| std::fs::write(file.path(), &before).map(|()| file)).map_err(failed)?;
        Ok(Self { home: home.clone(), file, before })
    }

    /// Returns the path of the copy.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Checks the copy, with the names that `names` finds, and replaces the file by it.
    ///
    /// # Errors
    /// If the copy has mistakes, or a file cannot be read or written.
    pub fn save(&self, names: FindNames<'_>) -> Result<Edited, ConfigError> {
        let failed = |error| ConfigError::io("failed to change", &self.home.config(), error);
        let text = bounded::read(self.path(), MAX_BYTES).map_err(failed)?.unwrap_or_default();
        if text == self.before {
            return Ok(Edited::Unchanged);
        }
        ConfigFile::check_text(&self.home, &text, Some(names))?;
        bounded::write(&self.home.config(), &text).map_err(failed)?;
        write_schema(&self.home, &text)?;
        Ok(Edited::Changed)
    }
}

/// Returns the parts of a dotted key. A part with other signs is quoted, as in the file.
fn path_of(key: &str) -> Result<Vec<String>, ConfigError> {
    let parts = toml_edit::Key::parse(key).map_err(|error| {
        let message =
            format!("`{}` is not a key of the configuration: write it as `approval.mode`", key.escape_debug());
        ConfigError::mistake(message).with_source(error)
    })?;
    Ok(parts.iter().map(|part| part.get().to_owned()).collect())
}

fn unknown(key: &str) -> ConfigError {
    ConfigError::mistake(format!(
        "the configuration has no key `{key}`: `toolc config show` lists the keys with values"
    ))
}

/// Returns the type of the key at a path. `None` if it is unknown, or an entry of a table without declared keys.
fn type_at(path: &[String]) -> Option<KeyType> {
    let (first, mut rest) = path.split_first()?;
    let mut found = ConfigTable::KEYS.iter().find(|key| key.name == first)?.key_type;
    while !rest.is_empty() {
        let keys = match found {
            KeyType::Table(keys) => keys,
            KeyType::Tables(keys) => {
                rest = &rest[1..];
                keys
            }
            _ => return None,
        };
        let (name, below) = rest.split_first()?;
        found = keys.iter().find(|key| key.name == name)?.key_type;
        rest = below;
    }
    Some(found)
}

/// Returns the value that a text means for a key.
fn value(key_type: Option<KeyType>, text: &str) -> toml_edit::Value {
    let written = text.trim().parse::<toml_edit::Value>().ok();
    match key_type {
        Some(KeyType::Text | KeyType::Word(_) | KeyType::Duration) => {
            written.filter(toml_edit::Value::is_str).unwrap_or_else(|| text.into())
        }
        Some(KeyType::Texts | KeyType::Names | KeyType::Words(_)) => {
            let texts = || text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect::<Array>();
            written.filter(toml_edit::Value::is_array).unwrap_or_else(|| texts().into())
        }
        _ => written.unwrap_or_else(|| text.into()),
    }
}

/// Sets the value at a path. The comment after an earlier value stays.
fn insert(table: &mut dyn TableLike, path: &[String], new: toml_edit::Value) -> Result<(), ConfigError> {
    let Some((first, below)) = path.split_first() else { return Ok(()) };
    if below.is_empty() {
        put(table, first, new);
        return Ok(());
    }
    let inner = table.entry(first).or_insert_with(implicit_table).as_table_like_mut();
    insert(inner.ok_or_else(|| ConfigError::mistake(format!("`{first}` is not a table")))?, below, new)
}

/// Removes the entry at a path, and tables that are empty then.
fn remove(table: &mut dyn TableLike, path: &[String]) -> Result<(), ConfigError> {
    let missing = || ConfigError::mistake(format!("the file does not have the key `{}`", path.join(".")));
    let Some((first, below)) = path.split_first() else { return Ok(()) };
    if below.is_empty() {
        return table.remove(first).map(drop).ok_or_else(missing);
    }
    let inner = table.get_mut(first).and_then(Item::as_table_like_mut).ok_or_else(missing)?;
    remove(inner, below).map_err(|_| missing())?;
    if inner.is_empty() {
        table.remove(first);
    }
    Ok(())
}

/// Adds values to a table, in the order of its keys.
fn fill(table: &mut Table, keys: &[Key], values: &Map<String, Value>) {
    for key in keys {
        let found = values.get(key.name);
        match key.key_type {
            KeyType::Duration => {
                if let Some(milliseconds) = values.get(&format!("{}_ms", key.name)).and_then(Value::as_u64) {
                    table.insert(key.name, toml_edit::value(duration(milliseconds)));
                }
            }
            KeyType::Table(keys) => {
                let inner = found.and_then(Value::as_object).map(|values| filled(keys, values, true));
                if let Some(inner) = inner.filter(|inner| !inner.is_empty()) {
                    table.insert(key.name, Item::Table(inner));
                }
            }
            KeyType::Tables(keys) => {
                let mut named = Table::new();
                named.set_implicit(true);
                for (name, values) in found.and_then(Value::as_object).into_iter().flatten() {
                    let values = values.as_object().map(|values| filled(keys, values, false));
                    named.insert(name, Item::Table(values.unwrap_or_default()));
                }
                if !named.is_empty() {
                    table.insert(key.name, Item::Table(named));
                }
            }
            // An empty list is not accepted there.
            KeyType::Names | KeyType::Words(_) if found.and_then(Value::as_array).is_some_and(Vec::is_empty) => {}
            _ => {
                if let Some(value) = found.and_then(toml_value) {
                    table.insert(key.name, toml_edit::value(value));
                }
            }
        }
    }
}

fn filled(keys: &[Key], values: &Map<String, Value>, is_implicit: bool) -> Table {
    let mut table = Table::new();
    table.set_implicit(is_implicit);
    fill(&mut table, keys, values);
    table
}

/// Returns a JSON value as TOML, or `None` for null, and for an object without entries.
fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => (*flag).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64()?.into(),
        },
        Value::Array(items) => items.iter().filter_map(toml_value).collect::<Array>().into(),
        Value::Object(entries) if entries.is_empty() => return None,
        Value::Object(entries) => {
            let entries = entries.iter().filter_map(|(name, value)| Some((name, toml_value(value)?)));
            entries.collect::<InlineTable>().into()
        }
    })
}

/// Returns a duration in its largest whole unit.
fn duration(milliseconds: u64) -> String {
    let units = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let (size, unit) =
        units.into_iter().find(|(size, _)| milliseconds > 0 && milliseconds.is_multiple_of(*size)).unwrap_or((1, "ms"));
    format!("{}{unit}", milliseconds / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(text: &str) -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        bounded::write(&home.config(), text).expect("failed to write");
        (folder, home)
    }

    fn text(home: &Home) -> String {
        std::fs::read_to_string(home.config()).expect("it exists")
    }

    #[test]
    fn values_have_the_type_of_their_key_and_comments_stay() {
        let (_folder, home) = home("# top\n[approval]\nmode = 'ask' # why\n");
        let settings = [
            ("approval.mode", "deny"),
            ("approval.timeout", "90s"),
            ("agent.max_iterations", "5"),
            ("tools.enable", "cli, todo"),
            ("facts.name", "ada"),
            ("models.fast.api", "chat"),
            ("models.fast.model", "5"),
        ];
        assert_eq!(set_values(&home, &settings, &|_| None), Ok(Edited::Changed));
        let expected = "# top\n[approval]\nmode = \"deny\" # why\ntimeout = \"90s\"\n\n[agent]\nmax_iterations = 5\n\n\
                        [tools]\nenable = [\"cli\", \"todo\"]\n\n[facts]\nname = \"ada\"\n\n[models.fast]\napi = \"chat\"\nmodel = \"5\"\n";
        assert_eq!(text(&home), expected);
        assert_eq!(set_values(&home, &settings, &|_| None), Ok(Edited::Unchanged));
        assert_eq!(
            unset_values(&home, &["facts.name", "models.fast", "approval.timeout"], &|_| None),
            Ok(Edited::Changed)
        );
        assert!(!text(&home).contains("facts") && !text(&home).contains("models"), "{}", text(&home));
        let missing = unset_values(&home, &["facts.name"], &|_| None).expect_err("it is gone");
        assert!(missing.to_string().contains("the file does not have the key `facts.name`"), "{missing}");
    }

    #[test]
    fn a_wrong_value_or_key_changes_nothing() {
        let before = "[approval]\nmode = 'ask'\n";
        let (_folder, home) = home(before);
        for (key, value, message) in [
            ("approval.mode", "sometimes", "`mode` cannot be `sometimes`"),
            ("agent.max_iterations", "0", "invalid value"),
            ("agent.max_iteration", "5", "`max_iterations`"),
            ("approval", "ask", "`approval`"),
            ("approval.mode.x", "1", "`mode` is not a table"),
            ("a b", "1", "is not a key of the configuration"),
        ] {
            let error = set_values(&home, &[(key, value)], &|_| None).expect_err("it is wrong").to_string();
            assert!(error.contains(message), "{key} = {value}: {error}");
            assert_eq!(text(&home), before);
        }
    }

    #[test]
    fn a_key_whose_table_needs_others_is_refused_with_the_command_that_sets_all() {
        let model = "[models.main]\napi = 'chat'\nmodel = 'm'\n";
        let (_folder, home) = home(model);
        let set = |settings: &[(&str, &str)]| set_values(&home, settings, &|_| None).map_err(|error| error.to_string());
        let error = set(&[("models.main.prices.input", "3")]).expect_err("`output` is missing");
        let command = "`toolc config set models.main.prices.input 3 models.main.prices.output VALUE`";
        assert!(error.contains("missing key `output`") && error.ends_with(command), "{error}");
        assert_eq!(text(&home), model);
        let error = set(&[("models.fast.model", "a b")]).expect_err("`api` is missing");
        assert!(error.ends_with("`toolc config set models.fast.model 'a b' models.fast.api VALUE`"), "{error}");
        let error = set(&[("agent.max_iterations", "0")]).expect_err("it is out of range");
        assert!(!error.contains("toolc config set"), "{error}");
        set(&[("models.main.prices.input", "3"), ("models.main.prices.output", "15")]).expect("both are set");
    }

    #[test]
    fn names_are_checked_before_a_change_is_written_and_all_mistakes_are_reported() {
        let (_folder, home) = home("[tools]\nenable = ['cli']\n");
        let names = |_: &crate::Config| {
            Some(crate::KnownNames { toolsets: vec!["cli".to_owned()], ..crate::KnownNames::default() })
        };
        let settings = [("tools.enable", "clii"), ("tools.disable_tools", "todo"), ("approval.mode", "maybe")];
        let error = set_values(&home, &settings, &names).expect_err("it is wrong").to_string();
        for text in ["3 mistakes", "unknown toolset `clii`", "unknown tool `todo`", "cannot be `maybe`"] {
            assert!(error.contains(text), "{text}: {error}");
        }
        assert_eq!(text(&home), "[tools]\nenable = ['cli']\n");
        // A change can remove the only mistake.
        bounded::write(&home.config(), "[agent]\nmax_iteration = 5\n").expect("failed to write");
        assert_eq!(unset_values(&home, &["agent.max_iteration"], &names), Ok(Edited::Changed));
        assert_eq!(text(&home), "");
    }

    #[test]
    fn what_is_shown_is_accepted_and_means_the_same() {
        let file = "version = 1\nfacts = { a = 1, b = 'x' }\n[models.main]\napi = 'chat'\nmodel = 'm'\ntimeout = '1500ms'\n\
                    [models.main.prices]\ninput = 1\noutput = 2.5\n[mcp.servers.s]\ncommand = 'c'\nenv = ['A']\n\
                    [mcp.servers.s.variables.A]\n[mcp.servers.s.tools.t]\n[mcp.endpoints.e]\n[protect.readers.r]\nreads = ['~/x']\n";
        for text in [file, ""] {
            let (_folder, home) = home(text);
            let before = ConfigFile::read(&home).expect("it is valid");
            let shown = to_toml(&before.to_json());
            bounded::write(&home.config(), &shown).expect("failed to write");
            let after = ConfigFile::read(&home).unwrap_or_else(|error| panic!("{error}\n{shown}"));
            assert_eq!(to_toml(&after.to_json()), shown);
            assert_eq!((&before.config().mcp, &before.config().agent), (&after.config().mcp, &after.config().agent));
        }
    }

    #[test]
    fn a_value_is_found_by_its_key() {
        let (_folder, home) = home("[approval]\ntimeout = '90s'\n");
        let values = ConfigFile::read(&home).expect("it is valid").to_json();
        let found = |key: &str| value_of(&values, key).map(|value| value.unwrap_or_default().to_string());
        assert_eq!(found("approval.timeout").as_deref(), Ok("\"90s\""));
        assert_eq!(found("agent.max_iterations").as_deref(), Ok("90"));
        assert_eq!(found("approval.mode").as_deref(), Ok("null"));
        assert!(found("approval.mood").is_err() && found("mood").is_err() && found("models.main.api").is_err());
    }

    #[test]
    fn a_draft_replaces_the_file_only_without_mistakes() {
        let (_folder, home) = home("# mine\n");
        let draft = Draft::new(&home).expect("it can be copied");
        assert_eq!(draft.save(&|_| None), Ok(Edited::Unchanged));
        std::fs::write(draft.path(), "[approval]\nmode = 'maybe'\n").expect("failed to write");
        assert!(draft.save(&|_| None).is_err_and(|error| error.to_string().contains("`maybe`")));
        assert_eq!(text(&home), "# mine\n");
        std::fs::write(draft.path(), "[approval]\nmode = 'deny'\n").expect("failed to write");
        assert_eq!(draft.save(&|_| None), Ok(Edited::Changed));
        assert_eq!(text(&home), "[approval]\nmode = 'deny'\n");
    }
}
