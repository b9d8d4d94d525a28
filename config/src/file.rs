//! The file `config.toml`: reads it, and checks everything in it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::iter;
use std::mem::discriminant;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolc::redaction::without_secrets_except;
use toolc_model::{ModelDialect, ModelTable};
use toolc_tables::checks::{self, is_in, report};
use toolc_tables::codes;
use toolc_tables::diagnostic::{At, Code, Diagnostic, InvalidFile, Sink};
use toolc_tables::{Document, HasKeys as _, HasValues, Key, KeyType, MAX_BYTES, defaults};

use crate::bounded;
use crate::env_file::EnvFile;
use crate::error::{ConfigError, DirectoryError};
use crate::home::Home;
use crate::hub;
use crate::keys::{AgentTable, Config, ConfigTable, Mcp, ProtectTable};
use crate::mcp::expanded;
use crate::migrate::{Migrated, migrate};
use crate::variables::{self, Found, VariableSetting};
use crate::web;
use crate::{mcp, mcp_endpoints};

/// How messages refer to the file.
const NOUN: &str = "the configuration";
/// The minimum of `results.max_chars`.
const MIN_RESULT_CHARS: u32 = 1_000;
/// The maximum of `agent.question_timeout`: the time limit of the tool `clarify`.
const MAX_QUESTION_TIMEOUT: Duration = Duration::from_mins(10);

/// The configuration of a profile, as it was read.
#[derive(Debug)]
pub struct ConfigFile {
    /// The path.
    path: PathBuf,
    /// The configuration.
    config: Config,
    /// The file with the settings of variables, or `None` if there is neither.
    document: Option<Document<ConfigTable>>,
    exists: bool,
    set_by_variables: Vec<VariableSetting>,
    /// The version before the migration, if there was one.
    migrated_from: Option<u32>,
}

/// The names that the configuration may use, which depend on the registered tools.
#[derive(Debug, Default)]
pub struct KnownNames {
    /// The toolsets, with their aliases.
    pub toolsets: Vec<String>,
    /// The tools.
    pub tools: Vec<String>,
    /// The facts, each with a value of its type.
    pub facts: Vec<(String, toolc::FactValue)>,
}

/// Returns the names that a configuration may use, which depend on its plugins and servers. `None` if they cannot be found: then, names
/// are not checked.
pub type FindNames<'f> = &'f dyn Fn(&Config) -> Option<KnownNames>;

impl ConfigFile {
    /// Reads the file of a profile. A file of an older version is brought to the current one, and the old one is kept with its version in its name. A
    /// missing file is an empty one.
    ///
    /// # Errors
    /// If the file cannot be read, or has mistakes: all of them.
    pub fn read(home: &Home) -> Result<Self, ConfigError> {
        Self::read_with(home, &EnvFile::default(), iter::empty())
    }

