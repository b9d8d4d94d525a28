//! An example that violates its own schema, in every turn or in some turns.
//!
//! ## Why is this bad
//! Models copy examples. This one teaches a call that is refused.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to read."
//! maximum = 2000
//! examples = [5000]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to read."
//! maximum = 2000
//! examples = [500]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("S009", "example-violates-schema");
