//! An integer beyond ±(2^53 - 1) in a `default`, an `enum`, a `const` or an example.
//!
//! ## Why is this bad
//! JavaScript, and most JSON readers of clients and models, keep numbers as doubles, in which 9007199254740993 becomes
//! 9007199254740992. Identifiers of this size belong in strings.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.inode]
//! type = "integer"
//! description = "The number of the file on its device."
//! examples = [9007199254740993]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.inode]
//! type = "string"
//! description = "The number of the file on its device."
//! examples = ["9007199254740993"]
//! ```

use serde_json::Value;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S069", "inexact-integer", Some(Level::Warning), Check::Tool(check));

/// The greatest integer that a double distinguishes from its neighbors.
const MAX_EXACT: u64 = (1 << 53) - 1;

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.schemas() {
        let choices = schema.choices.iter().map(|choice| &choice.value);
        for value in choices.chain(&schema.constant).chain(&schema.default).chain(&schema.examples) {
            let Some(integer) = inexact(&value.value) else { continue };
            sink.push(
                Diagnostic::new(codes::INEXACT_INTEGER, value.place, format!("many JSON readers change the integer {integer}"))
                    .label("expected at most 9007199254740991, which is 2^53 - 1")
                    .help("use a string, or smaller integers"),
            );
        }
    }
}

/// Returns an integer of a value, at any depth, that a double may change.
fn inexact(value: &Value) -> Option<&Value> {
    match value {
        Value::Number(number) => {
            let size = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
            size.is_some_and(|size| size > MAX_EXACT).then_some(value)
        }
        Value::Array(items) => items.iter().find_map(inexact),
        Value::Object(entries) => entries.values().find_map(inexact),
        _ => None,
    }
}
