//! A key that this kind of manifest, or this table, does not have.
//!
//! ## Why is this bad
//! The key has no effect. With the misspelt key `paralel`, for example, calls run one after the other without a
//! visible reason. In schemas, a key that resembles a keyword of JSON Schema is reported as `misspelt-keyword`
//! instead.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! paralel = "always"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! parallel = "always"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C002", "unknown-key").fixable();
