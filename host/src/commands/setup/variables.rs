//! The variables that tools and MCP servers lack.

use std::fmt::Write as _;
use std::path::PathBuf;

use toolc::Dialect;
use toolc::explain::MissingVariable;
use toolc_config::{Home, set_variable};

use super::questions::Questions;
use crate::assembly::registry_to_show;
use crate::ground::error::Result;
use crate::ground::show;
use crate::ground::tell::tell;
use crate::profile::Profile;
use crate::sources::hub;

/// Asks for the missing variables of tools.
pub(super) fn ask_for_variables(home: &Home, folders: &[PathBuf], questions: &Questions) -> Result<()> {
    let variables = missing_variables(home, folders)?;
    // Of alternatives, one is asked for.
    for variable in variables.iter().filter(|variable| variable.alternatives.is_empty()) {
        ask_for_variable(home, variable, questions)?;
    }
    Ok(())
}

/// Asks for one of several variables that are alternatives, such as the keys of services. They are asked for last, as a menu.
pub(super) fn ask_for_alternatives(home: &Home, folders: &[PathBuf], questions: &Questions) -> Result<()> {
    let variables = missing_variables(home, folders)?;
    let mut asked: Vec<&str> = Vec::new();
    for variable in variables.iter().filter(|variable| !variable.alternatives.is_empty()) {
        if asked.contains(&&*variable.name) {
            continue;
        }
        let group = alternatives(variable, &variables);
        asked.extend(group.iter().map(|one| &*one.name));
        if let Some(chosen) = questions.variable(&group)? {
            ask_for_variable(home, chosen, questions)?;
        }
    }
    Ok(())
}

/// Asks for the token of GitHub, if the hub of skills is used without one. The token is optional, so that the input may end before.
pub(super) fn ask_for_hub(home: &Home, questions: &Questions) -> Result<()> {
    let profile = Profile::read(home.clone())?;
    let Some(variable) = hub::missing_token(&profile).filter(|_| hub::is_used(home)) else { return Ok(()) };
    tell!("\n{}, for the hub of skills (optional)\n  {}\n  see {}", variable.name, variable.description, variable.url);
    if let Some(value) = questions.optional(&variable.prompt, variable.secret)? {
        set_variable(home, &variable.name, &value)?;
        tell!("written: {}", home.env().display());
    }
    Ok(())
}

fn missing_variables(home: &Home, folders: &[PathBuf]) -> Result<Vec<MissingVariable>> {
    let profile = Profile::read(home.clone())?;
    let registry = registry_to_show(home, profile.config(), folders)?;
    let session = registry.session().env(profile.env()).facts(profile.facts()).build()?;
    Ok(session.turn_blocking(Dialect::Mcp).doctor().variables)
}

/// Returns a variable and its alternatives.
fn alternatives<'v>(variable: &'v MissingVariable, all: &'v [MissingVariable]) -> Vec<&'v MissingVariable> {
    let is_one = |other: &&MissingVariable| other.name == variable.name || variable.alternatives.contains(&other.name);
    all.iter().filter(is_one).collect()
}

fn ask_for_variable(home: &Home, variable: &MissingVariable, questions: &Questions) -> Result<()> {
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
    Ok(())
}

/// Asks for the missing variables of MCP servers.
pub(super) fn ask_for_server_variables(home: &Home, questions: &Questions) -> Result<()> {
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