    /// Reads the file of a profile like [`read`](Self::read), with the settings that the variables of `.env` and of a process have instead of
    /// those of the file.
    ///
    /// # Errors
    /// If the file cannot be read, or the file or the variables have mistakes.
    pub fn read_with(
        home: &Home,
        env: &EnvFile,
        process: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Self, ConfigError> {
        Self::read_checked(home, env, process, &check)
    }

    /// Reads the file like [`read_with`](Self::read_with), and checks everything in it at once: the names, if `names` finds the known ones, and
    /// the working directory of tools.
    ///
    /// # Errors
    /// Like [`read_with`](Self::read_with): all mistakes.
    pub fn check_all(
        home: &Home,
        env: &EnvFile,
        process: impl Iterator<Item = (OsString, OsString)>,
        names: FindNames<'_>,
    ) -> Result<Self, ConfigError> {
        Self::read_checked(home, env, process, &|table, sink| {
            check_with_names(table, Some(names), sink);
            check_directory(table, sink);
        })
    }

    fn read_checked(
        home: &Home,
        env: &EnvFile,
        process: impl Iterator<Item = (OsString, OsString)>,
        check: Check<'_>,
    ) -> Result<Self, ConfigError> {
        let (text, migrated_from) = read_and_migrate(home)?;
        let (path, exists) = (home.config(), text.is_some());
        let found = variables::read(process, env)?;
        let text = text.or_else(|| (!found.is_empty()).then(String::new));
        let document = text.map(|text| read_document(&path, &text, &found, check)).transpose()?;
        let config = document.as_ref().map_or_else(Config::default, Document::values);
        let set_by_variables = found.into_iter().map(|found| found.setting).collect();
        Ok(Self { path, config, document, exists, set_by_variables, migrated_from })
    }

    /// Reads the text of the file, after it was brought to the current version. Returns `None` if there is no file.
    ///
    /// # Errors
    /// If the file cannot be read, or is of a version that this program does not read.
    pub(crate) fn read_text(home: &Home) -> Result<Option<String>, ConfigError> {
        Ok(read_and_migrate(home)?.0)
    }

    /// Reads a text as the file, for a change before it is written. The names in it are checked as well, if `names` finds the known ones.
    ///
    /// # Errors
    /// If the text has mistakes: all of them.
    pub(crate) fn check_text(home: &Home, text: &str, names: Option<FindNames<'_>>) -> Result<(), ConfigError> {
        let path = home.config();
        let check = |table: &ConfigTable, sink: &Sink| check_with_names(table, names, sink);
        let document = Document::read(NOUN, &path.display().to_string(), text, check);
        document.map(drop).map_err(|error| invalid(error, &path, &[]))
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the configuration as JSON, by key: the values of the file, and the defaults of the other keys. Null stands for a default that
    /// is not a single value. The name of a key with a duration has the unit `_ms`.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut json =
            self.document.as_ref().map_or_else(|| defaults::<ConfigTable>().to_json(), |file| file.table.to_json());
        for model in &self.config.models {
            let shown = &mut json["models"][&model.alias];
            shown["base_url"] = json!(model.base_url());
            shown["key_variable"] = json!(model.key_variable());
        }
        json
    }

    /// Returns whether the file exists.
    pub fn exists(&self) -> bool {
        self.exists
    }

    /// Returns the settings that variables have set.
    pub fn set_by_variables(&self) -> &[VariableSetting] {
        &self.set_by_variables
    }

    /// Returns the version before the migration, if this run has migrated the file.
    pub fn migrated_from(&self) -> Option<u32> {
        self.migrated_from
    }

    /// Checks the names of toolsets, tools and facts.
    ///
    /// # Errors
    /// Returns all unknown names, with the nearest known ones, and facts with a value of another type.
    pub fn check_names(&self, known: &KnownNames) -> Result<(), ConfigError> {
        let Some(document) = &self.document else { return Ok(()) };
        document.check(|table, sink| check_names(table, known, sink)).map_err(|error| invalid(error, &self.path, &[]))
    }

    /// Checks that tools can use the configured directory as their working directory. Reading the configuration does not check this, because
    /// commands that run no tools do not need the directory.
    ///
    /// # Errors
    /// Returns why tools cannot use it, with the place in the file.
    pub fn check_directory(&self) -> Result<(), ConfigError> {
        let Some(document) = &self.document else { return Ok(()) };
        document.check(check_directory).map_err(|error| invalid(error, &self.path, &[]))
    }
}

fn check_protect(protect: &ProtectTable, sink: &Sink) {
    for place in &protect.places {
        checks::path(Some(place), "a protected place", sink);
        let path = expanded(&place.value);
        if std::env::home_dir().is_some_and(|home| home.starts_with(&path)) {
            let label = "programs would have no home folder";
            report(
                sink,
                place,
                &format!("`{}` cannot be hidden", place.value),
                label,
                "name the files and folders in it",
            );
        }
    }
    for reader in &protect.readers {
        if reader.name.value.contains('/') {
            let message = format!("`{}` is a path", reader.name.value);
            report(sink, &reader.name, &message, "expected the name of a program", "write it without the folder");
        }
        for path in &reader.reads {
            checks::path(Some(path), "a path of `reads`", sink);
        }
    }
}

fn check_directory(table: &ConfigTable, sink: &Sink) {
    let directory = checks::filled(table.environment.local.directory.as_ref());
    if let Some(directory) = directory
        && let Err(problem) = usable_directory(&expanded(&directory.value))
    {
        report(
            sink,
            directory,
            &format!("this directory cannot be the working directory of tools: {problem}"),
            "",
            "name a directory that exists and that you may enter",
        );
    }
}

/// Returns the canonical path of a directory in which programs can be started.
///
/// # Errors
/// If they cannot.
pub fn usable_directory(path: &Path) -> Result<PathBuf, DirectoryError> {
    let found = path.canonicalize().map_err(DirectoryError::Io)?;
    if !found.is_dir() {
        return Err(DirectoryError::NotADirectory);
    }
    // Fails without the permission to enter the directory.
    fs::metadata(found.join(".")).map_err(DirectoryError::Io)?;
    Ok(found)
}

/// Reads the text of the file, and brings it to the current version. Returns the version before that, if it was another one.
fn read_and_migrate(home: &Home) -> Result<(Option<String>, Option<u32>), ConfigError> {
    let path = home.config();
    let failed = |error: io::Error| ConfigError::io("failed to read the configuration", &path, error);
    let Some(text) = bounded::read(&path, MAX_BYTES).map_err(failed)? else { return Ok((None, None)) };
    let migrated = migrate(&text)
        .map_err(|error| error.within(&format!("failed to read the configuration {}", path.display())))?;
    match migrated {
        Migrated::Unchanged => Ok((Some(text), None)),
        Migrated::From(version, new) => {
            let kept = path.with_extension(format!("version-{version}.toml"));
            bounded::write(&kept, &text).and_then(|()| bounded::write(&path, &new)).map_err(failed)?;
            Ok((Some(new), Some(version)))
        }
    }
}

/// Reads a text with the settings of variables. Mistakes of the text alone are reported at their lines in the file.
fn read_document(
    path: &Path,
    text: &str,
    found: &[Found],
    check: Check<'_>,
) -> Result<Document<ConfigTable>, ConfigError> {
    let shown = path.display().to_string();
    // The values of `.env` are not shown.
    let in_file = found.iter().filter(|found| found.setting.in_file);
    let hidden: Vec<String> = in_file.filter_map(|found| Some(found.value.as_str()?.to_owned())).collect();
    let read = |shown: &str, text: &str| {
        Document::read(NOUN, shown, text, check).map_err(|error| invalid(error, path, &hidden))
    };
    if found.is_empty() || Document::<ConfigTable>::read(NOUN, &shown, text, |_, _| {}).is_err() {
        return read(&shown, text);
    }
    let merged = variables::merged(text, found)
        .ok_or_else(|| ConfigError::mistake(format!("{shown} has no place for the settings of variables")))?;
    let names: Vec<String> = found.iter().map(|found| format!("`{}`", found.setting.variable)).collect();
    read(&format!("{shown} (with {})", names.join(", ")), &merged)
}

/// Returns the error without these values.
fn invalid(error: InvalidFile, path: &Path, hidden: &[String]) -> ConfigError {
    let count = error.diagnostics().len();
    let mistakes = if count == 1 { "a mistake".to_owned() } else { format!("{count} mistakes") };
    // The lines of the file can contain keys that do not belong there.
    let error_text = without_secrets_except(&error.to_string(), hidden, &harmless_names(ConfigTable::KEYS));
    let message = format!("the configuration {} has {mistakes}\n\n{error_text}", path.display());
    ConfigError::mistake(message).with_source(error)
}

/// Returns the names of the keys whose values are numbers, words or the like, and so no secrets.
fn harmless_names(keys: &[Key]) -> Vec<&'static str> {
    let of_key = |key: &Key| match key.key_type {
        KeyType::Table(keys) | KeyType::Tables(keys) | KeyType::List(keys) => harmless_names(keys),
        KeyType::Word(_)
        | KeyType::Flag
        | KeyType::Integer
        | KeyType::Number
        | KeyType::Count
        | KeyType::WholeNumber
        | KeyType::CountOrUnlimited
        | KeyType::Duration => vec![key.name],
        _ => Vec::new(),
    };
    keys.iter().flat_map(of_key).collect()
}

