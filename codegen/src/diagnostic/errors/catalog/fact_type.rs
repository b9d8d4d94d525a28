//! A fact is compared with, or used as, another type than its own.
//!
//! ## Why is this bad
//! The comparison could only come out one way: a boolean is never equal to a text.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! when = "facts.vision == 'true'"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [requires]
//! when = "facts.vision == true"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C019", "fact-type");
