//! Vectors: what the Rust runtime makes of arguments, turns and names, as JSON lines. The runtimes of other languages must do the same.
//!
//! `cargo run -p toolc-tests --example vectors` writes them.

pub(crate) mod reading;
#[allow(dead_code, reason = "definitions are compared with those of the runtime")]
#[path = "../tests/it/export/reference.rs"]
mod reference;
mod turns;

pub(crate) use reading::{documented, golden, random};

use std::path::PathBuf;

/// The folder of the vectors.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// The files of the vectors: name and content.
pub(crate) fn files() -> Vec<(&'static str, String)> {
    let lines = |rows: Vec<serde_json::Value>| {
        let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
        lines.join("\n") + "\n"
    };
    vec![
        ("documented.jsonl", lines(documented())),
        ("random.jsonl", lines(random(60, 1))),
        ("golden.jsonl", lines(golden(1))),
        ("golden.json", format!("{}\n", turns::catalog())),
        ("turns.jsonl", lines(turns::rows(1))),
    ]
}
