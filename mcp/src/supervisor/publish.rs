//! Registers the tools of a list, and reports the tools that are not used.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use rmcp::RoleClient;
use rmcp::service::Peer;
use serde_json::Value;

use super::Supervisor;
use crate::definition::Definition;
use crate::listing::Listing;
use crate::names::tool_name;
use crate::pins::{HeldBack, Review, ServerList};
use crate::provider::{Built, ServerProvider};
use crate::report::{LeftOut, ListedTool};
use crate::settings::Server;

/// The definitions of a list.
struct ListDefinitions {
    /// The definitions of tools that the settings allow and that can be used.
    definitions: Vec<Definition>,
    /// The names of all tools in the list.
    names: BTreeSet<String>,
    /// The tools that the settings allow and that cannot be used.
    left_out: Vec<LeftOut>,
}

impl Supervisor {
    /// Registers the tools of a list, and removes the previous tools.
    pub(super) fn publish(&self, peer: &Peer<RoleClient>, listing: Listing) {
        let server = &self.server;
        let ListDefinitions { definitions, names, mut left_out } = self.read(listing.tools, listing.left_out);
        let name_and_definition = |definition: &Definition| (definition.own_name.clone(), definition.whole.clone());
        let info = peer.peer_info();
        let instructions = info.as_ref().and_then(|info| info.instructions.as_ref());
        let listed = ServerList {
            names,
            instructions: instructions.map(|text| self.redactor.text(text).into_owned()),
            definitions: definitions.iter().map(name_and_definition).collect(),
        };
        let Review { accepted, held_back, removed, server_changes, problem } =
            server.pinning.review(server, &listed, definitions);
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(listed);
        let Built { provider, tools, left_out: unused, findings } =
            ServerProvider::build(server, accepted, &held_back, &self.caller);
        left_out.extend(unused);
        left_out.extend(missing(server, &tools, &held_back, &left_out));
        if let Some(reason) = listing.cut_off {
            left_out.push(LeftOut { tool: "further tools".to_owned(), reason });
        }
        let registered = self.registry.replace(self.provider, provider);
        self.update(|report| {
            report.left_out = left_out;
            report.findings = findings;
            report.held_back = held_back;
            report.removed = removed;
            report.server_changes = server_changes;
            report.problem = problem;
            match registered {
                Ok(()) => report.tools = tools,
                // The previous tools stay registered.
                Err(error) => report.problem = Some(error.to_string()),
            }
        });
    }

    /// Reads definitions without the values of secrets, which would otherwise be in the lock file.
    fn read(&self, tools: Vec<Value>, left_out: Vec<LeftOut>) -> ListDefinitions {
        let mut read = ListDefinitions {
            definitions: Vec::new(),
            names: left_out.iter().map(|tool| tool.tool.clone()).collect(),
            left_out: left_out.into_iter().filter(|tool| is_used(&self.server, &tool.tool)).collect(),
        };
        for tool in tools {
            let tool = self.redactor.value(tool);
            let name = tool["name"].as_str().unwrap_or_default();
            read.names.insert(name.to_owned());
            if is_used(&self.server, name) {
                match Definition::read(tool, |own_name| tool_name(&self.server.name, own_name)) {
                    Ok(definition) => read.definitions.push(definition),
                    Err((tool, reason)) => read.left_out.push(LeftOut { tool, reason }),
                }
            }
        }
        read
    }
}

/// Returns whether the settings of a server allow a tool.
fn is_used(server: &Server, name: &str) -> bool {
    let is_included = server.include.as_ref().is_none_or(|names| names.iter().any(|known| known == name));
    let for_models = tool_name(&server.name, name);
    is_included && !server.exclude.iter().any(|known| known == name || *known == for_models)
}

/// Returns the tools that the settings of a server name, and that it does not list.
fn missing(server: &Server, tools: &[ListedTool], held_back: &[HeldBack], left_out: &[LeftOut]) -> Vec<LeftOut> {
    let is_listed = |name: &String| {
        tools.iter().any(|tool| tool.own_name == *name)
            || held_back.iter().any(|held| held.tool == *name)
            || left_out.iter().any(|tool| tool.tool == *name)
    };
    let named = server.include.iter().flatten().chain(server.tools.iter().map(|(name, _)| name));
    let named: BTreeSet<&String> = named.filter(|name| !is_listed(name)).collect();
    let reason = "the configuration names it, but the server does not list it";
    named.into_iter().map(|tool| LeftOut { tool: tool.clone(), reason: reason.to_owned() }).collect()
}
