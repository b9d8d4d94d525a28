//! Settings from variables. Each key of `[environment]` that holds a single value or a list can also be set by a variable, whose name
//! follows from the key: `TOOLC_ENVIRONMENT_SSH_HOST` sets `environment.ssh.host`. So a new key has its variable at once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use toml_edit::{Array, DocumentMut, Item, Table, Value};
use toolc::suggest::suggestion;
use toolc_environment::EnvironmentTable;
use toolc_tables::{HasKeys as _, Key, KeyType};

use crate::env_file::EnvFile;
use crate::error::ConfigError;

/// The variable of the key `environment.kind`, and the beginning of the names of the others.
const PREFIX: &str = "TOOLC_ENVIRONMENT";
/// The table that has the keys.
const TABLE: &str = "environment";

/// The variables of other programs for the same settings, each with the key of toolc. They are not read.
const FOREIGN: [(&str, &str); 14] = [
    ("TERMINAL_ENV", "environment.kind"),
    ("TERMINAL_CWD", "environment.local.directory"),
    ("TERMINAL_SSH_HOST", "environment.ssh.host"),
    ("TERMINAL_SSH_USER", "environment.ssh.user"),
    ("TERMINAL_SSH_PORT", "environment.ssh.port"),
    ("TERMINAL_SSH_KEY", "environment.ssh.key"),
    ("TERMINAL_SSH_CWD", "environment.ssh.directory"),
    ("TERMINAL_DOCKER_IMAGE", "environment.container.image"),
    ("TERMINAL_SINGULARITY_IMAGE", "environment.apptainer.image"),
    ("TERMINAL_MODAL_IMAGE", "environment.modal.image"),
    ("TERMINAL_DAYTONA_IMAGE", "environment.daytona.snapshot"),
    ("TERMINAL_CONTAINER_CPU", "environment.container.max_processors"),
    ("TERMINAL_CONTAINER_MEMORY", "environment.container.max_memory_mib"),
    ("TERMINAL_LIFETIME_SECONDS", "environment.modal.max_minutes"),
];

/// A setting that a variable has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableSetting {
    /// The key, such as `environment.ssh.host`.
    pub key: String,
    /// The name of the variable.
    pub variable: String,
    /// Whether the variable is in `.env`. Otherwise, it belongs to the process.
    pub in_file: bool,
}

impl VariableSetting {
    /// Returns where the value is: `the variable X in .env`.
    pub fn origin(&self) -> String {
        let place = if self.in_file { ".env" } else { "the environment" };
        format!("the variable `{}` in {place}", self.variable)
    }
}

