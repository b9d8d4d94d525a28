//! Changes to `config.toml` by commands. Comments, order and form of everything else stay as they are.

use std::error::Error;
use std::io;

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};
use toolc_model::{Model, ModelDialect};
use toolc_tables::MAX_BYTES;

use crate::bounded;
use crate::docs::schema;
use crate::error::ConfigError;
use crate::file::{ConfigFile, FindNames};
use crate::home::Home;
use crate::migrate::CURRENT;

/// The line with which editors find the schema, next to the file.
const SCHEMA_LINE: &str = "#:schema config.schema.json";

/// A list in `[tools]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// `enable`: toolsets.
    Enable,
    /// `disable`: toolsets.
    Disable,
    /// `enable_tools`.
    EnableTools,
    /// `disable_tools`.
    DisableTools,
}

impl List {
    fn key(self) -> &'static str {
        match self {
            Self::Enable => "enable",
            Self::Disable => "disable",
            Self::EnableTools => "enable_tools",
            Self::DisableTools => "disable_tools",
        }
    }
}

/// What a change has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    /// The file has been written.
    Changed,
    /// The file was already so.
    Unchanged,
}

/// Adds names to lists, and removes names from lists. The file is written if everything is valid, or not at all.
///
/// # Errors
/// If the file cannot be read, has mistakes, before or after the change, or cannot be written.
pub fn edit_list(home: &Home, add: &[(List, &str)], remove: &[(List, &str)]) -> Result<Edited, ConfigError> {
    edit(home, |document| edit_tools(document, add, remove))
}

/// Changes the file of the user's permissions. `change` returns the new text for the old one, which is empty if there is no file, or an
/// error about mistakes. The file is written whole, or not at all.
///
/// # Errors
/// If the file cannot be read or written, or `change` returns an error, which is the source then.
pub fn edit_permissions<E: Error + Send + Sync + 'static>(
    home: &Home,
    change: impl FnOnce(&str) -> Result<String, E>,
) -> Result<(), ConfigError> {
    let path = home.permissions();
    let failed = |error: io::Error| ConfigError::io("failed to change", &path, error);
    let old = bounded::read(&path, MAX_BYTES).map_err(failed)?.unwrap_or_default();
    let attempt = format!("failed to change {}", path.display());
    let new =
        change(&old).map_err(|error| ConfigError::mistake(error.to_string()).within(&attempt).with_source(error))?;
    home.create(home.path()).and_then(|()| bounded::write(&path, &new)).map_err(failed)
}

/// Writes `[models.NAME]`, where the name is the [alias](Model::alias) of the model. Keys about the server and the model that have no value
/// here are removed, because they belong to the model before. Comments, time limits and retries stay.
///
/// # Errors
/// Like [`edit_list`].
pub fn set_model(home: &Home, model: &Model) -> Result<Edited, ConfigError> {
    edit(home, |document| {
        let models = document.entry("models").or_insert_with(implicit_table);
        let models = models.as_table_like_mut().ok_or_else(|| ConfigError::mistake("`models` is not a table"))?;
        let table = models.entry(&model.alias).or_insert(Item::Table(Table::new())).as_table_like_mut();
        let table = table.ok_or_else(|| ConfigError::mistake(format!("`models.{}` is not a table", model.alias)))?;
        let tokens = |tokens: Option<u32>| tokens.map(|tokens| Value::from(i64::from(tokens)));
        let text = |text: Option<&str>| text.map(Value::from);
        let values = [
            ("api", text(Some(model.api.word()))),
            ("model", text(Some(model.name()))),
            ("base_url", text(model.base_url.as_deref())),
            ("key_variable", text(model.key_variable.as_deref())),
            ("dialect", text(model.dialect.map(ModelDialect::word))),
            ("context_tokens", tokens(model.context_tokens)),
            ("max_output_tokens", tokens(model.max_output_tokens)),
        ];
        for (key, value) in values {
            match value {
                Some(value) => put(table, key, value),
                None => drop(table.remove(key)),
            }
        }
        // They are those of the model before.
        table.remove("prices");
        Ok(())
    })
}

/// Sets a value. The comment after an earlier value stays, and so does the spelling of an equal string.
pub(crate) fn put(table: &mut dyn TableLike, key: &str, mut new: Value) {
    if let Some(old) = table.get(key).and_then(Item::as_value) {
        if old.as_str().is_some() && old.as_str() == new.as_str() {
            return;
        }
        new.decor_mut().clone_from(old.decor());
    }
    table.insert(key, Item::Value(new));
}

