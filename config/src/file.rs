//! The file `config.toml`: reads it, and checks everything in it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::iter;
use std::mem::discriminant;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolc::redaction::without_secrets;
use toolc_model::{ModelDialect, ModelTable};
use toolc_tables::checks::{self, is_in, report};
use toolc_tables::codes;
use toolc_tables::diagnostic::{At, Code, Diagnostic, InvalidFile, Sink};
use toolc_tables::{Document, HasKeys as _, MAX_BYTES, defaults};

use crate::bounded;
use crate::env_file::EnvFile;
use crate::error::{ConfigError, DirectoryError};
use crate::home::Home;
use crate::keys::{AgentTable, Config, ConfigTable, ProtectTable};
use crate::mcp::expanded;
use crate::migrate::{Migrated, migrate};
use crate::variables::{self, Found, VariableSetting};
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
pub struct KnownNames<'n> {
    /// The toolsets, with their aliases.
    pub toolsets: Vec<&'n str>,
    /// The tools.
    pub tools: Vec<&'n str>,
    /// The facts, each with a value of its type.
    pub facts: Vec<(&'n str, &'n toolc::FactValue)>,
}

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
        let (text, migrated_from) = read_text(home)?;
        let (path, exists) = (home.config(), text.is_some());
        let found = variables::read(process, env)?;
        let text = text.or_else(|| (!found.is_empty()).then(String::new));
        let document = text.map(|text| read_document(&path, &text, &found)).transpose()?;
        let config = document.as_ref().map_or_else(Config::default, Document::values);
        let set_by_variables = found.into_iter().map(|found| found.setting).collect();
        Ok(Self { path, config, document, exists, set_by_variables, migrated_from })
    }

    /// Reads a text as the file, for a change before it is written.
    ///
    /// # Errors
    /// If the text has mistakes.
    pub(crate) fn check_text(home: &Home, text: &str) -> Result<(), ConfigError> {
        let path = home.config();
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
    pub fn check_names(&self, known: &KnownNames<'_>) -> Result<(), ConfigError> {
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
fn read_text(home: &Home) -> Result<(Option<String>, Option<u32>), ConfigError> {
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
fn read_document(path: &Path, text: &str, found: &[Found]) -> Result<Document<ConfigTable>, ConfigError> {
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
    let error_text = without_secrets(&error.to_string(), hidden);
    let message = format!("the configuration {} has {mistakes}\n\n{error_text}", path.display());
    ConfigError::mistake(message).with_source(error)
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

fn check_names(table: &ConfigTable, known: &KnownNames<'_>, sink: &Sink) {
    for name in table.tools.enable.iter().chain(&table.tools.disable) {
        unknown(name, "toolset", codes::UNKNOWN_TOOLSET, &known.toolsets, sink);
    }
    for name in table.tools.enable_tools.iter().chain(&table.tools.disable_tools) {
        unknown(name, "tool", codes::UNKNOWN_TOOL, &known.tools, sink);
    }
    let names: Vec<&str> = known.facts.iter().map(|(name, _)| *name).collect();
    for (name, value) in &table.facts {
        match known.facts.iter().find(|(known, _)| *known == name.value) {
            None => unknown(name, "fact", codes::UNKNOWN_FACT, &names, sink),
            Some((_, default)) if discriminant(*default) != discriminant(&value.value) => {
                let message = format!("the fact `{}` is {}", name.value, default.noun());
                let found = Diagnostic::new(codes::FACT_TYPE, value.place, message);
                sink.push(found.label(format!("expected {}, found {}", default.noun(), value.value.noun())));
            }
            Some(_) => {}
        }
    }
}

fn unknown(name: &At<String>, noun: &str, code: Code, known: &[&str], sink: &Sink) {
    if !known.contains(&name.value.as_str()) {
        let found = Diagnostic::new(code, name.place, format!("unknown {noun} `{}`", name.value));
        let found = found.help_nearest(&name.value, known.iter().copied(), &format!("the {noun}s are"));
        sink.push(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolc_tables::{Key, KeyType};

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
