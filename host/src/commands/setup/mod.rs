//! `toolc setup`: asks for missing settings, and writes them to config.toml and .env.

mod local;
mod model;
mod providers;
mod questions;
mod variables;

use clap::Args;
use toolc::Env;
use toolc_config::{Home, set_variable};
use toolc_model::{Client, ErrorKind, Model};

use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use crate::models;
use crate::profile::Profile;

use model::{ModelAsker, Outcome};
use providers::Provider;
use questions::Questions;

/// The last part of the help.
const EXIT_STATUS: &str = "\
Asks for missing settings: a model, keys, and the variables of tools and MCP servers. An empty answer skips a question. Without a
terminal, each answer is a line of standard input. Options answer the questions about the model. The provider is asked for its list
of models, and the usual ports of this machine are searched for model servers. Secrets are written to .env, which only its owner can read. A new model is tested with a short
request, and the keys of the others with a request that costs nothing.

Exit status:
  0  success
  1  a server refuses a key or a model, cannot be reached, or does not answer
  2  a file cannot be used, standard input has no answer, or the command runs inside a tool";

/// The maximum number of attempts to enter a key, a model or an address.
const MAX_TRIES: usize = 3;

/// The arguments of `setup`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct SetupArgs {
    /// The provider of the model.
    #[arg(long, value_name = "NAME", value_parser = providers::parser())]
    provider: Option<&'static Provider>,
    /// The name of the model at the provider. Without --provider and --base-url: API:NAME.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The address of the API. Without a provider, it is a server with Chat Completions.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The variable that holds the key. Empty: the server needs no key.
    #[arg(long, value_name = "VARIABLE")]
    key_variable: Option<String>,
    /// The name of the model in config.toml.
    #[arg(long = "as", value_name = "NAME", default_value = "main")]
    name: String,
    /// Ask for a model even if config.toml has one of this name.
    #[arg(long)]
    change_model: bool,
    /// Ask nothing: use the options, and what is set already.
    #[arg(long)]
    yes: bool,
    /// Test nothing, and look for no servers.
    #[arg(long)]
    offline: bool,
}

impl SetupArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, folders: &[std::path::PathBuf], home: &Home) -> Result<u8> {
        ask::require_person("set up the program")?;
        if let Some(variable) =
            self.key_variable.as_deref().filter(|name| !name.is_empty() && !toolc_config::is_name(name))
        {
            // It may be the key itself.
            let hint = "expected letters, digits and `_`";
            return Err(Error::Invalid(format!(
                "`--key-variable` is not the name of a variable ({} characters): {hint}",
                variable.chars().count()
            )));
        }
        home.check_is_folder()?;
        home.create(home.path()).map_err(|error| Error::failed(format!("create {}", home.path().display()), error))?;
        tell!("profile {}, in {}", home.profile(), home.path().display());
        let questions = Questions::new(self.yes);
        let profile = Profile::read(home.clone())?;
        let known = profile.config().model(&self.name);
        let is_named = self.provider.is_some() || self.model.is_some() || self.base_url.is_some();
        let outcome = match known {
            Some(model) if !is_named && !self.change_model => {
                let (name, url) = (show::one_line(model.name()), show::one_line(model.base_url()));
                tell!("the model is {name} at {url}: `toolc setup --change-model` asks for another one");
                Outcome::Skipped
            }
            _ => ModelAsker { args: self, home, questions: &questions, env: profile.env() }.run()?,
        };
        let is_refused = self.ask_for_keys(home, &questions, outcome)?;
        variables::ask_for_variables(home, folders, &questions)?;
        variables::ask_for_server_variables(home, &questions)?;
        variables::ask_for_alternatives(home, folders, &questions)?;
        variables::ask_for_hub(home, &questions)?;
        let has_failed = is_refused || matches!(outcome, Outcome::Refused | Outcome::Unanswered);
        if !has_failed {
            tell_next_steps(home)?;
        }
        Ok(u8::from(has_failed))
    }

    /// Asks for missing keys of models, and tests all keys, except that of a model that was tested before. Returns whether a server refuses a
    /// key.
    fn ask_for_keys(&self, home: &Home, questions: &Questions, outcome: Outcome) -> Result<bool> {
        let profile = Profile::read(home.clone())?;
        let config = profile.config();
        let mut is_refused = false;
        let mut tested = Vec::new();
        if matches!(outcome, Outcome::Written | Outcome::Unanswered) {
            tested.extend(config.model(&self.name).map(|model| (model.base_url(), model.key_variable())));
        }
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
        let mut was_refused = false;
        for _ in 0..MAX_TRIES {
            if env.var(variable).is_none() {
                tell!("\n{variable}: the key of the model {} at {}", show::one_line(model.name()), model.base_url());
                let Some(key) = questions.value(variable, true)? else { return Ok(was_refused) };
                env = env.with_secret(variable, key);
            }
            let is_refused = !self.offline && is_refused(model, &env)?;
            if !is_refused {
                return save_variable(home, variable, &env).map(|()| false);
            }
            was_refused = true;
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

/// Says what to do next.
fn tell_next_steps(home: &Home) -> Result<()> {
    let profile = Profile::read(home.clone())?;
    let option = if home.profile().is_default() { String::new() } else { format!(" --profile {}", home.profile()) };
    if profile.config().main_model().is_some() {
        tell!("\nnext: run `toolc{option}` for a chat, or `toolc{option} agent \"...\"` for one task");
    } else {
        tell!("\nno model is set: `toolc setup{option}` asks again, and `toolc --model script:FILE` needs none");
    }
    tell!("`toolc{option} tools` lists the tools, and `toolc{option} config show` the configuration");
    Ok(())
}