/// Returns a table whose header is not written.
pub(crate) fn implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

/// Changes `config.toml`, unless the result has mistakes. So a change can also remove the mistakes of a file.
pub(crate) fn edit(
    home: &Home,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), ConfigError>,
) -> Result<Edited, ConfigError> {
    edit_with(home, None, change)
}

/// Like [`edit`]. The names in the result are checked as well, if `names` finds the known ones.
pub(crate) fn edit_with(
    home: &Home,
    names: Option<FindNames<'_>>,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), ConfigError>,
) -> Result<Edited, ConfigError> {
    let path = home.config();
    let attempt = format!("failed to change {}", path.display());
    let failed = |error: io::Error| ConfigError::io("failed to change", &path, error);
    let old = ConfigFile::read_text(home)?;
    let start = old.clone().unwrap_or_else(new_file);
    let mut document: DocumentMut = match start.parse() {
        Ok(document) => document,
        // The reader explains mistakes of the syntax with their places.
        Err(error) => {
            ConfigFile::check_text(home, &start, None)?;
            return Err(syntax_error(&error, &attempt));
        }
    };
    change(&mut document).map_err(|error| error.within(&attempt))?;
    let text = document.to_string();
    if text == start {
        return Ok(Edited::Unchanged);
    }
    ConfigFile::check_text(home, &text, names)?;
    home.create(home.path()).and_then(|()| bounded::write(&path, &text)).map_err(failed)?;
    write_schema(home, &text)?;
    Ok(Edited::Changed)
}

fn syntax_error(error: &toml_edit::TomlError, attempt: &str) -> ConfigError {
    ConfigError::mistake(error.message().to_owned()).within(attempt).with_source(error.clone())
}

/// Returns how a new file begins: with the schema for editors, and the version.
pub(crate) fn new_file() -> String {
    format!("{SCHEMA_LINE}\nversion = {CURRENT}\n")
}

/// Writes the schema next to the file, if the file names it. The schema of an older program is replaced.
pub(crate) fn write_schema(home: &Home, text: &str) -> Result<(), ConfigError> {
    if !text.lines().any(|line| line.trim() == SCHEMA_LINE) {
        return Ok(());
    }
    let (path, schema) = (home.config_schema(), format!("{:#}\n", schema()));
    let is_current = bounded::read(&path, MAX_BYTES).is_ok_and(|found| found.as_deref() == Some(&schema));
    if is_current {
        return Ok(());
    }
    bounded::write(&path, &schema).map_err(|error| ConfigError::io("failed to write the schema", &path, error))
}

