//! `toolc setup`: asks for missing settings, and writes them to config.toml and .env.

use std::cell::Cell;
use std::fmt::Write as _;

use clap::Args;
use toolc::{Dialect, Env};
use toolc_config::{Home, Words as _, set_model, set_variable};
use toolc_model::{Api, Client, ErrorKind, Model};

use crate::assembly::registry_to_show;
use crate::ground::ask::{self, Answer};
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use crate::models;
use crate::profile::Profile;

/// The last part of the help.
const EXIT_STATUS: &str = "\
Asks for missing settings: a model, keys, and the variables of tools and MCP servers. An empty answer skips a question. Without a
terminal, each answer is a line of standard input. Secrets are written to .env, which only its owner can read. The key of a model is tested with a request that costs nothing.

Exit status:
  0  success
  1  a server refuses a key
  2  a file cannot be used, standard input has no answer, or the command runs inside a tool";

/// The maximum number of attempts to enter a key, if the server refuses it.
const MAX_TRIES: usize = 3;

/// The arguments of `setup`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct SetupArgs {
    /// Do not test keys.
    #[arg(long)]
    offline: bool,
}

/// The questions of one run.
#[derive(Default)]
struct Questions {
    has_answer: Cell<bool>,
}

impl Questions {
    /// Asks for a value. Returns `None` if the answer is empty, or the input has ended after other answers.
    ///
    /// # Errors
    /// Returns an error if the input ends before the first answer.
    fn value(&self, prompt: &str, is_secret: bool) -> Result<Option<String>> {
        let answer = ask::value(prompt, is_secret)?;
        let had_answer = self.has_answer.replace(true);
        match answer {
            Answer::Text(text) => Ok(Some(text)),
            Answer::Blank => Ok(None),
            Answer::End if had_answer => Ok(None),
            Answer::End => Err(Error::Invalid("standard input has ended before the first answer: run `toolc setup` at a terminal, or write one line of input \
                                for each question"
                .to_owned())),
        }
    }
}

impl SetupArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, folders: &[std::path::PathBuf], home: &Home) -> Result<u8> {
        ask::require_person("set up the program")?;
        home.check_is_folder()?;
        home.create(home.path()).map_err(|error| Error::failed(format!("create {}", home.path().display()), error))?;
        tell!("profile {}, in {}", home.profile(), home.path().display());
        let questions = Questions::default();
        if Profile::read(home.clone())?.config().main_model().is_none() {
            ask_for_model(home, &questions)?;
        }
        let is_refused = self.ask_for_keys(home, &questions)?;
        ask_for_variables(home, folders, &questions)?;
        ask_for_server_variables(home, &questions)?;
        tell!("`toolc tools` lists the tools, and `toolc config show` the configuration");
        Ok(u8::from(is_refused))
    }

    /// Asks for missing keys of models, and tests all keys. Returns whether a server refuses a key.
    fn ask_for_keys(&self, home: &Home, questions: &Questions) -> Result<bool> {
        let profile = Profile::read(home.clone())?;
        let config = profile.config();
        let mut is_refused = false;
        let mut tested = Vec::new();
        for model in &config.models {
            let server = (model.base_url(), model.key_variable());
            if tested.contains(&server) {
                continue;
            }
            is_refused |= self.ask_for_key(home, model, questions)?;
            tested.push(server);
        }
        Ok(is_refused)
    }

    fn ask_for_key(&self, home: &Home, model: &Model, questions: &Questions) -> Result<bool> {
        let Some(variable) = model.key_variable() else { return Ok(false) };
        let mut env = Profile::read(home.clone())?.env();
        for _ in 0..MAX_TRIES {
            if env.var(variable).is_none() {
                tell!("\n{variable}: the key of the model {} at {}", show::one_line(model.name()), model.base_url());
                let Some(key) = questions.value(variable, true)? else { return Ok(false) };
                env = env.with_secret(variable, key);
            }
            let is_refused = !self.offline && is_refused(model, &env)?;
            if !is_refused {
                return save_variable(home, variable, &env).map(|()| false);
            }
            // Ask again.
            env = env.with_secret(variable, "");
        }
        Ok(true)
    }
}

