//! What plugins would add, for a user who decides whether to trust them.

use std::path::Path;

use crate::compile::{Compiled, compile_unchecked};
use crate::folders::subfolders;
use crate::hook_rules::HookRule;
use crate::report::{PluginReport, PluginState};

/// Reads the manifests of the plugin in `folder`, also if other users can write to them. Runs and registers nothing. Call it only for a
/// folder whose size and links have been checked.
///
/// A plugin with errors is [`Broken`](State::Broken).
pub fn outline(folder: &Path) -> PluginReport {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Compiled { plugin, description, findings, .. } = compile_unchecked(&name, folder);
    PluginReport {
        name,
        folder: folder.to_owned(),
        state: if plugin.is_some() { PluginState::Outline } else { PluginState::Broken },
        description,
        tools: plugin.iter().flat_map(|plugin| &plugin.tools).map(|tool| tool.name.to_string()).collect(),
        hooks: plugin.iter().flat_map(|plugin| plugin.hooks.iter()).map(HookRule::report).collect(),
        ignored_aliases: Vec::new(),
        findings,
    }
}

/// Does the same for each plugin in `folder`, sorted by name.
pub fn outlines(folder: &Path) -> Vec<PluginReport> {
    subfolders(folder).unwrap_or_default().iter().map(|folder| outline(folder)).collect()
}
