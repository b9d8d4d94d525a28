//! The first hour of a user, with the commands that the README shows: create a project, run its tools, add a tool, write its
//! handler, lint, serve the tools to an MCP client, break a manifest, fix it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::python::run_script;

/// A project in a folder of its own. Its build is kept between runs.
struct Project {
    folder: PathBuf,
    target: PathBuf,
}

/// The outcome of a command.
struct Outcome {
    success: bool,
    out: String,
    err: String,
}

impl Project {
    fn new() -> Self {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-hour");
        let folder = base.join("notebook");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&base).expect("failed to create a folder");
        Self { folder, target: base.join("target") }
    }

    /// Runs cargo in the project, and prints the time: `cargo test -- --nocapture` shows it.
    fn cargo(&self, args: &[&str]) -> Outcome {
        let began = Instant::now();
        let mut command = Command::new(env!("CARGO"));
        command.args(args).current_dir(&self.folder).env("CARGO_TARGET_DIR", &self.target);
        // The tests of this workspace may run with flags of their own.
        command.env_remove("RUSTFLAGS").env("CARGO_PROFILE_DEV_DEBUG", "0").env("NO_COLOR", "1");
        let output = command.output().expect("failed to start cargo");
        println!("{:6.2} s  cargo {}", began.elapsed().as_secs_f64(), args.join(" "));
        let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
        Outcome { success: output.status.success(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Runs cargo, which must succeed. Returns its standard output.
    fn run(&self, args: &[&str]) -> String {
        let outcome = self.cargo(args);
        assert!(outcome.success, "cargo {args:?} failed:\n{}\n{}", outcome.out, outcome.err);
        outcome.out
    }

    /// Calls a tool on the project's own command line. Returns the response.
    fn call(&self, args: &[&str]) -> Value {
        let outcome = self.cargo(&[&["run", "--quiet", "--", "call"], args].concat());
        serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", outcome.out, outcome.err))
    }

    fn edit(&self, path: &str, change: impl FnOnce(&str) -> String) {
        let path = self.folder.join(path);
        let text = fs::read_to_string(&path).expect("failed to read");
        let changed = change(&text);
        assert_ne!(text, changed, "{}", path.display());
        fs::write(path, changed).expect("failed to write");
    }
}

#[test]
fn the_first_hour_of_a_user_needs_no_help() {
    let project = Project::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (dir, toolc) = (project.folder.display().to_string(), root.display().to_string());
    let (status, out, err) = toolc_codegen::cli::capture(["init", &dir, "--toolc-path", &toolc]);
    assert_eq!(status, 0, "{out}{err}");

    // The project builds, runs and passes its checks as it is.
    assert_eq!(project.call(&["add_note", "text=Buy tea", "tags=today"]), json!({ "notes": 1 }));
    assert_eq!(project.call(&["find_notes", r#"{"word": "TEA", "limit": "5"}"#])["notes"], json!(["Buy tea #today"]));
    project.run(&["xtask", "fmt", "--check"]);
    project.run(&["xtask", "lint", "--deny-warnings"]);
    project.run(&["xtask", "gen", "--check"]);
    project.run(&["test", "--quiet"]);

    // A new tool compiles at once, and returns an error.
    project.run(&["xtask", "new", "tool", "count_notes"]);
    let error = project.call(&["count_notes"]);
    assert_eq!(error, json!({ "error": "`count_notes` is not implemented", "kind": "failed" }));
    project.run(&["test", "--quiet"]);
    let lint = project.cargo(&["xtask", "lint", "--deny-warnings"]);
    assert!(!lint.success && lint.out.contains("count_notes"), "the description is missing: {}", lint.out);

    // The author describes and implements it.
    project.edit("manifests/tools/count_notes.toml", |text| {
        let described = text.replace("\"TODO\"", "\"Count the notes that contain a word. Returns their number.\"");
        let (keys, _) = described.split_once("\n#").expect("the example of a parameter is a comment");
        format!("{keys}\nannotations = {{ read_only = true }}\n\n[params.word]\ntype = \"string\"\ndescription = \"The word to look for.\"\nrequired = true\n")
    });
    project.run(&["xtask", "fmt"]);
    project.run(&["xtask", "lint", "--deny-warnings"]);
    project.run(&["xtask", "gen"]);
    project.edit("src/lib.rs", |text| {
        let body = "        let notes = self.read().map_err(|error| ToolError::new(error.to_string()))?;\n        \
                    let count = notes.iter().filter(|note| note.contains(&args.word)).count();\n        \
                    ToolOutput::json(&json!({ \"count\": count }))\n";
        let stub = "        Err(ToolError::new(\"`count_notes` is not implemented\"))\n";
        text.replace("_args: generated::notes::count_notes", "args: generated::notes::count_notes").replace(stub, body)
    });
    assert_eq!(project.call(&["count_notes", "word=tea"]), json!({ "count": 1 }));
    let missing = project.call(&["count_notes"]);
    assert_eq!((&missing["kind"], &missing["problems"][0]["path"]), (&json!("invalid_arguments"), &json!("/word")));

    // An MCP client uses the tools.
    let program = project.target.join("debug/notebook");
    let client = run_script("mcp_client.py", |command| command.arg(&program).arg("serve").current_dir(&project.folder));
    if let Some(client) = client {
        let seen: Value = serde_json::from_str(&client.expect("the client failed")).expect("the client prints JSON");
        assert_eq!(seen["tools"], json!(["add_note", "count_notes", "find_notes"]));
        assert_eq!(seen["results"][0], json!({ "notes": 2 }));
        assert_eq!(seen["results"][1]["notes"], json!(["Buy coffee #today"]));
        assert_eq!(seen["results"][2]["kind"], "invalid_arguments");
    }

    // A mistake is reported with its place and a suggestion, and nothing is written.
    let mistake = |text: &str| text.replace("description = \"The word to look for.\"", "descripton = \"The word.\"");
    let manifest = "manifests/tools/count_notes.toml";
    let right = fs::read_to_string(project.folder.join(manifest)).expect("failed to read");
    project.edit(manifest, mistake);
    let broken = project.cargo(&["xtask", "gen"]);
    assert!(!broken.success, "{}", broken.out);
    assert!(broken.err.contains("did you mean `description`?") && broken.err.contains(manifest), "{}", broken.err);
    fs::write(project.folder.join(manifest), right).expect("failed to write");
    project.run(&["xtask", "gen", "--check"]);

    // A tool without a handler does not compile, and the error names the tool.
    project.edit("src/lib.rs", |text| text.replace("fn count_notes(", "fn count_all_notes("));
    let unhandled = project.cargo(&["build", "--quiet"]);
    assert!(!unhandled.success && unhandled.err.contains("missing: `count_notes`"), "{}", unhandled.err);
    project.edit("src/lib.rs", |text| text.replace("fn count_all_notes(", "fn count_notes("));
    project.edit("tests/tools.rs", |text| {
        text.split("\n#[test]\nfn count_notes_is").next().unwrap_or_default().to_owned()
    });
    project.run(&["test", "--quiet"]);
}
