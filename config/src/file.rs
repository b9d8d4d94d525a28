//! The file `config.toml`: reads it, and checks everything in it.

use std::io;
use std::mem::discriminant;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolc_tables::codes;
use toolc_tables::diagnostic::{At, Code, Diagnostic, InvalidFile, Sink};
use toolc_tables::{Document, HasKeys as _, MAX_BYTES, defaults};

use crate::bounded;
use crate::config::Config;
use crate::error::ConfigError;
use crate::home::Home;
use crate::keys::{
    AgentTable, ConfigTable, DaytonaTable, EnvironmentKind, EnvironmentTable, ModalTable, ModelTable, SshTable,
};
use crate::migrate::{Migrated, migrate};
use crate::report::{is_in, report};
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
    /// The file, or `None` if it does not exist.
    document: Option<Document<ConfigTable>>,
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
        let path = home.config();
        let failed = |error: io::Error| ConfigError::io("failed to read the configuration", &path, error);
        let Some(text) = bounded::read(&path, MAX_BYTES).map_err(failed)? else {
            return Ok(Self { path, config: Config::default(), document: None, migrated_from: None });
        };
        let (text, migrated_from) = match migrate(&text)
            .map_err(|error| error.within(&format!("failed to read the configuration {}", path.display())))?
        {
            Migrated::Unchanged => (text, None),
            Migrated::From(version, new) => {
                let kept = path.with_extension(format!("version-{version}.toml"));
                bounded::write(&kept, &text).and_then(|()| bounded::write(&path, &new)).map_err(failed)?;
                (new, Some(version))
            }
        };
        let document = Document::read(NOUN, &path.display().to_string(), &text, check);
        let document = document.map_err(|error| invalid(error, &path))?;
        Ok(Self { config: Config::new(&document.table), path, document: Some(document), migrated_from })
    }

    /// Reads a text as the file, for a change before it is written.
    ///
    /// # Errors
    /// If the text has mistakes.
    pub(crate) fn check_text(home: &Home, text: &str) -> Result<(), ConfigError> {
        let path = home.config();
        let document = Document::read(NOUN, &path.display().to_string(), text, check);
        document.map(drop).map_err(|error| invalid(error, &path))
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
        let models = &mut json["models"];
        if models["auxiliary"].is_null() {
            models["auxiliary"] = models["main"].clone();
        }
        for (key, model) in [("main", &self.config.main_model), ("auxiliary", &self.config.auxiliary_model)] {
            if let Some(model) = model {
                models[key]["base_url"] = json!(model.base_url);
                models[key]["key_variable"] = json!(model.key_variable);
            }
        }
        json
    }

    /// Returns whether the file exists.
    pub fn exists(&self) -> bool {
        self.document.is_some()
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
        document.check(|table, sink| check_names(table, known, sink)).map_err(|error| invalid(error, &self.path))
    }
}

fn invalid(error: InvalidFile, path: &Path) -> ConfigError {
    let count = error.diagnostics().len();
    let mistakes = if count == 1 { "a mistake".to_owned() } else { format!("{count} mistakes") };
    let message = format!("the configuration {} has {mistakes}\n\n{error}", path.display());
    ConfigError::mistake(message).with_source(error)
}

