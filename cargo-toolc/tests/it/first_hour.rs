//! The first hour of a user: the tutorial of the README to the letter, and then what users do next: check, serve the tools to an
//! MCP client, break a manifest, fix it.
//!
//! The compiler is this program, as if it were installed. If `TOOLC_COMPILES` is set, cargo compiles it, as on a fresh machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use serde_json::{Value, json};
use toolc_test_support::packages;

/// The folder of the project, as the README writes it.
const FOLDER: &str = "../my-agent";
/// Set if no compiler is installed.
const COMPILES: &str = "TOOLC_COMPILES";

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

/// A block of the README, with the language of its fence.
struct Block<'r> {
    language: &'r str,
    text: &'r str,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the blocks of a section.
fn blocks<'r>(readme: &'r str, heading: &str) -> Vec<Block<'r>> {
    let section = readme.split(&format!("\n## {heading}\n")).nth(1).and_then(|rest| rest.split("\n## ").next());
    let fences = section.expect("the README has the section").split("```").skip(1).step_by(2);
    fences
        .map(|fence| {
            let (language, text) = fence.split_once('\n').expect("a fence has lines");
            Block { language, text }
        })
        .collect()
}

impl Project {
    fn new() -> Self {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-hour");
        let folder = base.join("my-agent");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&base).expect("failed to create a folder");
        Self { folder, target: base.join("target") }
    }

    /// Runs a command line in the project, and prints the time: `cargo test -- --nocapture` shows it.
    fn shell(&self, line: &str) -> Outcome {
        let began = Instant::now();
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).current_dir(&self.folder).stdin(Stdio::null());
        command.env("CARGO_TARGET_DIR", &self.target).env("CARGO_PROFILE_DEV_DEBUG", "0").env("NO_COLOR", "1");
        // Cargo sets these for tests. The flags of this workspace are not those of the project.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_MANIFEST_DIR");
        if env::var_os(COMPILES).is_none() {
            let installed = Path::new(env!("CARGO_BIN_EXE_cargo-toolc")).parent().map(Path::to_path_buf);
            let usual = env::var_os("PATH").unwrap_or_default();
            let folders = installed.into_iter().chain(env::split_paths(&usual));
            command.env("PATH", env::join_paths(folders).expect("these folders were in a path"));
        }
        let output = command.output().expect("failed to start a shell");
        println!("{:6.2} s  {line}", began.elapsed().as_secs_f64());
        let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
        Outcome { success: output.status.success(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Runs a command line, which must succeed.
    fn run(&self, line: &str) {
        let outcome = self.shell(line);
        assert!(outcome.success, "{line} failed:\n{}\n{}", outcome.out, outcome.err);
    }

    /// Changes a file, and returns its text before that.
    fn edit(&self, path: &str, change: impl FnOnce(&str) -> String) -> String {
        let path = self.folder.join(path);
        let text = fs::read_to_string(&path).expect("failed to read");
        let changed = change(&text);
        assert_ne!(text, changed, "{}", path.display());
        fs::write(path, changed).expect("failed to write");
        text
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.folder.join(path), text).expect("failed to write");
    }

    /// Follows the tutorial, as a reader of the README does. Returns the outcome of each command. A command that is given
    /// twice has the outcomes of both, in order.
    fn follow(&self, blocks: &[Block<'_>]) -> BTreeMap<String, Vec<Outcome>> {
        let root = repository();
        let mut outcomes: BTreeMap<String, Vec<Outcome>> = BTreeMap::new();
        for block in blocks {
            match block.language {
                "sh" => {
                    for line in block.text.lines() {
                        if let Some(args) = line.strip_prefix("cargo xtask init ") {
                            assert_eq!(args, FOLDER);
                            let dir = self.folder.display().to_string();
                            let toolc = root.display().to_string();
                            let (status, out, err) = crate::run(&root, &["init", &dir, "--toolc-path", &toolc]);
                            assert_eq!(status, Some(0), "{out}{err}");
                        } else if line != format!("cd {FOLDER}") {
                            outcomes.entry(line.to_owned()).or_default().push(self.shell(line));
                        }
                    }
                }
                "toml" => self.write("manifests/tools/count_notes.toml", block.text),
                // The method replaces the one that `new` has written, and the test replaces its test.
                "rust" if block.text.starts_with("    fn ") => drop(self.edit("src/lib.rs", |text| {
                    let start = text.find("    fn count_notes(").expect("the method is there");
                    let end = start + text[start..].find("\n    }\n").expect("the method ends") + "\n    }\n".len();
                    format!("{}{}{}", &text[..start], block.text, &text[end..])
                })),
                "rust" => drop(self.edit("tests/tools.rs", |text| {
                    let start = text.find("#[test]\nfn count_notes_is_not_implemented").expect("the test is there");
                    format!("{}{}", &text[..start], block.text)
                })),
                other => panic!("a block of `{other}`"),
            }
        }
        outcomes
    }
}

#[test]
fn the_first_hour_of_a_user_needs_no_help() {
    let readme = fs::read_to_string(repository().join("README.md")).expect("failed to read");
    let project = Project::new();
    let outcomes = project.follow(&blocks(&readme, "Your own tools"));
    let outcome = |line: &str, index: usize| {
        let given = outcomes.get(line).unwrap_or_else(|| panic!("the README has no command `{line}`"));
        &given[index]
    };
    let response = |line: &str| {
        let outcome = outcome(line, 0);
        let response = serde_json::from_str(&outcome.out);
        response.unwrap_or_else(|error| panic!("{line}: {error}: {}\n{}", outcome.out, outcome.err))
    };
    for (line, success) in [
        ("cargo test", true),
        ("cargo xtask new tool count_notes", true),
        ("cargo run -- call count_notes", false),
        ("cargo xtask gen", true),
        ("cargo xtask lint", true),
        ("cargo run -- call count_notes word=tea", true),
        ("cargo run -- call count_notes wrod=tea", false),
    ] {
        let found = outcome(line, 0);
        assert_eq!(found.success, success, "{line}:\n{}\n{}", found.out, found.err);
    }
    assert!(outcome("cargo test", 1).success, "the test of the new tool passes");
    let kept: Value = response("cargo run -- call add_note text=\"Buy tea\" tags=today");
    assert_eq!(kept, json!({ "notes": 1 }));
    let found: Value = response("cargo run -- call find_notes '{\"word\": \"TEA\", \"limit\": \"5\"}'");
    assert_eq!(found["notes"], json!(["Buy tea #today"]));
    let stub: Value = response("cargo run -- call count_notes");
    assert_eq!(stub, json!({ "error": "`count_notes` is not implemented", "kind": "failed" }));
    let counted: Value = response("cargo run -- call count_notes word=tea");
    assert_eq!(counted, json!({ "count": 1 }));
    let refused: Value = response("cargo run -- call count_notes wrod=tea");
    assert_eq!(refused["kind"], "invalid_arguments");
    assert!(refused["error"].as_str().is_some_and(|text| text.contains("did you mean \"word\"?")), "{refused}");

    // The project passes the checks of its CI. Without the file, rustfmt would take the one of this workspace.
    project.write("rustfmt.toml", "");
    project.run(
        "cargo xtask fmt --check && cargo xtask lint --deny-warnings && cargo xtask gen --check && cargo fmt --check",
    );
    is_used_by_an_agent(&project, &blocks(&readme, "In an agent")[0]);
    is_served(&project);
    mistakes_are_reported(&project);
    edited_code_is_refused(&project);
}

/// The lines of the README compile in the project, with what they leave out.
fn is_used_by_an_agent(project: &Project, lines: &Block<'_>) {
    assert_eq!(lines.language, "rust");
    let agent = format!(
        "async fn step(name: &str, arguments: &str, id: &str) -> Result<(), Box<dyn std::error::Error>> {{\n{}Ok(())\n}}\n\
         fn send_to_model(_: &str) {{}}\nfn main() {{\n    drop(step);\n}}\n",
        lines.text
    );
    fs::create_dir_all(project.folder.join("examples")).expect("failed to create a folder");
    project.write("examples/agent.rs", &agent);
    project.run("cargo build --quiet --example agent");
}

/// The official MCP client uses the tools.
fn is_served(project: &Project) {
    let program = project.target.join("debug/my-agent");
    let scripts = repository().join("tests/sdks");
    let requirements = fs::read_to_string(scripts.join("requirements.txt")).expect("the requirements are there");
    let python = match packages::python("sdks", &requirements) {
        Ok(python) => python,
        Err(why) => return packages::missing("no Python environment with the client of MCP", &why),
    };
    let mut client = Command::new(python);
    client.arg(scripts.join("mcp_client.py")).arg(&program).arg("serve").current_dir(&project.folder);
    let client = packages::run(&mut client);
    let seen: Value = serde_json::from_str(&client.expect("the client failed")).expect("the client prints JSON");
    assert_eq!(seen["tools"], json!(["add_note", "count_notes", "find_notes"]));
    assert_eq!(seen["results"][0], json!({ "notes": 2 }));
    assert_eq!(seen["results"][1]["notes"], json!(["Buy coffee #today"]));
    assert_eq!(seen["results"][2]["kind"], "invalid_arguments");
}

/// A mistake in a manifest is reported with its place and a suggestion. A manifest that gen has not compiled, and a missing
/// handler, fail the build.
fn mistakes_are_reported(project: &Project) {
    let manifest = "manifests/tools/count_notes.toml";
    let right = project.edit(manifest, |text| text.replacen("description", "descripton", 1));
    let broken = project.shell("cargo xtask gen");
    assert!(!broken.success, "{}", broken.out);
    assert!(broken.err.contains("did you mean `description`?") && broken.err.contains(manifest), "{}", broken.err);
    project.write(manifest, &right);
    project.run("cargo xtask gen --check");

    // A build does not use generated code that is older than a manifest.
    project.edit(manifest, |text| text.replace("Case does not matter.", "Case is ignored."));
    let stale = project.shell("cargo build --quiet");
    assert!(!stale.success && stale.err.contains("out of date") && stale.err.contains(manifest), "{}", stale.err);
    project.write(manifest, &right);

    let right = project.edit("src/lib.rs", |text| text.replace("fn count_notes(", "fn count_all_notes("));
    let unhandled = project.shell("cargo build --quiet");
    assert!(!unhandled.success && unhandled.err.contains("missing: `count_notes`"), "{}", unhandled.err);
    project.write("src/lib.rs", &right);
    project.run("cargo test --quiet");
}

/// A program whose generated code was edited by hand says so, and gen restores the code.
fn edited_code_is_refused(project: &Project) {
    let data = "src/generated/data/notes.rs";
    let right = project.edit(data, |text| text.replacen("add_note", "add_notes", 1));
    let refused = project.shell("cargo run --quiet -- doctor");
    let expected = "error: provider refused: the generated code in src/generated was edited or merged by hand";
    assert!(!refused.success && refused.err.starts_with(expected), "{}", refused.err);
    project.run("cargo xtask gen");
    assert_eq!(fs::read_to_string(project.folder.join(data)).expect("failed to read"), right);
}