/// Reports what is wrong with a table.
type Check<'c> = &'c dyn Fn(&ConfigTable, &Sink);

/// Reports what the table of keys cannot express, and unknown names.
fn check_with_names(table: &ConfigTable, names: Option<FindNames<'_>>, sink: &Sink) {
    check(table, sink);
    if let Some(known) = names.and_then(|find| find(&parts_with_names(table))) {
        check_names(table, &known, sink);
    }
}

/// Returns the parts on which names depend: tools, plugins and MCP servers. The table may have mistakes.
fn parts_with_names(table: &ConfigTable) -> Config {
    let defaults = Config::default();
    let servers = table.mcp.servers.iter().filter_map(HasValues::values).collect();
    Config {
        tools: table.tools.values().unwrap_or(defaults.tools),
        plugins: table.plugins.values().unwrap_or(defaults.plugins),
        mcp: Mcp { servers, ..defaults.mcp },
        ..defaults
    }
}

/// Reports what the table of keys cannot express.
fn check(table: &ConfigTable, sink: &Sink) {
    table.models.iter().for_each(|model| check_model(model, sink));
    check_agent(&table.agent, sink);
    for name in table.instructions.files.iter().filter(|name| name.value.contains(['/', '\\']) || name.value == "..") {
        let message = format!("`{}` is a path", name.value);
        report(
            sink,
            name,
            &message,
            "expected the name of a file",
            "files are looked for in each folder of the project",
        );
    }
    if let Some(max) = table.results.max_chars.as_ref().filter(|max| max.value < MIN_RESULT_CHARS) {
        let help = "a model cannot work with results that are cut after a few words";
        report(sink, max, "invalid value for `max_chars`", &format!("expected at least {MIN_RESULT_CHARS}"), help);
    }
    table.environment.check(sink);
    check_protect(&table.protect, sink);
    for folder in &table.plugins.folders {
        checks::path(Some(folder), "a folder of plugins", sink);
    }
    for name in table.tools.enable.iter().filter(|name| is_in(&table.tools.disable, &name.value)) {
        report(
            sink,
            name,
            &format!("the toolset `{}` is both enabled and disabled", name.value),
            "",
            "remove one of them",
        );
    }
    mcp::check(&table.mcp, sink);
    web::check(&table.web, sink);
    hub::check(&table.hub, sink);
    mcp_endpoints::check(&table.mcp, sink);
    let seconds = table.approval.timeout.written();
    if let Some(timeout) = &seconds.filter(|timeout| timeout.value.is_zero()) {
        report(
            sink,
            timeout,
            "no person can answer in no time",
            "expected at least `1s`",
            "to deny without a question, set `mode` to `deny`",
        );
    }
}

