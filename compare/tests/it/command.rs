//! The command, in repositories and folders.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use serde_json::Value;
use tempfile::TempDir;
use toolc_codegen::cli::Project;
use toolc_compare::{Breaking, load, run};

#[derive(Debug, Parser)]
struct Cli {
    #[command(flatten)]
    project: Project,
    #[command(flatten)]
    args: Breaking,
}

const SEARCH: &str = "name = \"search\"\ntoolset = \"s\"\ndescription = \"Searches the notes.\"\n\n[params.limit]\ntype = \"integer\"\n\
                      description = \"How many.\"\nminimum = 1\nmaximum = 100\ndefault = 10\n";

/// A repository with a project in its folder `agent`, and one commit.
struct Repository(TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.write("manifests/toolsets/s.toml", "name = \"s\"\ndescription = \"Tools.\"\n");
        repository.write("manifests/tools/search.toml", SEARCH);
        repository.write(
            "manifests/tools/gone.toml",
            "name = \"gone\"\ntoolset = \"s\"\ndescription = \"Does something else.\"\n",
        );
        repository.commit();
        repository
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("agent")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) {
        git(self.0.path(), args);
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=x"]);
    }

    /// Changes the project so that calls break.
    fn break_it(&self) {
        let changed =
            SEARCH.replace("100", "50").replace("default = 10", "default = 20").replace("Searches", "Looks through");
        self.write("manifests/tools/search.toml", &changed);
        fs::remove_file(self.project().join("manifests/tools/gone.toml")).unwrap();
    }

    fn run(&self, args: &[&str]) -> (u8, String) {
        breaking(&self.project(), args)
    }
}

fn git(folder: &Path, args: &[&str]) {
    let settings = [
        "-c",
        "user.name=test",
        "-c",
        "user.email=test@example.com",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "protocol.file.allow=always",
    ];
    let output = Command::new("git").arg("-C").arg(folder).args(settings).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs the command, and returns its exit status and what it wrote.
fn breaking(root: &Path, args: &[&str]) -> (u8, String) {
    let output = tempfile::NamedTempFile::new().unwrap();
    let root = root.to_str().unwrap();
    let all = ["breaking", "--root", root, "--output", output.path().to_str().unwrap()];
    let Cli { project, args } = Cli::parse_from(all.iter().chain(args));
    let status = run(project, &args);
    (status, fs::read_to_string(output.path()).unwrap())
}

/// Compares a report with its file. With the variable `UPDATE_REPORTS`, the file is written instead.
fn assert_report(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/reports").join(name);
    if std::env::var_os("UPDATE_REPORTS").is_some() {
        fs::write(&path, text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(&path).unwrap(), "{text}");
}

#[test]
fn the_exit_status_follows_the_changes() {
    let repository = Repository::new();
    let (status, text) = repository.run(&["--against", "main"]);
    assert_eq!((status, text.as_str()), (0, "2 tools of the commit `main`, 2 now: no change\n"));
    repository.break_it();
    let (status, text) = repository.run(&["--against", "HEAD"]);
    assert_eq!(status, 1, "{text}");
    assert_report("breaking.txt", &text);
    assert_eq!(repository.run(&["--against", "no-such-branch"]).0, 2);
}

#[test]
fn a_pull_request_and_code_scanning_get_the_same_changes() {
    let repository = Repository::new();
    repository.break_it();
    let (status, markdown) = repository.run(&["--against", "HEAD", "--format", "markdown"]);
    assert_eq!(status, 1);
    assert_report("breaking.md", &markdown);
    let (_, sarif) = repository.run(&["--against", "HEAD", "--format", "sarif"]);
    let mut sarif: Value = serde_json::from_str(&sarif).unwrap();
    let run = &mut sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].take();
    assert_eq!(rules.as_array().unwrap().len(), toolc_compare::CODES.len());
    let results = format!("{:#}\n", run["results"]);
    assert_report("results.sarif.json", &results);
    let (_, json) = repository.run(&["--against", "HEAD", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["version"].as_str(), json["breaks"].as_bool()), (Some("major"), Some(true)));
    assert_eq!(json["findings"].as_array().unwrap().len(), run["results"].as_array().unwrap().len());
}

#[test]
fn commits_are_read_in_worktrees_and_from_any_folder() {
    let repository = Repository::new();
    let tree = repository.0.path().join("tree");
    repository.git(&["worktree", "add", "--quiet", tree.to_str().unwrap(), "HEAD"]);
    repository.break_it();
    repository.commit();
    assert_eq!(breaking(&tree.join("agent"), &["--against", "HEAD"]).0, 0);
    // Seen from the old tree, the new commit breaks nothing: a wider range, and one more tool.
    let (status, text) = breaking(&tree.join("agent"), &["--against", "main"]);
    assert_eq!(status, 0, "{text}");
    assert_eq!(repository.run(&["--against", "HEAD~1"]).0, 1);
    // A folder has the name of a branch.
    fs::create_dir(repository.project().join("main")).unwrap();
    assert_eq!(load::load(&repository.project(), "git:main").unwrap().tools().len(), 1);
}

/// The page has the report of these tests and all codes.
#[test]
fn the_guide_shows_a_real_report_and_every_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/breaking.md");
    let mut codes = "| code | tier | change |\n|---|---|---|\n".to_owned();
    for code in toolc_compare::CODES {
        let _ = writeln!(codes, "| `{}` `{}` | {} | {} |", code.id, code.name, code.tier, code.about);
    }
    let report = format!(
        "```text\n{}```\n",
        fs::read_to_string(path.with_file_name("../compare/tests/it/reports/breaking.txt")).unwrap()
    );
    let mut page = fs::read_to_string(&path).unwrap();
    let before = page.clone();
    for (part, text) in [("report", report), ("codes", codes)] {
        let (start, end) = (format!("<!-- {part} -->\n"), format!("<!-- end of {part} -->"));
        let from = page.find(&start).unwrap() + start.len();
        let to = page.find(&end).unwrap();
        page.replace_range(from..to, &format!("\n{text}\n"));
    }
    if std::env::var_os("UPDATE_REPORTS").is_some() {
        fs::write(&path, &page).unwrap();
    } else {
        assert!(page == before, "run the tests with UPDATE_REPORTS=1");
    }
}