fn edit_tools(document: &mut DocumentMut, add: &[(List, &str)], remove: &[(List, &str)]) -> Result<(), ConfigError> {
    let table = document.entry("tools").or_insert(Item::Table(Table::new()));
    let table = table.as_table_like_mut().ok_or_else(|| ConfigError::mistake("`tools` is not a table"))?;
    for (list, name) in remove {
        let key = list.key();
        let Some(array) = table.get_mut(key).and_then(Item::as_array_mut) else { continue };
        array.retain(|value| value.as_str() != Some(name));
        // An empty list of toolsets to enable would be a mistake.
        if array.is_empty() {
            table.remove(key);
        }
    }
    for (list, name) in add {
        let array = table.entry(list.key()).or_insert(toml_edit::value(Array::new()));
        let array =
            array.as_array_mut().ok_or_else(|| ConfigError::mistake(format!("`{}` is not an array", list.key())))?;
        if !array.iter().any(|value| value.as_str() == Some(name)) {
            array.push(*name);
        }
    }
    if table.is_empty() {
        document.remove("tools");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use toolc_model::Api;

    use super::*;

    fn edited(before: &str, add: &[(List, &str)], remove: &[(List, &str)]) -> Result<String, ConfigError> {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        bounded::write(&home.config(), before).expect("failed to write");
        let result = edit_list(&home, add, remove);
        let after = std::fs::read_to_string(home.config()).expect("it exists");
        match result {
            Ok(Edited::Unchanged) => assert_eq!(after, before),
            Ok(Edited::Changed) => assert_ne!(after, before),
            Err(error) => {
                assert_eq!(after, before);
                return Err(error);
            }
        }
        Ok(after)
    }

    #[test]
    fn comments_and_order_stay() {
        let before =
            "# top\n[approval] # why\nmode = 'ask' # quotes\n\n[tools]\n# toolsets\nenable = [\"cli\"] # all\n";
        let after = edited(before, &[(List::Disable, "terminal")], &[]).expect("it is valid");
        assert_eq!(after, format!("{before}disable = [\"terminal\"]\n"));
        assert_eq!(edited(&after, &[], &[(List::Disable, "terminal")]).as_deref(), Ok(before));
        assert_eq!(edited(&after, &[(List::Disable, "terminal")], &[]), Ok(after));
    }

    #[test]
    fn a_model_replaces_the_one_before_and_comments_and_limits_stay() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let model = |api, name: &str| Model { alias: "main".to_owned(), ..Model::new(api, name) };
        let local = Model {
            base_url: Some("http://127.0.0.1:1/v1".to_owned()),
            key_variable: Some(String::new()),
            dialect: Some(ModelDialect::Portable),
            context_tokens: Some(8_000),
            ..model(Api::ChatCompletions, "m")
        };
        assert_eq!(set_model(&home, &local), Ok(Edited::Changed));
        let read = || std::fs::read_to_string(home.config()).expect("it exists");
        let table = "[models.main]\napi = \"chat\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:1/v1\"\nkey_variable = \"\"\n\
                     dialect = \"portable\"\ncontext_tokens = 8000\n";
        assert_eq!(read(), format!("{SCHEMA_LINE}\nversion = 1\n\n{table}"));
        assert_eq!(set_model(&home, &local), Ok(Edited::Unchanged));
        let more = "timeout = '9s' # patience\nmax_output_tokens = 5\n[models.main.prices]\ninput = 1\noutput = 1\n[models.fast]\napi = 'chat'\nmodel = 'f'\n";
        let commented = read().replace("model = \"m\"", "model = 'm' # mine") + more;
        bounded::write(&home.config(), &commented).expect("failed to write");
        assert_eq!(set_model(&home, &model(Api::Anthropic, "n")), Ok(Edited::Changed));
        let expected = "[models.main]\napi = \"anthropic\"\nmodel = \"n\" # mine\ntimeout = '9s' # patience\n\
                        [models.fast]\napi = 'chat'\nmodel = 'f'\n";
        assert!(read().ends_with(expected), "{}", read());
    }

    #[test]
    fn a_new_file_names_its_schema_which_is_next_to_it_and_current() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        edit_list(&home, &[(List::EnableTools, "todo")], &[]).expect("it is valid");
        let found = || std::fs::read_to_string(folder.path().join("config.schema.json")).expect("it exists");
        assert_eq!(found(), format!("{:#}\n", schema()));
        std::fs::write(home.config_schema(), "{}").expect("failed to write");
        edit_list(&home, &[(List::EnableTools, "memory")], &[]).expect("it is valid");
        assert_eq!(found(), format!("{:#}\n", schema()));
        // A file that does not name the schema gets none.
        let other = Home::at(folder.path().join("other"));
        std::fs::create_dir(other.path()).expect("failed to make a folder");
        bounded::write(&other.config(), "# mine\n").expect("failed to write");
        edit_list(&other, &[(List::EnableTools, "todo")], &[]).expect("it is valid");
        assert!(!other.config_schema().exists());
    }

    #[test]
    fn a_change_can_remove_the_mistakes_of_a_file() {
        let before = "[tools]\nenable = ['cli']\ndisable = ['cli']\n";
        let after = edited(before, &[], &[(List::Disable, "cli")]);
        assert_eq!(after.as_deref(), Ok("[tools]\nenable = ['cli']\n"));
    }

    #[test]
    fn tables_are_added_and_removed_with_their_last_name() {
        let after = edited("", &[(List::EnableTools, "todo")], &[]).expect("it is valid");
        assert_eq!(after, "[tools]\nenable_tools = [\"todo\"]\n");
        assert_eq!(edited(&after, &[], &[(List::EnableTools, "todo")]).as_deref(), Ok(""));
        assert_eq!(edited("", &[], &[(List::Enable, "x")]).as_deref(), Ok(""));
    }

    #[test]
    fn a_file_with_mistakes_is_not_changed() {
        for broken in ["tool = 1\n", "[tools\n", "[tools]\nenable = 5\n"] {
            assert!(edited(broken, &[(List::Enable, "cli")], &[]).is_err(), "{broken}");
        }
        let conflict = edited("[tools]\nenable = ['cli']\n", &[(List::Disable, "cli")], &[]);
        assert!(conflict.is_err_and(|error| error.to_string().contains("both enabled and disabled")));
    }
}