/// Reports what the table of keys cannot express.
fn check(table: &ConfigTable, sink: &Sink) {
    for model in [&table.models.main, &table.models.auxiliary].into_iter().flatten() {
        check_model(model, sink);
    }
    check_agent(&table.agent, sink);
    if let Some(max) = table.results.max_chars.as_ref().filter(|max| max.value < MIN_RESULT_CHARS) {
        let help = "a model cannot work with results that are cut after a few words";
        report(sink, max, "invalid value for `max_chars`", &format!("expected at least {MIN_RESULT_CHARS}"), help);
    }
    check_kind(&table.environment, sink);
    check_ssh(&table.environment.ssh, sink);
    check_copies(&table.environment.put, "put", sink);
    check_copies(&table.environment.get, "get", sink);
    check_daytona(&table.environment.daytona, sink);
    check_modal(&table.environment.modal, sink);
    let apptainer = &table.environment.apptainer;
    check_paths([(&apptainer.image, "image"), (&apptainer.program, "program")], sink);
    for bind in apptainer.binds.iter().filter(|bind| !bind.value.starts_with('/')) {
        let help = "a relative path would depend on the folder in which the program is started";
        report(sink, bind, "the path of a bound folder is not absolute", "expected `/...`", help);
    }
    for folder in &table.plugins.folders {
        if !(folder.value.starts_with("~/") || Path::new(&folder.value).is_absolute()) {
            let help = "a relative path would depend on the folder in which the program is started";
            report(sink, folder, "the path of a folder of plugins is relative", "expected `/...` or `~/...`", help);
        }
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

/// Checks that the kind of environment has what it needs.
fn check_kind(environment: &EnvironmentTable, sink: &Sink) {
    let Some(kind) = &environment.kind.written() else { return };
    let (value, key, what) = match kind.value {
        EnvironmentKind::Docker => (&environment.container.image, "environment.container.image", "an image"),
        EnvironmentKind::Apptainer => (&environment.apptainer.image, "environment.apptainer.image", "an image"),
        EnvironmentKind::Ssh => (&environment.ssh.host, "environment.ssh.host", "the name of a machine"),
        EnvironmentKind::Local | EnvironmentKind::Sandbox | EnvironmentKind::Daytona | EnvironmentKind::Modal => {
            return;
        }
    };
    if value.as_ref().is_none_or(|value| value.value.trim().is_empty()) {
        let message = format!("the environment `{}` lacks {what}", kind.value.word());
        report(
            sink,
            kind,
            &message,
            &format!("needs `{key}`"),
            &format!("set `{key}` in config.toml, or another `kind`"),
        );
    }
}

fn check_ssh(ssh: &SshTable, sink: &Sink) {
    if let Some(port) = ssh.port.as_ref().filter(|port| port.value > u16::MAX.into()) {
        report(sink, port, "`port` is not a port", "expected a number from 1 to 65535", "leave it out for 22");
    }
    for (text, key) in [(&ssh.host, "host"), (&ssh.user, "user")] {
        let Some(text) = text else { continue };
        let is_plain = |text: &str| !text.contains(|letter: char| letter.is_control() || letter.is_whitespace());
        let value = text.value.trim();
        if value.is_empty() || value.starts_with('-') || value.contains(['@', '/']) || !is_plain(value) {
            let help = "the user and the port have keys of their own";
            report(
                sink,
                text,
                &format!("`{key}` is not the name of a {key}"),
                "expected a name without spaces, `@` and `/`",
                help,
            );
        }
    }
    check_paths([(&ssh.key, "key"), (&ssh.known_hosts, "known_hosts"), (&ssh.config_file, "config_file")], sink);
    if let Some(directory) = ssh.directory.as_ref().filter(|directory| directory.value.trim().is_empty()) {
        report(
            sink,
            directory,
            "`directory` is empty",
            "expected a directory on the other machine",
            "for the home, leave it out",
        );
    }
}

fn check_daytona(daytona: &DaytonaTable, sink: &Sink) {
    check_service(daytona.url.as_ref(), "https://app.daytona.io/api", sink);
    check_paths([(&daytona.known_hosts, "known_hosts")], sink);
    let texts = [
        (&daytona.snapshot, "snapshot"),
        (&daytona.directory, "directory"),
        (&daytona.target, "target"),
        (&daytona.organization, "organization"),
    ];
    check_texts(texts, sink);
}

fn check_modal(modal: &ModalTable, sink: &Sink) {
    check_service(modal.url.as_ref(), "https://api.modal.com", sink);
    check_texts([(&modal.python.written(), "python"), (&modal.app.written(), "app"), (&modal.image, "image")], sink);
    if let Some(directory) = modal.directory.written().filter(|directory| !directory.value.trim().starts_with('/')) {
        let help = "it is a directory of the sandbox, which is made";
        report(sink, &directory, "`directory` is not absolute", "expected `/...`", help);
    }
}

/// Checks paths of what is copied.
fn check_copies(paths: &[At<String>], key: &str, sink: &Sink) {
    for path in paths {
        let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if path.value.is_empty() || !Path::new(&path.value).components().all(is_inside) {
            let help = "write the path of a file or a folder of the directory, or `.` for all of it";
            let title = format!("`{key}` has a path that is not below the directory");
            report(sink, path, &title, "expected a relative path without `..`", help);
        }
    }
}

/// Checks the address of a service to which a key is sent.
fn check_service(url: Option<&At<String>>, example: &str, sink: &Sink) {
    let Some(url) = url else { return };
    check_address(url, "url", &format!("write the address of the API, such as `{example}`"), sink);
    let host = url.value.strip_prefix("http://").unwrap_or("localhost");
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with([':', '/']);
    if !["localhost", "127.0.0.1", "[::1]"].iter().any(|own| host.strip_prefix(own).is_some_and(is_end)) {
        let help = "the key is sent to this address, and others can read it without `https`";
        report(sink, url, "`url` is not encrypted", "expected `https://...`", help);
    }
}

fn check_texts<const N: usize>(texts: [(&Option<At<String>>, &str); N], sink: &Sink) {
    for (text, key) in texts {
        if let Some(text) = text.as_ref().filter(|text| text.value.trim().is_empty()) {
            report(sink, text, &format!("`{key}` is empty"), "expected a text", "for the default, leave it out");
        }
    }
}

fn check_paths<const N: usize>(paths: [(&Option<At<String>>, &str); N], sink: &Sink) {
    for (path, key) in paths {
        let Some(path) = path else { continue };
        if !(path.value.starts_with("~/") || Path::new(&path.value).is_absolute()) {
            let help = "a relative path would depend on the folder in which the program is started";
            report(sink, path, &format!("the path of `{key}` is relative"), "expected `/...` or `~/...`", help);
        }
    }
}

/// Checks an address, which has no secret in it.
fn check_address(url: &At<String>, key: &str, help: &str, sink: &Sink) {
    let rest = url.value.strip_prefix("https://").or_else(|| url.value.strip_prefix("http://"));
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if authority.is_empty() || url.value.contains(|c: char| c.is_whitespace() || c.is_control()) {
        report(sink, url, &format!("`{key}` is not an address"), "expected `https://...` or `http://...`", help);
    } else if authority.contains('@') {
        let help = "write the key into `.env`";
        report(sink, url, &format!("`{key}` contains a user or a password"), "this file is not for secrets", help);
    }
}

fn check_model(model: &ModelTable, sink: &Sink) {
    if let Some(url) = &model.base_url {
        let help = "write the address of the API, such as `http://localhost:8000/v1`";
        check_address(url, "base_url", help, sink);
    }
    if let Some(name) = &model.key_variable
        && !name.value.is_empty()
        && !crate::env_file::is_name(&name.value)
    {
        // Do not show it: it may be the key itself.
        let help = "write the key into `.env`, as `NAME=...`, and the name here";
        report(sink, name, "`key_variable` is not the name of a variable", "expected letters, digits and `_`", help);
    }
    if let Some(name) = model.model.as_ref().filter(|name| name.value.trim().is_empty()) {
        report(
            sink,
            name,
            "`model` is empty",
            "expected the name of a model",
            "write the name that the server expects",
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