#[test]
fn a_shallow_clone_says_what_to_fetch() {
    let repository = Repository::new();
    repository.write(
        "manifests/tools/gone.toml",
        "name = \"gone\"\ntoolset = \"s\"\ndescription = \"Does another thing.\"\n",
    );
    repository.commit();
    let clone = tempfile::tempdir().unwrap();
    let from = format!("file://{}", repository.0.path().display());
    git(clone.path(), &["clone", "--quiet", "--depth=1", &from, "clone"]);
    let project = clone.path().join("clone/agent");
    let error = load::load(&project, "HEAD~1").unwrap_err().to_string();
    assert!(error.contains("shallow") && error.contains("git fetch --depth=1 origin HEAD~1"), "{error}");
}

#[test]
fn errors_name_what_was_tried() {
    let repository = Repository::new();
    let error = |against: &str| load::load(&repository.project(), against).unwrap_err().to_string();
    assert!(error("nothing").contains("`nothing` is neither a folder nor a commit"), "{}", error("nothing"));
    assert!(error("--all").contains("is not the name of a commit"), "{}", error("--all"));
    let folder = tempfile::tempdir().unwrap();
    let found = error(folder.path().to_str().unwrap());
    assert!(found.contains("neither `manifests` nor `bundle.json`"), "{found}");
    let outside = load::load(folder.path(), "main").unwrap_err().to_string();
    assert!(outside.contains("is not in a git repository"), "{outside}");
    repository.write("manifests/tools/search.toml", "name = 3\n");
    let broken = error(repository.project().to_str().unwrap());
    assert!(broken.contains("`manifests/tools/search.toml`"), "{broken}");
    let list = folder.path().join("list.json");
    fs::write(&list, "{\"tools\": 3}").unwrap();
    let found = error(list.to_str().unwrap());
    assert!(found.contains("is not a list of tools"), "{found}");
}

#[test]
fn a_commit_with_a_link_or_without_the_project_cannot_be_read() {
    let repository = Repository::new();
    let path = repository.project().join("manifests/tools/link.toml");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("search.toml", path).unwrap();
        repository.commit();
        let error = load::load(&repository.project(), "HEAD").unwrap_err().to_string();
        assert!(error.contains("link.toml` of `HEAD` is a link"), "{error}");
    }
    let elsewhere = repository.0.path().join("other");
    fs::create_dir_all(elsewhere.join("manifests")).unwrap();
    let error = load::load(&elsewhere, "main").unwrap_err().to_string();
    assert!(error.contains("has no `manifests`"), "{error}");
}

#[test]
fn a_bundle_is_compared_like_the_project_from_which_it_was_exported() {
    let repository = Repository::new();
    let bundle = repository.0.path().join("bundle");
    let (root, dir) = (repository.project(), bundle.to_str().unwrap().to_owned());
    let root = root.to_str().unwrap();
    let (status, _, error) = toolc_codegen::cli::capture(["--root", root, "export", &dir]);
    assert_eq!(status, 0, "{error}");
    let (status, text) = repository.run(&["--against", &dir]);
    assert_eq!((status, text.ends_with(": no change\n")), (0, true), "{text}");
    repository.break_it();
    let ids = |against: &str| -> Vec<String> {
        let (_, json) = repository.run(&["--against", against, "--format", "json"]);
        let json: Value = serde_json::from_str(&json).unwrap();
        json["findings"].as_array().unwrap().iter().map(|found| format!("{} {}", found["code"], found["at"])).collect()
    };
    assert_eq!(ids(&dir), ids("HEAD"));
}

