//! A tool that code may call, with a `timeout` that is longer than the time for which the vendor's code waits for a result. The record of
//! the dialect has this time (`max_wait_seconds`).
//!
//! ## Why is this bad
//! The code stops waiting while the call still runs, and the result is lost. Usually, the model then runs the code again, which repeats the
//! call. Anthropic: "If your tool result doesn't arrive within about 4 minutes, the pending call raises a `TimeoutError` inside Claude's
//! running code. Claude sees the error in `stderr` and typically retries the call". (Programmatic tool calling, as of 2026-09.)
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! callers = ["model", "code"]
//! execution = "blocking"
//! timeout = "10m"
//!
//! [returns]
//! type = "array"
//! items = { type = "string" }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! callers = ["model", "code"]
//! execution = "blocking"
//! timeout = "3m"
//!
//! [returns]
//! type = "array"
//! items = { type = "string" }
//! ```

use std::time::Duration;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::lower::form;

pub(super) const RULE: Rule = Rule::new("P024", "timeout-beyond-code", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let (Some(callers), Some(timeout)) = (tool.called_by_code(), &tool.manifest.timeout) else { return };
    let waits = tool.dialects_with_code(lint).filter_map(|dialect| {
        let limit = form(dialect, tool).code.max_wait_seconds()?;
        (timeout.value > Duration::from_secs(limit.value)).then_some((dialect.name, limit))
    });
    let waits: Vec<_> = waits.collect();
    let Some((_, shortest)) = waits.iter().min_by_key(|(_, limit)| limit.value) else { return };
    let dialects: Vec<&str> = waits.iter().map(|(dialect, _)| *dialect).collect();
    let (name, time) = (tool.name(), timeout.value);
    let message = format!(
        "a call of `{name}` may take {time:?}, but code waits for {}s in {}",
        shortest.value,
        ticked(&dialects, ", ")
    );
    sink.push(
        Diagnostic::new(codes::TIMEOUT_BEYOND_CODE, timeout.place, message)
            .related(callers, "code may call it")
            .help("lower `timeout`, split the work into calls that take less, or remove `\"code\"` from `callers`"),
    );
}
