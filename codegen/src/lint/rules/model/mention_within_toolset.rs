//! A description that names another tool which is always selected together with this one. Off by default: only a host that
//! disables single tools, with `disable_tools` or at a user's request, can show one without the other.
//!
//! ## Why is this bad
//! In such a host, the model reads about a tool that it does not have. See
//! [`unconditional-mention`](#m014-unconditional-mention), which reports tools that the project itself can separate.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! lint.mention-within-toolset = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines. To change it, use `write_file` afterwards."
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! lint.mention-within-toolset = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines.{% if tools.write_file %} To change it, use `write_file` afterwards.{% endif %}"
//! ```

use crate::lint::codes;
use super::unconditional_mention::{Named, report_mentions};
use crate::diagnostic::{Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M021", "mention-within-toolset", None, Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    report_mentions(lint, sink, |context, named, places| match named {
        Named::Tool(other) if context.lint.separation(context.id, other).is_none() => {
            let name = context.lint[other].name();
            Some(context.finding(codes::MENTION_WITHIN_TOOLSET, name, "a host can disable on its own", places))
        }
        _ => None,
    });
}