#[test]
fn the_tools_of_a_server_are_compared_by_what_it_says() {
    let repository = Repository::new();
    let list = repository.0.path().join("list.json");
    let tool = |max: u32| {
        serde_json::json!({ "result": { "tools": [{
            "name": "search", "description": "Searches the notes.",
            "inputSchema": { "type": "object", "properties": { "limit": { "type": "integer", "description": "How many.", "minimum": 1, "maximum": max, "default": 10 } }, "additionalProperties": false },
        }] } })
    };
    fs::write(&list, tool(100).to_string()).unwrap();
    let against = list.to_str().unwrap();
    let (status, text) = repository.run(&["--against", against, "--all"]);
    assert_eq!(status, 0, "{text}");
    assert!(!text.contains("search"), "{text}");
    fs::write(&list, tool(500).to_string()).unwrap();
    let (status, text) = repository.run(&["--against", against]);
    assert!(status == 1 && text.contains("error[W002"), "{text}");
}

#[test]
fn an_accepted_change_passes_until_its_date() {
    let repository = Repository::new();
    repository.break_it();
    assert_eq!(repository.run(&["--against", "HEAD", "--accept", "Version 2 has smaller pages."]).0, 0);
    let (status, text) = repository.run(&["--against", "HEAD"]);
    assert!(status == 0 && text.contains("accepted)") && text.contains("version: major"), "{text}");
    let accepted = fs::read_to_string(repository.project().join("breaking.toml")).unwrap();
    repository.write("breaking.toml", &format!("{accepted}until = 2020-01-31\n"));
    let (status, text) = repository.run(&["--against", "HEAD"]);
    assert!(status == 1 && text.contains("has expired on 2020-01-31"), "{text}");
    repository.write(
        "breaking.toml",
        &format!("{accepted}\n[[accept]]\ncode = \"wire\"\nname = \"nothing\"\nreason = \"None.\"\n"),
    );
    let (_, text) = repository.run(&["--against", "HEAD"]);
    assert!(text.contains("accepts `wire` for `nothing`, which is not found any more"), "{text}");
}

#[test]
fn levels_decide_about_the_exit_status() {
    let repository = Repository::new();
    let changed = SEARCH.replace("default = 10", "default = 20");
    repository.write("manifests/tools/search.toml", &changed);
    assert_eq!(repository.run(&["--against", "HEAD"]).0, 0);
    repository.write("breaking.toml", "[levels]\nbehaviour = \"deny\"\n");
    assert_eq!(repository.run(&["--against", "HEAD"]).0, 1);
    repository.write("breaking.toml", "[levels]\nbehaviour = \"deny\"\ndefault = \"allow\"\n");
    assert_eq!(repository.run(&["--against", "HEAD"]).0, 0);
    for wrong in [
        "[levels]\nwires = \"deny\"\n",
        "[levels]\nwire = \"error\"\n",
        "[[accept]]\ncode = \"W001\"\nname = \"x\"\nreason = \"\"\n",
    ] {
        repository.write("breaking.toml", wrong);
        assert_eq!(repository.run(&["--against", "HEAD"]).0, 2, "{wrong}");
    }
}

/// A server as a shell script, whose tool `search` takes a limit of at most 100.
#[cfg(unix)]
const SERVER: &str = r#"
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"search","description":"Searches the notes.","inputSchema":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":100,"default":10}},"additionalProperties":false}}]}}\n' "$id" ;;
    *'"id"'*)
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
    esac
done
"#;

#[cfg(unix)]
#[test]
fn the_tools_of_a_running_server_are_compared() {
    let repository = Repository::new();
    let script = repository.0.path().join("server.sh");
    fs::write(&script, SERVER).unwrap();
    let against = ["--", "sh", script.to_str().unwrap()];
    let (status, text) = repository.run(&against);
    assert_eq!(status, 0, "{text}");
    repository.break_it();
    let (status, text) = repository.run(&against);
    assert!(status == 1 && text.contains("argument-refused") && text.contains("\"limit\":"), "{text}");
    assert_eq!(repository.run(&["--", "no-such-program-here"]).0, 2);
    assert_eq!(repository.run(&["--against", "http://127.0.0.1:9/mcp", "--header", "broken"]).0, 2);
}
