//! Plugins: tools that a user adds to a built host, with a folder and without Rust.
//!
//! ```text
//! PLUGINS/weather/plugin.toml            executable = "run"
//! PLUGINS/weather/run                    the program, which runs once per call or stays running
//! PLUGINS/weather/manifests/...          tools, toolsets, env.toml, as in any project
//! ```
//!
//! A plugin is a small project. Its manifests are compiled by the same pipeline as those of the host, so every feature of the
//! manifest language works, and mistakes are reported with file and line. The result is a [`toolc::ToolProvider`] in a
//! [`toolc::Registry`] like any other, and [hooks](Plugins::hooks) for its sessions.
//!
//! [`Plugins`] finds plugins and updates a registry from their folders. A [`PluginReport`] describes the state of one plugin.

// In the order of loading: `folders` finds folders, `fingerprint` detects changes, `trust` checks permissions, `compile` turns a folder
// into a `plugin`, and `provider` and `hooks` serve it. For a call, `invoke` and `hook` send a request to the `program`. `memory` sends
// those about notes.
mod background;
mod compile;
mod decision;
mod fingerprint;
mod folders;
mod hook;
mod hook_request;
mod hook_rules;
mod hooks;
mod invoke;
mod memory;
mod outline;
mod plugin;
mod plugins;
mod program;
mod provider;
mod report;
mod schema_values;
mod trust;

pub use hooks::PluginHooks;
pub use memory::{NoMemory, Notes, PluginMemory};
pub use outline::{outline, outlines};
pub use plugins::Plugins;
pub use report::{Finding, HookReport, Level, PluginReport, PluginState};

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