/// Returns whether the server of a model refuses the key. If the server does not answer, the key counts as accepted.
fn is_refused(model: &Model, env: &Env) -> Result<bool> {
    let client: Client = models::client(model, env)?;
    let runtime = crate::ground::executor()?;
    match runtime.block_on(client.check_key()) {
        Ok(()) => {
            tell!("the server accepts the key");
            Ok(false)
        }
        Err(error) if error.kind() == ErrorKind::Unauthorized => {
            tell!("error: {}", show::one_line(&error.to_string()));
            Ok(true)
        }
        Err(error) => {
            tell!("warning: the key could not be tested: {}", show::one_line(&error.to_string()));
            Ok(false)
        }
    }
}

/// Writes a variable to `.env`, unless it is set in the environment of the process or in the file.
fn save_variable(home: &Home, variable: &str, env: &Env) -> Result<()> {
    let is_set = Profile::read(home.clone())?.env().var(variable);
    match env.var(variable) {
        Some(value) if is_set.as_deref() != Some(&value) => {
            set_variable(home, variable, &value)?;
            tell!("written: {}", home.env().display());
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Asks for the main model.
fn ask_for_model(home: &Home, questions: &Questions) -> Result<()> {
    let apis: Vec<String> = Api::ALL.iter().map(|api| format!("{}:NAME", api.word())).collect();
    tell!("\nThe model that works on tasks: {}", apis.join(", "));
    for _ in 0..MAX_TRIES {
        let Some(answer) = questions.value("model", false)? else { return Ok(()) };
        let named = answer.split_once(':').filter(|(_, name)| !name.trim().is_empty());
        match named.and_then(|(api, name)| Some((Api::from_word(api.trim())?, name.trim()))) {
            Some((api, name)) => {
                set_model(home, &Model { alias: "main".to_owned(), ..Model::new(api, name) })?;
                tell!("written: {}", home.config().display());
                return Ok(());
            }
            None => tell!("error: expected one of {}", apis.join(", ")),
        }
    }
    Ok(())
}

/// Asks for the missing variables of tools.
fn ask_for_variables(home: &Home, folders: &[std::path::PathBuf], questions: &Questions) -> Result<()> {
    let profile = Profile::read(home.clone())?;
    let registry = registry_to_show(home, profile.config(), folders)?;
    let session = registry.session().env(profile.env()).facts(profile.facts());
    let session = session.build()?;
    for variable in session.turn_blocking(Dialect::Mcp).doctor().variables {
        let tools: Vec<&str> = variable.tools.iter().map(AsRef::as_ref).collect();
        let mut text = format!("\n{}, for {}", show::one_line(&variable.name), show::one_line(&tools.join(", ")));
        if !variable.description.is_empty() {
            let _ = write!(text, "\n  {}", show::one_line(&variable.description));
        }
        if !variable.url.is_empty() {
            let _ = write!(text, "\n  see {}", show::one_line(&variable.url));
        }
        tell!("{text}");
        let prompt = if variable.prompt.is_empty() { &variable.name } else { &variable.prompt };
        if let Some(value) = questions.value(&show::one_line(prompt), variable.secret)? {
            set_variable(home, &variable.name, &value)?;
            tell!("written: {}", home.env().display());
        }
    }
    Ok(())
}

/// Asks for the missing variables of MCP servers.
fn ask_for_server_variables(home: &Home, questions: &Questions) -> Result<()> {
    let profile = Profile::read(home.clone())?;
    let mut asked: Vec<&str> = Vec::new();
    for server in profile.config().mcp.servers.iter().filter(|server| server.enabled) {
        for variable in server.variables() {
            let is_set = profile.env().var(variable).is_some_and(|value| !value.trim().is_empty());
            if is_set || asked.contains(&variable) {
                continue;
            }
            asked.push(variable);
            tell!("\n{}, for the MCP server `{}`", show::one_line(variable), show::one_line(&server.name));
            // Each variable of a server may be a secret.
            if let Some(value) = questions.value(&show::one_line(variable), true)? {
                set_variable(home, variable, &value)?;
                tell!("written: {}", home.env().display());
            }
        }
    }
    Ok(())
}
