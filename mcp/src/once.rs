//! Lists the tools of a server once, as the server sent them.

use std::sync::Arc;

use serde_json::Value;
use toolc::{Env, Registry};

use crate::accounts::block_on;
use crate::ask::Questioner;
use crate::client::Client;
use crate::connect::connect;
use crate::error::{ErrorKind, McpError};
use crate::listing::Listing;
use crate::secrets::SecretRedactor;
use crate::settings::Server;

/// The definitions of the tools of a server, and those that cannot be used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListedTools {
    /// The definitions, each as the server sent it.
    pub tools: Vec<Value>,
    /// The names of other tools, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// Why further tools are not listed.
    pub cut_off: Option<String>,
}

/// Starts a server, lists its tools, and ends it. It cannot ask anything. Blocks at most for the time limit of a start.
///
/// # Errors
/// Returns an error if the server cannot be reached, or does not list its tools within the time limit of a start.
pub fn list_tools(server: &Server, env: &Env) -> Result<ListedTools, McpError> {
    let redactor = Arc::new(SecretRedactor::new(Registry::new().redactor(env)));
    let questioner =
        Questioner::new(&server.name, None, None, server.question_timeout, Arc::clone(&redactor), Arc::default());
    let (client, server) = (Client::new(Arc::new(questioner)), Arc::new(server.clone()));
    let unreachable = |reason: String| McpError::new(ErrorKind::Unreachable, reason);
    let listed = async {
        let mut program = None;
        let connection = connect(&server, &client, env, &redactor, &mut program, None).await;
        let connection = connection.map_err(|error| unreachable(error.reason))?;
        let listing = Listing::read(connection.service.peer(), &connection.inbox).await;
        let _ = connection.service.cancel().await;
        listing.map_err(|error| {
            unreachable(format!("the server does not list its tools: {}", redactor.text(&error.to_string())))
        })
    };
    let listing = block_on(async {
        let seconds = server.start_timeout.as_secs_f32();
        let late = || unreachable(format!("the server did not list its tools within {seconds} s"));
        tokio::time::timeout(server.start_timeout, listed).await.map_err(|_| late())?
    })?;
    let left_out = listing.left_out.into_iter().map(|left| (left.tool, left.reason)).collect();
    Ok(ListedTools { tools: listing.tools, left_out, cut_off: listing.cut_off })
}
