//! Removes secrets from what goes into a bundle.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};
use toolc::approval::is_secret;
use toolc::redaction::{Redactor, without_secrets};
use toolc_config::EnvFile;

/// What stands for a value that may be secret.
const HIDDEN: &str = "[secret]";
/// The minimum length of the path of a home folder that is replaced.
const MIN_HOME: usize = 4;

/// Removes secrets, and the path of the user's home folder, from texts.
pub(super) struct Cleaner {
    redactor: Redactor,
    /// The values of `.env`, and those of the process that may be secret, which are replaced wherever they occur.
    values: Vec<String>,
    home: Option<String>,
}

impl Cleaner {
    /// Returns what removes the values of `.env` and the secret variables of this process.
    pub(super) fn new(env: &EnvFile) -> Self {
        let file = env.names().filter_map(|name| Some((name.to_owned(), env.get(name)?.to_owned())));
        let process =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let process: Vec<(String, String)> = process.collect();
        let secret = process.iter().filter(|(name, value)| is_secret(name, value)).cloned();
        let home = std::env::home_dir().map(|home| home.display().to_string());
        Self::from_variables(file.chain(secret).collect(), process.iter().map(|(_, value)| value.clone()), home)
    }

    fn from_variables(
        variables: Vec<(String, String)>,
        texts: impl Iterator<Item = String>,
        home: Option<String>,
    ) -> Self {
        let values: Vec<String> = variables.iter().map(|(_, value)| value.clone()).collect();
        let redactor = Redactor::new(values.iter().cloned(), texts).with_variables(variables);
        Self { redactor, values, home: home.filter(|home| home.len() >= MIN_HOME) }
    }

    /// Returns the text without secrets.
    pub(super) fn text(&self, text: &str) -> String {
        let text = without_secrets(&self.redactor.kept_text(text), &self.values);
        match &self.home {
            Some(home) => text.replace(home.as_str(), "~"),
            None => text,
        }
    }

    /// Returns the keys and values of a TOML file without secrets and without comments, which can hold anything. Returns `None` if the
    /// syntax has mistakes: then, any of its words may be a value.
    pub(super) fn toml(&self, text: &str) -> Option<String> {
        let document: DocumentMut = text.parse().ok()?;
        let mut clean = DocumentMut::new();
        *clean.as_table_mut() = self.table(document.as_table());
        // A value in an unusual place, such as a key, is found in the whole text.
        Some(self.text(&clean.to_string()))
    }

    fn table(&self, table: &dyn TableLike) -> Table {
        let mut clean = Table::new();
        for (key, item) in table.iter() {
            let item = match item {
                Item::Value(value) => Item::Value(self.value(key, value)),
                Item::Table(inner) => Item::Table(self.table(inner)),
                Item::ArrayOfTables(tables) => {
                    Item::ArrayOfTables(tables.iter().map(|inner| self.table(inner)).collect::<ArrayOfTables>())
                }
                Item::None => continue,
            };
            clean.insert(key, item);
        }
        clean
    }

    fn value(&self, key: &str, value: &Value) -> Value {
        match value {
            Value::String(text) => self.string(key, text.value()).into(),
            Value::Array(items) => {
                let mut option = String::new();
                let clean = |item: &Value| {
                    let before = std::mem::take(&mut option);
                    let Some(text) = item.as_str() else { return self.value(key, item) };
                    text.clone_into(&mut option);
                    // `--token`, and its value in the next item.
                    let follows = before.starts_with('-')
                        && !before.contains('=')
                        && is_secret(before.trim_start_matches('-'), text);
                    if follows { HIDDEN.into() } else { self.string(key, text).into() }
                };
                items.iter().map(clean).collect::<Array>().into()
            }
            Value::InlineTable(table) => {
                table.iter().map(|(key, value)| (key, self.value(key, value))).collect::<InlineTable>().into()
            }
            Value::Integer(number) => (*number.value()).into(),
            Value::Float(number) => (*number.value()).into(),
            Value::Boolean(flag) => (*flag.value()).into(),
            Value::Datetime(time) => (*time.value()).into(),
        }
    }

    fn string(&self, key: &str, text: &str) -> String {
        // The names of variables and the forms of addresses are not secret.
        let is_name = key.ends_with("variable") || key.ends_with("variables") || key == "env";
        if !is_name && is_secret(key, text) && !text.contains("://") { HIDDEN.to_owned() } else { self.text(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaner() -> Cleaner {
        let variables = [("A", "hunter2hunter2"), ("B", "abc"), ("PIN", "test"), ("OLLAMA_KEY", "ollama")];
        Cleaner::from_variables(
            variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            std::iter::empty(),
            Some("/home/ada".to_owned()),
        )
    }

    #[test]
    fn known_values_formats_of_keys_and_the_home_folder_are_removed_from_texts() {
        let cleaner = cleaner();
        for (text, clean) in [
            ("the key is hunter2hunter2, abc", "the key is [secret], abc"),
            ("aHVudGVyMmh1bnRlcjI=", "[secret]I="),
            ("/home/ada/notes", "~/notes"),
            ("https://user:passw0rd@example.com", "https://user:[secret]@example.com"),
            ("PIN=test and B: abc in a test of ollama", "PIN=[secret] and B: [secret] in a test of ollama"),
            ("OLLAMA_KEY=ollama PASSWORD=secret TOKEN=test", "OLLAMA_KEY=[secret] PASSWORD=[secret] TOKEN=[secret]"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(cleaner.text(text), clean, "{text}");
        }
        let token = format!("a token: ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert!(!cleaner.text(&token).contains("a1B2c3D4"));
    }

    #[test]
    fn a_file_keeps_its_keys_and_harmless_values_and_loses_secrets_and_comments() {
        let text = "# my key is topsecret1\nversion = 1 # topsecret2\n[models.main]\napi = 'chat'\nkey_variable = 'MY_KEY'\n\
                    base_url = 'https://example.com/v1?api_key=topsecret3'\n[mcp.servers.s]\ncommand = 'x'\n\
                    args = ['--token', 'topsecret4', '--verbose', '--password=topsecret5']\nheaders = { X-Api-Key = 'WEB_KEY' }\n\
                    [other]\npassword = 'topsecret6'\nlist = [{ api_key = 'topsecret7' }]\n[[rule]]\nsecret = 'topsecret8'\n\
                    note = 'hunter2hunter2 in /home/ada'\n";
        let clean = cleaner().toml(text).expect("the syntax is right");
        assert!(!clean.contains("topsecret") && !clean.contains("hunter2") && !clean.contains("ada"), "{clean}");
        for kept in [
            "version = 1",
            "key_variable = \"MY_KEY\"",
            "https://example.com/v1",
            "--verbose",
            "[[rule]]",
            "command = \"x\"",
        ] {
            assert!(clean.contains(kept), "{kept}: {clean}");
        }
        assert!(clean.parse::<DocumentMut>().is_ok(), "{clean}");
        assert_eq!(cleaner().toml("password = topsecret"), None);
    }
}
