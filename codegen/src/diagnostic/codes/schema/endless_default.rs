//! A default that contains itself, through the defaults of its own properties.
//!
//! ## Why is this bad
//! Filling in the default would never end.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.start]
//! "$ref" = "#/$defs/node"
//! description = "Where to start reading."
//!
//! [schema."$defs".node]
//! type = "object"
//!
//! [schema."$defs".node.properties.next]
//! "$ref" = "#/$defs/node"
//! description = "The next node."
//! default = {}
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.start]
//! "$ref" = "#/$defs/node"
//! description = "Where to start reading."
//!
//! [schema."$defs".node]
//! type = "object"
//!
//! [schema."$defs".node.properties.next]
//! "$ref" = "#/$defs/node"
//! description = "The next node, if any."
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S011", "endless-default");
