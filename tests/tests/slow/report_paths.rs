//! The paths in SARIF and in GitHub annotations are relative to the root of the repository, wherever lint runs.
//! Each run is a process of its own, because the current folder belongs to the process.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The environment variables of the process that runs lint: its arguments, one a line, and the file for its output.
const ARGS: &str = "TOOLC_TEST_LINT_ARGS";
const OUT: &str = "TOOLC_TEST_LINT_OUT";

#[test]
fn reported_paths_lead_from_the_root_of_the_repository_to_files() {
    if let (Ok(args), Ok(out)) = (env::var(ARGS), env::var(OUT)) {
        let (_, text, err) = toolc_codegen::cli::capture(args.lines());
        assert_eq!(err, "");
        return fs::write(out, text).expect("failed to write");
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let outside = folder.path().canonicalize().expect("the folder exists");
    let repository = outside.join("repo with space");
    let project = repository.join("agents/bot");
    for (path, text) in [
        (
            "manifests/tools/t.toml",
            "name = \"t\"\ntoolset = \"s\"\ndescription = \"T.\"\n[params.x]\ntype = \"strin\"\n",
        ),
        ("manifests/toolsets/s.toml", "name = \"s\"\ndescription = \"S.\"\nincludes = [\"r\"]\n"),
        ("manifests/toolsets/r.toml", "name = \"r\"\ndescription = \"R.\"\nincludes = [\"s\"]\n"),
        ("manifests/toolsets/50%, é.toml", "name = \"x\"\ndescription = \"X.\"\n"),
    ] {
        let path = project.join(path);
        fs::create_dir_all(path.parent().expect("below the project")).expect("failed to make a folder");
        fs::write(path, text).expect("failed to write");
    }
    for mark in [".git", "no repository"] {
        let base = if mark == ".git" { &repository } else { &project };
        fs::create_dir_all(repository.join(mark)).expect("failed to make a folder");
        let root = project.to_str().expect("text");
        for (here, root) in [
            (&repository, "agents/bot"),
            (&repository, root),
            (&project, "."),
            (&project, ""),
            (&project.join("manifests/tools"), ""),
            (&project.join("manifests"), "../../bot"),
            (&outside, root),
            (&outside, "repo with space/agents/bot/"),
        ] {
            let sarif: Value = serde_json::from_str(&lint(here, root, "sarif")).expect("JSON");
            let folder = &sarif["runs"][0]["originalUriBaseIds"]["%SRCROOT%"]["uri"];
            let expected = format!("file://{}/", base.to_str().expect("text").replace(' ', "%20"));
            assert_eq!(folder.as_str(), Some(expected.as_str()), "{} {root}", here.display());
            let mut uris = Vec::new();
            collect_uris(&sarif["runs"][0]["results"], &mut uris);
            assert!(uris.len() >= 4, "{sarif:#}");
            for uri in uris {
                let path = decode(&uri);
                assert!(!path.starts_with('/') && base.join(&path).is_file(), "{path} in {}", base.display());
            }
            let annotations = lint(here, root, "github");
            assert!(annotations.lines().count() >= 3, "{annotations}");
            for line in annotations.lines() {
                let path = line.split_once(" file=").expect("a file").1.split(',').next().expect("a file");
                let path = decode(path);
                assert!(base.join(&path).is_file(), "{path} in {}", base.display());
            }
        }
        let _ = fs::remove_dir_all(repository.join(mark));
    }
}

/// Runs lint in a folder, and returns what it prints.
fn lint(here: &Path, root: &str, format: &str) -> String {
    let out = tempfile::NamedTempFile::new().expect("failed to make a file");
    let args = if root.is_empty() { vec![] } else { vec!["--root", root] };
    let args = [&args[..], &["lint", "--format", format, "syntax"]].concat().join("\n");
    let output = Command::new(env::current_exe().expect("this is a program"))
        .args(["report_paths::reported_paths_lead_from_the_root_of_the_repository_to_files", "--exact", "--nocapture"])
        .envs([(ARGS, args.as_str()), (OUT, out.path().to_str().expect("text"))])
        .current_dir(here)
        .output()
        .expect("failed to start lint");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    fs::read_to_string(out.path()).expect("failed to read")
}

fn collect_uris(value: &Value, uris: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            if let Some(uri) = entries.get("uri").and_then(Value::as_str) {
                assert_eq!(entries["uriBaseId"], "%SRCROOT%");
                uris.push(uri.to_owned());
            }
            entries.values().for_each(|value| collect_uris(value, uris));
        }
        Value::Array(items) => items.iter().for_each(|value| collect_uris(value, uris)),
        _ => {}
    }
}

/// Decodes `%XX`.
fn decode(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).expect("UTF-8")
}
