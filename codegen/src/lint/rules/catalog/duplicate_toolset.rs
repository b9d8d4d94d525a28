//! Two manifests declare one toolset.
//!
//! ## Why is this bad
//! Which of the two is enabled by that name would be chance.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/more/files.toml
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/more/folders.toml
//! tools = ["read_file"]
//! ```

use crate::lint::Rule;

pub(super) const RULE: Rule = Rule::of_the_reader("C008", "duplicate-toolset");