/// Checks the limits of the agent and its helpers.
fn check_agent(agent: &AgentTable, sink: &Sink) {
    if let Some(percent) = &agent.compact_at_percent.written()
        && !(10..=95).contains(&percent.value)
    {
        let help = "the rest of the context is needed for the response and for the summary";
        report(sink, percent, "invalid value for `compact_at_percent`", "expected a percentage from 10 to 95", help);
    }
    let helpers = &agent.helpers;
    if let Some(count) = helpers.at_once.written().filter(|count| count.value > 10) {
        let help = "each helper needs a thread, and asks the model on its own";
        report(sink, &count, "invalid value for `at_once`", "expected a number from 1 to 10", help);
    }
    if let Some(levels) = helpers.levels.written().filter(|levels| levels.value > 2) {
        let help = "with 2, a helper can have helpers of its own, which have none";
        report(sink, &levels, "invalid value for `levels`", "expected 0, 1 or 2", help);
    }
    if let Some(timeout) = agent.question_timeout.written().filter(|timeout| timeout.value > MAX_QUESTION_TIMEOUT) {
        let help = "the tool `clarify` takes no longer, and the model goes on without an answer then";
        report(sink, &timeout, "invalid value for `question_timeout`", "expected at most `10m`", help);
    }
}

fn check_model(model: &ModelTable, sink: &Sink) {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if !model.alias.value.chars().all(is_letter) {
        let message = format!("`{}` is not the name of a model", model.alias.value.escape_debug());
        let help = "the name of the model on its server is the value of `model`";
        report(sink, &model.alias, &message, "expected letters, digits, `-`, `_` and `.`", help);
    }
    checks::address(model.base_url.as_ref(), "base_url", "http://localhost:8000/v1", sink);
    if let Some(name) = &model.key_variable
        && !name.value.is_empty()
        && !crate::env_file::is_name(&name.value)
    {
        // Do not show it: it may be the key itself.
        let help = "write the key into `.env`, as `NAME=...`, and the name here";
        report(sink, name, "`key_variable` is not the name of a variable", "expected letters, digits and `_`", help);
    }
    if let (Some(api), Some(dialect)) = (&model.api, &model.dialect)
        && !dialect.value.fits(api.value)
    {
        let fitting: Vec<String> = ModelDialect::of(api.value).map(|one| format!("`{}`", one.word())).collect();
        let (dialect_word, api_word) = (dialect.value.word(), api.value.word());
        report(
            sink,
            dialect,
            &format!("the dialect `{dialect_word}` does not fit the API `{api_word}`"),
            &format!("expected one of {}", fitting.join(", ")),
            "for the dialect of the API, leave it out",
        );
    }
    if let (Some(context), Some(output)) = (&model.context_tokens, &model.max_output_tokens)
        && output.value >= context.value
    {
        let help = "the context holds the conversation and the response";
        report(
            sink,
            output,
            "the response is as long as the whole context",
            "expected less than `context_tokens`",
            help,
        );
    }
}

