//! Pins the versions of packages that are MCP servers: a version is checked, and written to config.toml.

use std::sync::Arc;

use toolc_config::{McpServer, set_server_args};
use toolc_mcp::{Answer, AnswerFuture, Asker, Package, Question};

use super::login::find_configured;
use crate::ground::error::Result;
use crate::ground::show;
use crate::ground::tell::{tell, tell_part};
use crate::person::Person;
use crate::profile::Profile;
use crate::sources::servers::settings;

/// Pins the package of a new server. Returns the server, and a note about the package.
pub(super) fn pin_new_server(profile: &Profile, mut server: McpServer) -> Result<(McpServer, String)> {
    let Some(package) = resolve(profile, &server)? else { return Ok((server, String::new())) };
    let note = note(&package);
    server.args = package.args;
    Ok((server, note))
}

/// Pins the packages of configured servers.
pub(super) fn pin_configured(profile: &Profile, names: &[String]) -> Result<()> {
    for name in names {
        let server = find_configured(profile, name)?;
        let Some(package) = resolve(profile, server)? else { continue };
        tell_part!("{}", note(&package));
        if package.args != server.args {
            set_server_args(&profile.home, name, &package.args)?;
            tell!("written: {}", profile.home.config().display());
        }
    }
    Ok(())
}

fn resolve(profile: &Profile, server: &McpServer) -> Result<Option<Package>> {
    let asker = Person::at_the_terminal().asker().unwrap_or_else(|| Arc::new(NoPerson));
    Ok(toolc_mcp::resolve_package(&settings::server(server, profile, &[], false), asker)?)
}

fn note(package: &Package) -> String {
    let mut note = format!("package: {}", show::one_line(&package.name));
    if !package.advisories.is_empty() {
        note += &format!("; known vulnerabilities: {}", show::one_line(&package.advisories.join(", ")));
    }
    if let Some(reason) = &package.unchecked {
        note += &format!("; the package could not be checked: {}", show::one_line(reason));
    }
    note + "\n"
}

/// Cancels each question, because no person can be asked.
#[derive(Debug)]
struct NoPerson;

impl Asker for NoPerson {
    fn ask<'a>(&'a self, _: &'a Question) -> AnswerFuture<'a> {
        Box::pin(std::future::ready(Answer::Cancel))
    }
}
