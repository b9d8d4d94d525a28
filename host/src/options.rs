//! The options of every command that runs tools.

use std::path::PathBuf;

use clap::Args;

use toolc_config::ApprovalMode;
use toolc_environment::EnvironmentKind;

use crate::ground::words;

/// The heading of the options that every command has.
pub(crate) const GLOBAL: &str = "Options of every command";

/// The plugins, the approval mode and the environment of tools.
#[derive(Debug, Clone, Args)]
pub(crate) struct ToolOptions {
    /// A folder of plugins to use instead of the folders of the user and the system. Can be repeated. If two folders have a plugin of the
    /// same name, the first is used.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "DIR")]
    pub(crate) plugins: Vec<PathBuf>,
    /// What happens to a call that needs approval. Default: the variable `TOOLC_APPROVAL`, the key `approval.mode` of
    /// config.toml, or `ask`.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "MODE", value_parser = words::parser::<ApprovalMode>())]
    pub(crate) approval: Option<ApprovalMode>,
    /// Where tools act. Default: the variable `TOOLC_ENVIRONMENT`, the key `environment.kind` of config.toml, or `local`.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "KIND", value_parser = words::parser::<EnvironmentKind>())]
    pub(crate) environment: Option<EnvironmentKind>,
}
