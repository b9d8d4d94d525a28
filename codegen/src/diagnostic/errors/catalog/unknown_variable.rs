//! An environment variable is required that `env.toml` does not describe.
//!
//! ## Why is this bad
//! Whoever sets the host up is told which variables are missing, what they are for and where to get them; of this one
//! there would be nothing to tell.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! env = ["WEB_API_TOKEN"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! env = ["WEB_API_KEY"]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C025", "unknown-variable");
