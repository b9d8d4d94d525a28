//! The home folder of the program `toolc`: what belongs to one profile of the user.
//!
//! - [`Home`] is the folder. A profile other than the default one has its own below `profiles/`.
//! - [`ConfigFile`] reads `config.toml` to a [`Config`], and reports all mistakes with their places. [`schema`] is its JSON Schema.
//! - [`EnvFile`] reads `.env`, whose variables only the sessions of the profile see.
//!
//! Nothing here is global: each value belongs to the profile from which it was read.

mod access;
mod bounded;
mod config;
mod docs;
mod edit;
mod edit_mcp;
mod env_file;
mod error;
mod file;
mod home;
mod hub;
mod keys;
mod mcp;
mod mcp_endpoints;
mod migrate;
mod settings;
mod trust;
mod variables;
mod web;

pub use access::{check_readers, check_writers};
pub use docs::{renew_tables, schema};
pub use edit::{Edited, List, edit_list, edit_permissions, set_model};
pub use edit_mcp::{add_server, enable_server, remove_server, set_server_args};
pub use env_file::{EnvFile, is_name, set_variable};
pub use error::{ConfigError, ConfigErrorKind, DirectoryError};
pub use file::{ConfigFile, FindNames, KnownNames, usable_directory};
pub use home::{DEFAULT_PROFILE, HOME_VARIABLE, Home, PROFILE_VARIABLE, Profile};
pub use keys::{
    Agent, Approval, ApprovalMode, ApprovalSet, Budget, Config, HelperModel, Helpers, Hub, Instructions, Mcp,
    McpEndpoint, McpListScope, McpOauth, McpPinning, McpServer, McpTool, Memory, PageReader, Plugins, Protect,
    ProtectReader, Results, SearchBy, SearchService, Sessions, ToolChanges, Tools, Web,
};
pub use mcp::{McpTransport, expanded};
pub use settings::{Draft, set_values, to_toml, unset_values, value_of};
pub use toolc_tables::Words;
pub use trust::{PROJECT_FOLDER, ProjectFile, ProjectFiles, Trust, TrustList, digest, revoke, trusted_projects};
pub use variables::{VariableSetting, foreign_variables, is_setting_variable};
