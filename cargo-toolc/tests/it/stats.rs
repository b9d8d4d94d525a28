//! `stats`: the tokens of definitions.

use std::fs;

use serde_json::Value;

use crate::{TOOLSET, project, run};

/// The definition of the tool in the dialect `openai`, as a request contains it, has this many tokens of `o200k_base` and `cl100k_base`, counted
/// with another implementation.
const OF_PING: [u64; 2] = [69, 68];

#[test]
fn tokens_are_counted_for_each_tool_toolset_and_dialect() {
    let project = project();
    fs::write(project.path().join("toolc.toml"), "dialects = [\"openai\", \"anthropic\"]\n").unwrap();
    for (encoding, expected) in ["o200k", "cl100k"].into_iter().zip(OF_PING) {
        let (status, out, err) = run(project.path(), &["stats", "--format", "json", "--encoding", encoding]);
        assert_eq!(status, Some(0), "{out}{err}");
        let report: Value = serde_json::from_str(&out).unwrap();
        let tool = &report["tools"][0];
        assert_eq!((&tool["name"], tool["tokens"]["openai"].as_u64()), (&"ping".into(), Some(expected)), "{out}");
        // A list has brackets around it.
        let set = &report["toolsets"][0];
        let of_set = set["tokens"]["openai"].as_u64().unwrap();
        assert!(set["name"] == "net" && (expected..=expected + 2).contains(&of_set), "{out}");
        assert_eq!(report["dialects"][0]["estimated"], false);
        assert_eq!(report["dialects"][1]["estimated"], true);
    }
}

#[test]
fn estimates_are_marked_and_markdown_has_the_same_numbers() {
    let project = project();
    fs::write(project.path().join("toolc.toml"), "dialects = [\"openai\", \"anthropic\"]\n").unwrap();
    let (_, text, _) = run(project.path(), &["stats"]);
    let row = text.lines().find(|line| line.starts_with("ping")).unwrap().split_whitespace().collect::<Vec<_>>();
    assert!(row[1].parse::<u32>().is_ok() && row[2].starts_with('~'), "{text}");
    let (_, markdown, _) = run(project.path(), &["stats", "--format", "markdown"]);
    assert!(markdown.contains(&format!("| `ping` | {} | {} |", row[1], row[2])), "{markdown}");
}

#[test]
fn a_toolset_beyond_its_budget_fails_the_check() {
    let project = project();
    fs::write(project.path().join("manifests/toolsets/net.toml"), format!("{TOOLSET}token_budget = 20\n")).unwrap();
    assert_eq!(run(project.path(), &["stats"]).0, Some(0));
    let (status, _, err) = run(project.path(), &["stats", "--check"]);
    assert_eq!(status, Some(1));
    assert!(
        err.starts_with("error: the definitions of `net` need ") && err.ends_with("but the budget is 20\n"),
        "{err}"
    );
    fs::write(project.path().join("manifests/toolsets/net.toml"), format!("{TOOLSET}token_budget = 2000\n")).unwrap();
    assert_eq!(run(project.path(), &["stats", "--check"]).0, Some(0));
}

#[test]
fn unknown_names_and_broken_manifests_are_reported() {
    let project = project();
    for (args, expected) in [
        (["--toolset", "nat"], "error: unknown toolset `nat`: did you mean `net`?\n"),
        (["--dialect", "opnai"], "error: unknown dialect `opnai`: did you mean `openai`?\n"),
    ] {
        let (status, _, err) = run(project.path(), &[&["stats"][..], &args].concat());
        assert_eq!((status, err.as_str()), (Some(2), expected));
    }
    fs::write(project.path().join("manifests/tools/ping.toml"), "name = 1").unwrap();
    let (status, out, err) = run(project.path(), &["stats"]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(err.starts_with("error: the manifests have errors: run `cargo") && err.ends_with("lint`\n"), "{err}");
}
