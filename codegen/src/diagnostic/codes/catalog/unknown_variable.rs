//! A required environment variable that `env.toml` does not describe.
//!
//! ## Why is this bad
//! `doctor` tells the user who sets up the host what each missing variable is for and where to get it. It has no
//! such information about this variable.
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
