//! `toolc mcp login` and `logout`.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use toolc::suggest::suggestion;
use toolc_mcp::{Answer, AnswerFuture, Asker, Question, QuestionKind};

use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use crate::person::Person;
use crate::profile::Profile;
use crate::sources::servers::settings;

/// Logs in at a server.
pub(super) fn log_in(profile: &Profile, name: &str, scopes: &[String]) -> Result<u8> {
    let server = settings::server(find_configured(profile, name)?, profile, &[], false);
    let asker = Person::at_the_terminal().asker().unwrap_or_else(|| Arc::new(StderrPrompt));
    toolc_mcp::log_in(&server, &profile.env(), asker, scopes).map_err(|error| error.to_string())?;
    let tokens = profile.home.mcp_tokens(name);
    ask::print(&format!("logged in: {name}; the tokens are in {}\n", tokens.display())).map(|()| 0)
}

/// Removes the tokens of a server.
pub(super) fn log_out(profile: &Profile, name: &str) -> Result<u8> {
    let server = settings::server(find_configured(profile, name)?, profile, &[], false);
    let text =
        if toolc_mcp::log_out(&server).map_err(|error| error.to_string())? { "logged out" } else { "not logged in" };
    ask::print(&format!("{text}: {name}\n")).map(|()| 0)
}

/// Returns a server of the configuration.
pub(super) fn find_configured<'p>(profile: &'p Profile, name: &str) -> Result<&'p toolc_config::McpServer> {
    let servers = &profile.config().mcp.servers;
    let known = || servers.iter().map(|server| server.name.as_str());
    servers
        .iter()
        .find(|server| server.name == name)
        .ok_or_else(|| format!("no MCP server is named `{}`{}", show::one_line(name), suggestion(name, known())))
        .map_err(Error::Invalid)
}

/// Prints the address of a login to standard error, if no dialog at the terminal is possible.
#[derive(Debug)]
struct StderrPrompt;

impl Asker for StderrPrompt {
    fn ask<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            let QuestionKind::Login { address, .. } = &question.kind else { return Answer::Cancel };
            tell!("open this address of {} in a browser:", show::one_line(&address.domain));
            tell!("{}", show::one_line(&address.url));
            if io::stdin().is_terminal() {
                tell!("then return to this terminal");
            }
            // The login ends when the browser opens the redirect address.
            std::future::pending().await
        })
    }
}