impl fmt::Display for VariableSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` has the value of {}", self.key, self.origin())
    }
}

/// A setting with its value.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) setting: VariableSetting,
    path: Vec<&'static str>,
    pub(crate) value: Value,
}

/// A key that a variable can set.
struct Settable {
    path: Vec<&'static str>,
    key_type: KeyType,
}

impl Settable {
    fn key(&self) -> String {
        format!("{TABLE}.{}", self.path.join("."))
    }

    /// Returns the names of its variable. The kind has a short one as well.
    fn names(&self) -> Vec<String> {
        let name = format!("{PREFIX}_{}", self.path.join("_").to_ascii_uppercase());
        if self.path == ["kind"] { vec![PREFIX.to_owned(), name] } else { vec![name] }
    }
}

/// Returns the keys that variables can set.
fn settable() -> Vec<Settable> {
    fn add(keys: &'static [Key], above: &[&'static str], to: &mut Vec<Settable>) {
        for key in keys {
            let path = [above, &[key.name]].concat();
            match key.key_type {
                KeyType::Table(keys) => add(keys, &path, to),
                key_type => to.push(Settable { path, key_type }),
            }
        }
    }
    let mut all = Vec::new();
    add(EnvironmentTable::KEYS, &[], &mut all);
    all
}

/// Returns whether a variable sets a setting by its name.
pub fn is_setting_variable(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// Returns the name of the variable that sets a key.
fn variable_of(key: &str) -> Option<String> {
    settable().iter().find(|settable| settable.key() == key).and_then(|settable| settable.names().pop())
}

/// Returns a note for each variable that another program uses for a setting, and that is not read here.
pub fn foreign_variables(env: &EnvFile) -> Vec<String> {
    let is_set = |name: &str| env.get(name).is_some() || std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let note = |(name, key): &(&str, &str)| {
        let own = variable_of(key)?;
        Some(format!("the variable `{name}` is not read: set `{own}`, or the key `{key}` in config.toml"))
    };
    FOREIGN.iter().filter(|(name, _)| is_set(name)).filter_map(note).collect()
}

/// Returns the settings that the variables of a process and of `.env` have. Empty variables count as not set. As for all variables, those
/// of `.env` take precedence.
///
/// # Errors
/// Returns all unknown and malformed variables.
pub(crate) fn read(
    process: impl Iterator<Item = (OsString, OsString)>,
    env: &EnvFile,
) -> Result<Vec<Found>, ConfigError> {
    let mut variables: BTreeMap<String, (OsString, bool)> = BTreeMap::new();
    let process = process.filter_map(|(name, value)| Some((name.into_string().ok()?, (value, false))));
    let file = env.names().filter_map(|name| Some((name.to_owned(), (env.get(name)?.into(), true))));
    for (name, value) in process.chain(file).filter(|(name, (value, _))| is_setting_variable(name) && !value.is_empty())
    {
        variables.insert(name, value);
    }
    if variables.is_empty() {
        return Ok(Vec::new());
    }
    let settable = settable();
    let (mut found, mut mistakes): (Vec<Found>, Vec<String>) = (Vec::new(), Vec::new());
    for (name, (value, in_file)) in variables {
        match found_setting(&name, &value, in_file, &settable) {
            Ok(setting) => found.push(setting),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    let kinds: Vec<&Found> = found.iter().filter(|found| found.path == ["kind"]).collect();
    if let [one, other] = &kinds[..]
        && one.value.as_str() != other.value.as_str()
    {
        let (one, other) = (&one.setting.variable, &other.setting.variable);
        mistakes.push(format!("the variables `{one}` and `{other}` name different kinds: unset one of them"));
    }
    if mistakes.is_empty() { Ok(found) } else { Err(ConfigError::mistake(mistakes.join("\n"))) }
}

fn found_setting(name: &str, value: &OsString, in_file: bool, all: &[Settable]) -> Result<Found, String> {
    let Some(settable) = all.iter().find(|settable| settable.names().iter().any(|known| known == name)) else {
        let names: Vec<String> = all.iter().flat_map(Settable::names).collect();
        let hint = suggestion(name, names.iter().map(String::as_str));
        let shown = name.escape_debug();
        return Err(format!(
            "the variable `{shown}` sets nothing{hint}: each names a key of `[environment]`, as in `{PREFIX}_SSH_HOST`"
        ));
    };
    let value = value.to_str().and_then(|text| parsed(text, settable.key_type));
    let value = value.ok_or_else(|| {
        let expected = match settable.key_type {
            KeyType::Word(words) => {
                let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
            KeyType::Texts | KeyType::Names => "texts, with commas between them".to_owned(),
            other => other.expected().to_owned(),
        };
        let place = if in_file { ".env" } else { "the environment" };
        format!(
            "the variable `{name}` in {place} has a wrong value: expected {expected}, as for the key `{}`",
            settable.key()
        )
    })?;
    let setting = VariableSetting { key: settable.key(), variable: name.to_owned(), in_file };
    Ok(Found { setting, path: settable.path.clone(), value })
}

/// Returns the value of a variable as TOML, or `None` if the key does not accept it.
fn parsed(text: &str, key_type: KeyType) -> Option<Value> {
    let is_word = |words: &[(&str, &str)], text: &str| words.iter().any(|(word, _)| *word == text);
    Some(match key_type {
        KeyType::Text | KeyType::Duration => text.into(),
        KeyType::Word(words) => Some(text.trim()).filter(|text| is_word(words, text))?.into(),
        KeyType::Flag => text.trim().parse::<bool>().ok()?.into(),
        KeyType::Count => i64::from(text.trim().parse::<u32>().ok().filter(|count| *count > 0)?).into(),
        KeyType::WholeNumber => i64::from(text.trim().parse::<u32>().ok()?).into(),
        KeyType::Amount => {
            text.trim().parse::<f64>().ok().filter(|amount| amount.is_finite() && *amount >= 0.0)?.into()
        }
        KeyType::Texts | KeyType::Names => {
            text.split(',').map(str::trim).filter(|text| !text.is_empty()).collect::<Array>().into()
        }
        _ => return None,
    })
}

/// Returns the text of a configuration in which the settings have the values of their variables.
pub(crate) fn merged(text: &str, found: &[Found]) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    for Found { path, value, .. } in found {
        let (name, tables) = path.split_last()?;
        let mut table = document.as_table_mut() as &mut dyn toml_edit::TableLike;
        for part in [TABLE].iter().chain(tables) {
            let implicit = || {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            };
            table = table.entry(part).or_insert_with(implicit).as_table_like_mut()?;
        }
        table.insert(name, Item::Value(value.clone()));
    }
    Some(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConfigFile, Home, bounded};

    fn process(variables: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// Reads a configuration with variables of the process and of `.env`.
    fn read_all(file: &str, of_process: &[(&str, &str)], of_file: &str) -> Result<ConfigFile, String> {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        for (path, text) in [(home.config(), file), (home.env(), of_file)] {
            bounded::write(&path, text).expect("failed to write");
        }
        let env = EnvFile::read(&home).map_err(|error| error.to_string())?;
        ConfigFile::read_with(&home, &env, process(of_process).into_iter()).map_err(|error| error.to_string())
    }

    fn environment(file: &ConfigFile, pointer: &str) -> serde_json::Value {
        file.to_json()["environment"].pointer(pointer).cloned().unwrap_or_default()
    }

    #[test]
    fn every_key_of_an_environment_has_a_variable_of_its_own() {
        let all = settable();
        let names: std::collections::BTreeSet<String> = all.iter().flat_map(Settable::names).collect();
        assert_eq!(names.len(), all.len() + 1, "the names differ, and the kind has two");
        for settable in &all {
            let sample = match settable.key_type {
                KeyType::Word(words) => words[0].0,
                KeyType::Flag => "true",
                KeyType::Count | KeyType::WholeNumber => "3",
                _ => "/x",
            };
            assert!(parsed(sample, settable.key_type).is_some(), "{} can be set", settable.key());
        }
        for (_, key) in FOREIGN {
            assert!(variable_of(key).is_some(), "`{key}` does not exist");
        }
    }

    /// The file, the variables of the process and of `.env`, and a value of the configuration.
    type Case<'c> = (&'c str, &'c [(&'c str, &'c str)], &'c str, &'c str, serde_json::Value);

    #[test]
    fn a_variable_sets_its_key_and_one_of_the_file_takes_precedence() {
        let file = "# mine\n[environment]\nkind = 'local'\nssh = { host = 'old' }\n";
        let cases: &[Case<'_>] = &[
            (file, &[], "", "/ssh/host", "old".into()),
            (file, &[("TOOLC_ENVIRONMENT_SSH_HOST", "new")], "", "/ssh/host", "new".into()),
            (
                file,
                &[("TOOLC_ENVIRONMENT_SSH_HOST", "new")],
                "TOOLC_ENVIRONMENT_SSH_HOST=newer\n",
                "/ssh/host",
                "newer".into(),
            ),
            (file, &[("TOOLC_ENVIRONMENT_SSH_HOST", "")], "", "/ssh/host", "old".into()),
            (file, &[("TOOLC_ENVIRONMENT_SSH_PORT", " 2222 ")], "", "/ssh/port", 2222.into()),
            (file, &[("TOOLC_ENVIRONMENT", "ssh")], "", "/kind", "ssh".into()),
            (file, &[("TOOLC_ENVIRONMENT_KIND", "sandbox")], "", "/kind", "sandbox".into()),
            (
                file,
                &[("TOOLC_ENVIRONMENT_KIND", "sandbox"), ("TOOLC_ENVIRONMENT", "sandbox")],
                "",
                "/kind",
                "sandbox".into(),
            ),
            ("", &[("TOOLC_ENVIRONMENT_CONTAINER_NETWORK", "true")], "", "/container/network", true.into()),
            ("", &[("TOOLC_ENVIRONMENT_PUT", "src, Cargo.toml")], "", "/put/1", "Cargo.toml".into()),
            (
                "[environment.container]\nimage = 'a'",
                &[("TOOLC_ENVIRONMENT_CONTAINER_IMAGE", "b:1")],
                "",
                "/container/image",
                "b:1".into(),
            ),
            (
                "environment.container.image = 'a'",
                &[("TOOLC_ENVIRONMENT_CONTAINER_MAX_MEMORY_MIB", "1")],
                "",
                "/container/image",
                "a".into(),
            ),
            ("", &[("OTHER", "x"), ("TOOLC_ENVIRONMENTAL", "x"), ("TOOLC_HOME", "x")], "", "/kind", "local".into()),
            ("", &[("TOOLC_ENVIRONMENT_MODAL_GPU", "H100:2")], "", "/modal/gpu", "H100:2".into()),
            ("", &[("TOOLC_ENVIRONMENT_LOCAL_DIRECTORY", "/srv")], "", "/local/directory", "/srv".into()),
            // The file alone lacks the host.
            ("environment.kind = 'ssh'", &[("TOOLC_ENVIRONMENT_SSH_HOST", "h")], "", "/ssh/host", "h".into()),
        ];
        for (text, process, env, pointer, expected) in cases {
            let file = read_all(text, process, env).unwrap_or_else(|error| panic!("{process:?}: {error}"));
            assert_eq!(&environment(&file, pointer), expected, "{process:?} {env}");
        }
    }

    #[test]
    fn unknown_and_malformed_variables_are_mistakes_and_show_no_value() {
        for (file, name, value, expected) in [
            ("", "TOOLC_ENVIRONMENT", "dockr", "one of `local`, `sandbox`, `docker`"),
            ("", "TOOLC_ENVIRONMENT_KIND", "Local", "one of `local`"),
            ("", "TOOLC_ENVIRONMENT_SSH_PORT", "hunter2", "an integer of at least 1"),
            ("", "TOOLC_ENVIRONMENT_SSH_PORT", "0", "an integer of at least 1"),
            ("", "TOOLC_ENVIRONMENT_SSH_PORT", "-1", "environment.ssh.port"),
            ("", "TOOLC_ENVIRONMENT_SSH_PORT", "4294967296", "an integer"),
            ("", "TOOLC_ENVIRONMENT_SSH_PORT", "70000", "not a port"),
            ("", "TOOLC_ENVIRONMENT_CONTAINER_NETWORK", "yes", "`true` or `false`"),
            ("", "TOOLC_ENVIRONMENT_SSH_HSOT", "x", "did you mean `TOOLC_ENVIRONMENT_SSH_HOST`"),
            ("", "TOOLC_ENVIRONMENT_", "x", "sets nothing"),
            ("", "TOOLC_ENVIRONMENT_SSH", "x", "sets nothing"),
            ("", "TOOLC_ENVIRONMENT_ssh_host", "x", "sets nothing"),
            ("", "TOOLC_ENVIRONMENT_SSH_HOST", "a b", "not the name of a host"),
            ("", "TOOLC_ENVIRONMENT_SSH_KEY", "id_rsa", "relative"),
            ("", "TOOLC_ENVIRONMENT_LOCAL_DIRECTORY", "work", "relative"),
            ("", "TOOLC_ENVIRONMENT_MODAL_GPU", "A100:99", "not a GPU"),
            ("", "TOOLC_ENVIRONMENT", "ssh", "lacks the name of a machine"),
            ("environment = 3", "TOOLC_ENVIRONMENT_SSH_HOST", "h", "a table"),
            ("environment.ssh = 'x'", "TOOLC_ENVIRONMENT_SSH_HOST", "h", "a table"),
            ("broken", "TOOLC_ENVIRONMENT_SSH_HOST", "h", "config.toml"),
        ] {
            let error = read_all(file, &[(name, value)], "").expect_err(name);
            assert!(error.contains(expected), "{name}={value}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        let of_env_file = read_all("", &[], "TOOLC_ENVIRONMENT_SSH_HOST='hunter2 b'").expect_err("not a host");
        assert!(of_env_file.contains("not the name of a host") && !of_env_file.contains("hunter2"), "{of_env_file}");
        let both = [("TOOLC_ENVIRONMENT", "local"), ("TOOLC_ENVIRONMENT_KIND", "sandbox")];
        assert!(read_all("", &both, "").expect_err("they differ").contains("different kinds"));
        let several = [("TOOLC_ENVIRONMENT_A", "x"), ("TOOLC_ENVIRONMENT_SSH_PORT", "x")];
        assert_eq!(read_all("", &several, "").expect_err("two").lines().count(), 2);
    }
}
