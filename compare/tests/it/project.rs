//! Projects in memory.

use toolc_codegen::Sources;
use toolc_compare::{Comparison, Finding, Snapshot, Tier, compare, load};

/// A tool with these further lines.
pub(crate) fn tool(name: &str, lines: &str) -> (String, String) {
    let text =
        format!("name = \"{name}\"\ntoolset = \"s\"\ndescription = \"Does something useful with the text.\"\n{lines}");
    (format!("manifests/tools/{name}.toml"), text)
}

/// A toolset with these further lines.
pub(crate) fn toolset(name: &str, lines: &str) -> (String, String) {
    (format!("manifests/toolsets/{name}.toml"), format!("name = \"{name}\"\ndescription = \"Tools.\"\n{lines}"))
}

/// Compiles files, and the toolset `s` if they have none.
pub(crate) fn snapshot(files: impl IntoIterator<Item = (String, String)>) -> Snapshot {
    let mut files: Vec<(String, String)> = files.into_iter().collect();
    if !files.iter().any(|(path, _)| path == "manifests/toolsets/s.toml") {
        files.push(toolset("s", ""));
    }
    load::compiled("the test".to_owned(), Sources::from_memory(files)).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares two versions of a tool that differ in these lines.
pub(crate) fn compared(before: &str, after: &str) -> Comparison {
    compare(&snapshot([tool("t", before)]), &snapshot([tool("t", after)])).unwrap()
}

/// Returns the ids of the codes of a tier.
pub(crate) fn codes(comparison: &Comparison, tier: Tier) -> Vec<&'static str> {
    let mut codes: Vec<&str> = of(comparison, tier).map(|found| found.code.id).collect();
    codes.dedup();
    codes
}

/// Returns the findings of a tier.
pub(crate) fn of(comparison: &Comparison, tier: Tier) -> impl Iterator<Item = &Finding> {
    comparison.findings.iter().filter(move |found| found.code.tier == tier)
}