fn check_names(table: &ConfigTable, known: &KnownNames, sink: &Sink) {
    for name in table.tools.enable.iter().chain(&table.tools.disable) {
        unknown(name, "toolset", codes::UNKNOWN_TOOLSET, known.toolsets.iter(), sink);
    }
    for name in table.tools.enable_tools.iter().chain(&table.tools.disable_tools) {
        unknown(name, "tool", codes::UNKNOWN_TOOL, known.tools.iter(), sink);
    }
    for (name, value) in &table.facts {
        match known.facts.iter().find(|(known, _)| *known == name.value) {
            None => {
                let names = known.facts.iter().map(|(name, _)| name);
                unknown(name, "fact", codes::UNKNOWN_FACT, names, sink);
            }
            Some((_, default)) if discriminant(default) != discriminant(&value.value) => {
                let message = format!("the fact `{}` is {}", name.value, default.noun());
                let found = Diagnostic::new(codes::FACT_TYPE, value.place, message);
                sink.push(found.label(format!("expected {}, found {}", default.noun(), value.value.noun())));
            }
            Some(_) => {}
        }
    }
}

fn unknown<'n>(
    name: &At<String>,
    noun: &str,
    code: Code,
    known: impl Iterator<Item = &'n String> + Clone,
    sink: &Sink,
) {
    if !known.clone().any(|known| *known == name.value) {
        let found = Diagnostic::new(code, name.place, format!("unknown {noun} `{}`", name.value));
        let found = found.help_nearest(&name.value, known.map(String::as_str), &format!("the {noun}s are"));
        sink.push(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the paths of all keys whose values are texts, or arrays of texts.
    fn texts(keys: &[Key], above: &str) -> Vec<(String, &'static str, bool)> {
        let path = |key: &Key| if above.is_empty() { key.name.to_owned() } else { format!("{above}.{}", key.name) };
        let of_key = |key: &Key| match key.key_type {
            KeyType::Table(keys) => texts(keys, &path(key)),
            KeyType::Tables(keys) => texts(keys, &format!("{}.NAME", path(key))),
            KeyType::Text => vec![(path(key), key.name, false)],
            KeyType::Texts | KeyType::Names => vec![(path(key), key.name, true)],
            _ => Vec::new(),
        };
        keys.iter().flat_map(of_key).collect()
    }

    fn mistakes(text: &str) -> String {
        let read = Document::<ConfigTable>::read(NOUN, "config.toml", text, check);
        read.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn no_text_has_a_control_character_and_none_without_a_meaning_is_empty() {
        let all = texts(ConfigTable::KEYS, "");
        assert!(all.len() > 40, "{all:?}");
        for (path, name, is_array) in all {
            let with = |text: &str| {
                mistakes(&if is_array { format!("{path} = [\"{text}\"]\n") } else { format!("{path} = \"{text}\"\n") })
            };
            for (text, code) in [
                ("a\\u001b[31m", "001B"),
                ("a\\u0000", "0000"),
                ("\\u0007", "0007"),
                ("a\\u009b", "009B"),
                ("a\\u007f", "007F"),
            ] {
                let found = with(text);
                let expected = format!("`{name}` has a control character");
                assert!(found.contains(&expected) && found.contains(&format!("U+{code}")), "{path}: {found}");
                assert!(found.contains("help: remove the character") && !found.contains('\u{1b}'), "{path}: {found:?}");
            }
            let lines = with("a\\nb");
            assert_eq!(lines.contains("has a control character"), name != "instructions", "{path}: {lines}");
            if is_array {
                continue;
            }
            for blank in ["", " ", "\\t"] {
                let found = with(blank);
                let whys = ["is empty", "control character", "not the name of a variable"];
                let is_refused = whys.iter().any(|why| found.contains(why));
                assert!(is_refused != (blank.is_empty() && name == "key_variable"), "{path} = {blank:?}: {found}");
            }
        }
    }

    #[test]
    fn every_mistake_of_a_file_is_reported_at_once() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let text = "versoin = 1\n[agent]\nmax_iterations = \"many\"\n[approval]\nmode = \"maybe\"\n[models.main]\nmodel = \"m\"\n\
                    [tools]\nenable = [\"clii\"]\ndisable_tools = [\"todoo\"]\n[facts]\nsize = \"big\"\nsise = 1\n\
                    [mcp.servers.s]\n[environment.local]\ndirectory = \"/no/such/place\"\n[plugins]\nfolders = [\"relative\"]\n";
        bounded::write(&home.config(), text).expect("failed to write");
        let names = |config: &Config| {
            assert_eq!(config.tools.enable, ["clii"], "the rest of the file is read");
            Some(KnownNames {
                toolsets: vec!["cli".to_owned()],
                tools: vec!["todo".to_owned()],
                facts: vec![("size".to_owned(), toolc::FactValue::from(1_i64))],
            })
        };
        let error = ConfigFile::check_all(&home, &EnvFile::default(), iter::empty(), &names);
        let error = error.expect_err("it has mistakes").to_string();
        assert!(error.contains("has 11 mistakes"), "{error}");
        for (line, what) in [
            (1, "unknown key `versoin`"),
            (3, "`max_iterations` cannot be of type string"),
            (5, "`mode` cannot be `maybe`"),
            (6, "missing key `api`"),
            (9, "unknown toolset `clii`"),
            (10, "unknown tool `todoo`"),
            (12, "the fact `size` is"),
            (13, "unknown fact `sise`"),
            (14, "has neither `command` nor `url`"),
            (16, "this directory cannot be the working directory"),
            (18, "the path of a folder of plugins is relative"),
        ] {
            assert!(error.contains(&format!("config.toml:{line}:")) && error.contains(what), "{line} {what}: {error}");
        }
        // Without the known names, only they are not checked.
        let error = ConfigFile::check_all(&home, &EnvFile::default(), iter::empty(), &|_| None);
        assert!(error.expect_err("it has mistakes").to_string().contains("has 7 mistakes"));
    }

    #[test]
    fn a_number_of_tokens_is_shown_and_a_key_is_not() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let error = |text: &str| {
            bounded::write(&home.config(), text).expect("failed to write");
            ConfigFile::read(&home).expect_err("it has a mistake").to_string()
        };
        for line in ["context_tokens = \"200k\"", "max_output_tokens = \"20k\""] {
            let text = error(&format!("[models.main]\napi = \"chat\"\nmodel = \"m\"\n{line}\n"));
            assert!(text.contains(line) && !text.contains("[secret]"), "{text}");
        }
        assert!(error("[budget]\nsession_tokens = \"20k\"\n").contains("session_tokens = \"20k\""));
        let text = error("[models.main]\napi = \"chat\"\nmodel = \"m\"\napi_key = \"hunter2hunter2\"\n");
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("`key_variable` names its variable") && !text.contains("did you mean"), "{text}");
    }

    #[test]
    fn a_number_out_of_its_range_says_what_it_is() {
        for (text, help) in [
            ("agent.max_iterations = 0", "`max_iterations` is the maximum number of requests"),
            ("agent.max_iterations = -1", "`max_iterations` is"),
            ("agent.helpers.at_once = 0", "`at_once` is the maximum number of helpers"),
            ("agent.helpers.levels = -1", "`levels` says how many levels"),
            ("agent.keep_messages = 4294967296", "`keep_messages` is"),
            ("environment.container.max_processes = 0", "`max_processes` is"),
            ("environment.ssh.port = 0", "`port` is the port"),
            ("environment.modal.max_sandboxes = -5", "`max_sandboxes` is"),
            ("models.main.context_tokens = 0", "`context_tokens` is"),
            ("results.max_chars = 0", "`max_chars` is"),
        ] {
            let found = mistakes(text);
            assert!(found.contains("invalid value for") && found.contains(help), "{text}: {found}");
        }
    }
}
