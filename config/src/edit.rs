//! Changes to `config.toml` by commands. Comments, order and form of everything else stay as they are.

use std::error::Error;
use std::io;

use toml_edit::{Array, DocumentMut, Item, Table};
use toolc_model::Api;
use toolc_tables::MAX_BYTES;

use crate::bounded;
use crate::error::ConfigError;
use crate::file::ConfigFile;
use crate::home::Home;

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

/// Sets the main model.
///
/// # Errors
/// Like [`edit_list`].
pub fn set_model(home: &Home, api: Api, model: &str) -> Result<Edited, ConfigError> {
    edit(home, |document| {
        let models = document.entry("models").or_insert_with(implicit_table);
        let models = models.as_table_like_mut().ok_or_else(|| ConfigError::mistake("`models` is not a table"))?;
        let main = models.entry("main").or_insert(Item::Table(Table::new()));
        let main = main.as_table_like_mut().ok_or_else(|| ConfigError::mistake("`models.main` is not a table"))?;
        main.insert("api", toml_edit::value(api.word()));
        main.insert("model", toml_edit::value(model));
        Ok(())
    })
}

/// Returns a table whose header is not written.
pub(crate) fn implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

pub(crate) fn edit(
    home: &Home,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), ConfigError>,
) -> Result<Edited, ConfigError> {
    // A file with mistakes is not changed.
    ConfigFile::read(home)?;
    let path = home.config();
    let attempt = format!("failed to change {}", path.display());
    let failed = |error: io::Error| ConfigError::io("failed to change", &path, error);
    let old = bounded::read(&path, MAX_BYTES).map_err(failed)?.unwrap_or_default();
    let mut document: DocumentMut = old.parse().map_err(|error: toml_edit::TomlError| {
        ConfigError::mistake(error.message().to_owned()).within(&attempt).with_source(error)
    })?;
    change(&mut document).map_err(|error| error.within(&attempt))?;
    let text = document.to_string();
    if text == old {
        return Ok(Edited::Unchanged);
    }
    ConfigFile::check_text(home, &text)?;
    home.create(home.path()).and_then(|()| bounded::write(&path, &text)).map_err(failed)?;
    Ok(Edited::Changed)
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
    fn the_model_is_set_and_everything_else_stays() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        assert_eq!(set_model(&home, Api::ChatCompletions, "m"), Ok(Edited::Changed));
        let read = || std::fs::read_to_string(home.config()).expect("it exists");
        assert_eq!(read(), "[models.main]\napi = \"chat\"\nmodel = \"m\"\n");
        bounded::write(&home.config(), &(read() + "base_url = 'http://x' # own\n")).expect("failed to write");
        assert_eq!(set_model(&home, Api::Anthropic, "n"), Ok(Edited::Changed));
        assert!(
            read().contains("base_url = 'http://x' # own\n") && read().contains("api = \"anthropic\""),
            "{}",
            read()
        );
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
