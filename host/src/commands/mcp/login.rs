//! `toolc mcp login` and `logout`.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use toolc::suggest::suggestion;
use toolc_mcp::{Answer, AnswerFuture, Asker, Question, QuestionKind};

use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::person::Person;
use crate::profile::Profile;
use crate::sources::servers::settings;

/// Logs in at a server.
pub(super) fn log_in(profile: &Profile, name: &str, scopes: &[String]) -> Result<u8> {
    let server = settings::server(configured(profile, name)?, profile, &[], false);
    let asker = Person::at_the_terminal().asker().unwrap_or_else(|| Arc::new(Streams));
    toolc_mcp::log_in(&server, &profile.env(), asker, scopes).map_err(|error| error.to_string())?;
    let tokens = profile.home.mcp_tokens(name);
    ask::print(&format!("logged in: {name}; the tokens are in {}\n", tokens.display())).map(|()| 0)
}

/// Removes the tokens of a server.
pub(super) fn log_out(profile: &Profile, name: &str) -> Result<u8> {
    let server = settings::server(configured(profile, name)?, profile, &[], false);
    let text = if toolc_mcp::log_out(&server).map_err(|error| error.to_string())? {
        "logged out"
    } else {
        "there was no login"
    };
    ask::print(&format!("{text}: {name}\n")).map(|()| 0)
}

/// Returns a server of the configuration.
pub(super) fn configured<'p>(profile: &'p Profile, name: &str) -> Result<&'p toolc_config::McpServer> {
    let servers = &profile.config().mcp_servers;
    let known = || servers.iter().map(|server| server.name.as_str());
    servers
        .iter()
        .find(|server| server.name == name)
        .ok_or_else(|| format!("no MCP server is called `{}`{}", show::one_line(name), suggestion(name, known())))
        .map_err(Error::Invalid)
}

/// Shows the address of a login where there is no terminal: a person reads standard error, or a program does.
#[derive(Debug)]
struct Streams;

impl Asker for Streams {
    fn ask<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        Box::pin(async move {
            let QuestionKind::Login { address, .. } = &question.kind else { return Answer::Cancel };
            eprintln!("open this address of {} in a browser:", show::one_line(&address.domain));
            eprintln!("{}", show::one_line(&address.url));
            if io::stdin().is_terminal() {
                eprintln!("then come back here");
            }
            // The browser comes back by itself.
            std::future::pending().await
        })
    }
}
