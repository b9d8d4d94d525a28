//! An example that violates its own schema, in every turn or in some turns. An example of a whole call, in `[schema]`, must also be a call
//! that the runtime accepts. For instance, integers must fit 64 bits.
//!
//! ## Why is this bad
//! Models copy examples. This one teaches a call that is refused. For examples of whole calls, Anthropic says: "Each example must be valid
//! according to the tool's `input_schema`. Invalid examples return a 400 error". (Define tools, as of 2026-09.)
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
