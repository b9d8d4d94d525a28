//! The options of every command that runs tools.

use std::path::PathBuf;

use clap::Args;

use crate::approval::Mode;
use crate::environments::EnvironmentKind;

/// Where tools come from and act, and what happens to calls that need approval.
#[derive(Debug, Clone, Args)]
pub(crate) struct ToolOptions {
    /// A folder of plugins, instead of the user's and the system's. Can be repeated. If two folders have a plugin of the same
    /// name, the first is used.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) plugins: Vec<PathBuf>,
    /// What happens to a call that needs approval. Default: the variable `TOOLC_APPROVAL`, or else the key `approval.mode` of
    /// config.toml, or else `ask`.
    #[arg(long, global = true, value_name = "MODE")]
    pub(crate) approval: Option<Mode>,
    /// Where tools act. Default: the variable `TOOLC_ENVIRONMENT`, or else the key `environment.kind` of config.toml, or else `local`.
    #[arg(long, global = true, value_name = "KIND")]
    pub(crate) environment: Option<EnvironmentKind>,
}
