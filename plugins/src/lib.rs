//! Plugins: tools that a user adds to a built host, with a folder and without Rust.
//!
//! ```text
//! PLUGINS/weather/plugin.toml            executable = "run"
//! PLUGINS/weather/run                    the program, which runs once per call
//! PLUGINS/weather/manifests/...          tools, toolsets, env.toml, as in any project
//! ```
//!
//! A plugin is a small project. Its manifests are compiled by the same pipeline as those of the host, so every feature of the
//! manifest language works, and mistakes are reported with file and line. The result is a [`toolc::ToolProvider`] in a
//! [`toolc::Registry`] like any other.
//!
//! [`Plugins`] finds plugins and updates a registry from their folders. A [`PluginReport`] describes the state of one plugin.

// In the order of loading: `plugins` finds folders, `fingerprint` detects changes, `trust` checks permissions, `compile` turns a folder
// into a `plugin`, `provider` serves it, and `invoke` runs its program for a call.
mod compile;
mod environment;
mod fingerprint;
mod invoke;
mod plugin;
mod plugins;
mod provider;
mod report;
mod running_calls;
mod schema_values;
mod trust;

pub use plugins::Plugins;
pub use report::{Finding, Level, PluginReport, State};

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
