//! An enum that has no value left in some turns.
//!
//! ## Why is this bad
//! There is then nothing that a model could send; some providers refuse an empty `enum` together with the whole
//! request.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! enum = [{ value = "image", when = "facts.vision" }]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! enum = ["text", { value = "image", when = "facts.vision" }]
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C022", "enum-can-vanish");
