//! Plugins: tools that a user adds to a host that is built, with a folder and no Rust.
//!
//! ```text
//! PLUGINS/weather/plugin.toml            executable = "run"
//! PLUGINS/weather/run                    one process a call: JSON in, JSON out
//! PLUGINS/weather/manifests/...          tools, toolsets, env.toml: as in any project
//! ```
//!
//! A plugin is a small project. Its manifests are compiled by the same pipeline as those of the host, so every feature of the
//! manifest language works, and mistakes are reported with file and line. The result is a [`toolc::ToolProvider`] in a
//! [`toolc::Registry`] like any other.
//!
//! [`Plugins`] finds them and keeps a registry up with their folders; a [`PluginReport`] tells what became of each. The
//! files: `plugins` decides which are there, `trust` whether a file may be believed, `fingerprint` whether one has changed,
//! `compile` makes a provider of a folder, `provider` answers for its tools, `invoke` is one call.

mod compile;
mod environment;
mod fingerprint;
mod invoke;
mod plugins;
mod provider;
mod report;
mod schema_values;
mod trust;

pub use plugins::Plugins;
pub use report::{Finding, Level, PluginReport, State};

/// The README's example is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
