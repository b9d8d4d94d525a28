//! `cargo xtask lint`: options, levels, comments, the baseline, fixes and formats, on a small project on disk.

mod formats;
mod unreadable;

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use toolc_tests::fixture;

struct Project(TempDir);

/// A project with three findings: an undescribed parameter, a line break at the end of a text, and a redundant include.
const FILES: &str = r#"
--- manifests/tools/read_file.toml
# Reads.
name = "read_file"
toolset = "files"
description = """
Read a text file of the project, or a window of its lines. Each line comes with its number. Use it before a file is changed.
"""

[params.path]
type = "string"
required = true
--- manifests/toolsets/files.toml
name = "files"
description = "Read and write files."
--- manifests/toolsets/office.toml
name = "office"
description = "Texts."
includes = ["files"]
--- manifests/toolsets/work.toml
name = "work"
description = "What a day takes."
includes = ["office", "files"] # both
"#;

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().expect("failed to make a folder"));
        for (path, text) in fixture::files(FILES) {
            project.write(path, text);
        }
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("below the project")).expect("failed to make a folder");
        fs::write(path, text).expect("failed to write");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.path().join(path)).expect("failed to read")
    }

    /// Replaces `old` by `new`.
    fn change(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{old} in {text}");
        self.write(path, &text.replacen(old, new, 1));
    }

    fn run(&self, args: &[&str]) -> (u8, String, String) {
        let root = self.0.path().to_str().expect("a temporary folder's path is text");
        let (status, out, err) = toolc_codegen::cli::capture(["--root", root].iter().chain(args));
        (status, out.replace(root, "ROOT"), err.replace(root, "ROOT"))
    }

    /// Returns the status, and the code and place of each finding.
    fn lint(&self, args: &[&str]) -> (u8, Vec<String>) {
        let (status, out, err) = self.run(&[&["lint", "--format", "concise"], args].concat());
        assert_eq!(err, "");
        let short = |line: &str| {
            let (place, rest) =
                line.strip_prefix("ROOT/manifests/").unwrap_or(line).split_once(": ").expect("a finding");
            let (level, _) = rest.split_once("] ").expect("a code");
            format!("{level}] {place}").replacen("ROOT/", "", 1)
        };
        (status, out.lines().map(short).collect())
    }
}

const SPACE: &str = "warning[M004] tools/read_file.toml:5:125";
const UNDESCRIBED: &str = "warning[M001] tools/read_file.toml:8:9";
const INCLUDE: &str = "warning[C035] toolsets/work.toml:3:23";

/// Enables only the rules that these tests use, since new rules are added.
const ONLY: [&str; 3] = ["M001", "leading-or-trailing-space", "redundant-include"];

fn only(args: &[&'static str]) -> Vec<&'static str> {
    [&ONLY, args].concat()
}

#[test]
fn levels_are_set_by_code_name_or_category_and_the_last_one_wins() {
    let project = Project::new();
    let found = |level: &str, all: &[&str]| all.iter().map(|one| one.replace("warning", level)).collect::<Vec<_>>();
    let all = [SPACE, UNDESCRIBED, INCLUDE];
    assert_eq!(project.lint(&only(&[])), (0, found("warning", &all)));
    assert_eq!(project.lint(&["M001"]), (0, found("warning", &[UNDESCRIBED])));
    assert_eq!(project.lint(&only(&["--deny-warnings"])), (1, found("error", &all)));
    assert_eq!(project.lint(&only(&["-A", "M", "-D", "C035"])), (1, found("error", &[INCLUDE])));
    assert_eq!(
        project.lint(&only(&["-A", "M001", "-A", "C", "-W", "M"])),
        (0, found("warning", &[SPACE, UNDESCRIBED]))
    );
    assert_eq!(project.lint(&only(&["-W", "M", "-A", "C", "-A", "M001"])), (0, found("warning", &[SPACE])));
    project.write("toolc.toml", "[lint]\nM = \"deny\"\nM001 = \"allow\"\n");
    assert_eq!(project.lint(&only(&["-A", "C"])), (1, found("error", &[SPACE])));
    assert_eq!(project.lint(&only(&["-A", "C", "-W", "M"])), (0, found("warning", &[SPACE, UNDESCRIBED])));
}

#[test]
fn impossible_requests_exit_with_status_2() {
    let project = Project::new();
    for (args, expected) in [
        (&["lint", "-A", "syntax"][..], "`syntax` is always an error"),
        (&["lint", "redundant-includes"], "did you mean `redundant-include`?"),
        (&["lint", "-W", "Q"], "unknown rule `Q`"),
        (&["lint", "--format", "xml"], "the formats are human, concise, json, sarif, github"),
        (&["lint", "--format", "json", "--format", "sarif"], "only one format can be written to standard output"),
        (
            &["lint", "--list-rules", "--format", "sarif"],
            "`--list-rules` supports only one `--format`: text, json or md",
        ),
        (&["lint", "--fix", "--diff"], "cannot be used with"),
        (&["explain", "redundant"], "redundant-include"),
    ] {
        let (status, out, err) = project.run(args);
        assert!((status, out.as_str()) == (2, "") && err.contains(expected), "{args:?}: {status} {out} {err}");
    }
}

#[test]
fn syntax_errors_are_always_reported_and_cannot_be_allowed() {
    let project = Project::new();
    project.change("manifests/toolsets/work.toml", "\"files\"", "\"flies\"");
    let unknown = "error[C010] toolsets/work.toml:3:23".to_owned();
    assert_eq!(project.lint(&["M003"]), (1, vec![unknown.clone()]));
    project.change("manifests/toolsets/work.toml", "# both", "# lint: allow unknown-toolset it comes later");
    assert_eq!(project.lint(&["M003"]), (1, vec![unknown, "error[C032] toolsets/work.toml:3:32".to_owned()]));
    let (_, out, _) = project.run(&["lint", "M003"]);
    assert!(out.contains("`unknown-toolset` is always an error and cannot be allowed"), "{out}");
}

#[test]
fn an_allow_comment_covers_its_line_or_the_next() {
    let (tool, work) = ("manifests/tools/read_file.toml", "manifests/toolsets/work.toml");
    let all = only(&["unused-allow", "allow-without-reason"]);
    let lint = |project: &Project| project.lint(&all).1;

    for (old, new) in [
        ("[params.path]", "[params.path] # lint: allow M001 its name says it all"),
        (
            "\n[params.path]",
            "# lint: allow parameter-description-missing its name says it all\n\n\n# else\n[params.path]",
        ),
        ("# Reads.\n", "# Reads.\n#lint: allow M001 names say it all\n\n"),
    ] {
        let project = Project::new();
        project.change(tool, old, new);
        let found: Vec<String> = lint(&project).into_iter().filter(|found| !found.contains("M004")).collect();
        assert_eq!(found, [INCLUDE], "{new}");
    }
    // The comment is at another key.
    let project = Project::new();
    project.change(tool, "type = ", "# lint: allow M001 its name says it all\ntype = ");
    assert_eq!(lint(&project), [SPACE, UNDESCRIBED, "warning[C036] tools/read_file.toml:9:1", INCLUDE]);
    // Directly above the first key it covers that key only.
    let project = Project::new();
    project.change(tool, "# Reads.", "# lint: allow M001 names say it all");
    assert_eq!(lint(&project).len(), 4);
    // A comment without a reason allows, and is reported.
    let project = Project::new();
    project.change(tool, "[params.path]", "[params.path] # lint: allow M001");
    assert_eq!(lint(&project), [SPACE, "warning[C037] tools/read_file.toml:8:15", INCLUDE]);
    // One item of an array.
    let project = Project::new();
    project.change(
        work,
        "[\"office\", \"files\"] # both",
        "[\n\"office\",\n\"files\", # lint: allow C035 to be sure\n]",
    );
    assert_eq!(lint(&project), [SPACE, UNDESCRIBED]);
    // A comment for a disabled rule is not reported as unused.
    let project = Project::new();
    project.change(tool, "type = ", "# lint: allow M001 its name says it all\ntype = ");
    assert_eq!(project.lint(&["M004", "unused-allow"]).1, [SPACE]);
    // A `#` in a string does not begin a comment. A comment that allows nothing is reported.
    let project = Project::new();
    project.change(tool, "Read a text", "# lint: allow M001 x\nRead a text");
    project.change(work, "# both", "# lint: ignore C035");
    assert_eq!(
        lint(&project),
        [
            "warning[M004] tools/read_file.toml:6:125",
            "warning[M001] tools/read_file.toml:9:9",
            INCLUDE,
            "error[C032] toolsets/work.toml:3:32"
        ]
    );
}

#[test]
fn baseline_entries_are_not_counted_and_stale_ones_are_reported() {
    let project = Project::new();
    let with = |args: &[&'static str]| only(&[&["unused-baseline-entry", "--deny-warnings"], args].concat());
    let mut args = vec!["lint"];
    args.extend(with(&["--write-baseline", "known.json"]));
    let (status, out, err) = project.run(&args);
    let written = "known.json: 3 findings written\ntoolc.toml: `baseline = \"known.json\"` written\n";
    assert_eq!((status, out.as_str(), err.as_str()), (0, written, ""));
    insta::assert_snapshot!(project.read("known.json"), @r#"
    {
      "version": 1,
      "findings": [
        {"code":"C035","manifest":"manifests/toolsets/work.toml","pointer":"/includes/1"},
        {"code":"M001","manifest":"manifests/tools/read_file.toml","pointer":"/params/path"},
        {"code":"M004","manifest":"manifests/tools/read_file.toml","pointer":"/description"}
      ]
    }
    "#);

    // The next run uses the baseline.
    assert_eq!(project.lint(&with(&[])), (0, vec![]));
    project.write("toolc.toml", "baseline = \"known.json\"\n[lint]\nM = \"deny\"\n");
    assert_eq!(project.lint(&with(&[])), (0, vec![]));
    // gen writes despite errors in the baseline.
    let (status, out, err) = project.run(&["gen"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");

    // An entry still matches after its line has moved or its message has changed.
    project.change("manifests/tools/read_file.toml", "# Reads.", "# Reads.\n\n# And more.");
    assert_eq!(project.lint(&with(&[])), (0, vec![]));
    project.change("manifests/tools/read_file.toml", "required = true", "description = \"Which one.\"");
    assert_eq!(project.lint(&with(&[])), (1, vec!["error[C038] known.json:5:5".to_owned()]));
    let (_, out, _) = project.run(&["lint", "M001", "C038"]);
    assert!(out.contains("M001 at manifests/tools/read_file.toml /params/path"), "{out}");

    project.write("known.json", "{}");
    assert_eq!(project.lint(&["C038"]), (1, vec!["error[C024] known.json:1:1".to_owned()]));
    project.write("known.json", "{\n  \"version\": 1,\n  \"findings\": [\n    1\n");
    assert_eq!(project.lint(&["C038"]), (1, vec!["error[C024] known.json:5:1".to_owned()]));
    project.write("toolc.toml", "baseline = \"none.json\"\n");
    assert_eq!(project.lint(&["C038"]), (1, vec!["error[C024] toolc.toml:1:12".to_owned()]));
}

#[test]
fn writing_a_baseline_keeps_the_settings_and_says_what_to_add_if_they_cannot_be_read() {
    let project = Project::new();
    let known = project.0.path().join("sub/known.json");
    let (settings, line) = ("# Ours.\n\n[lint]\nM = \"deny\" # all\n", "baseline = \"sub/known.json\"\n");
    fs::create_dir(project.0.path().join("sub")).expect("failed to make a folder");
    project.write("toolc.toml", &settings.replace('\n', "\r\n"));
    let write = |project: &Project| project.run(&["lint", "--write-baseline", known.to_str().expect("it is text")]);
    // An absolute path in the project is written relative to it.
    let (status, out, err) = write(&project);
    assert!(
        status == 0 && out.contains("toolc.toml: `baseline = \"sub/known.json\"` written") && err.is_empty(),
        "{out}{err}"
    );
    let expected = settings.replace("\n\n", &format!("\n\n{line}\n")).replace('\n', "\r\n");
    assert_eq!(project.read("toolc.toml"), expected);
    assert_eq!(project.lint(&[]), (0, vec![]));
    // A second run does not write the settings.
    let (_, out, _) = write(&project);
    assert!(!out.contains("toolc.toml") && project.read("toolc.toml") == expected, "{out}");

    project.write("toolc.toml", "[lint\n");
    let (status, _, err) = write(&project);
    assert!(status == 1 && err.contains("add the line `baseline = \"sub/known.json\"`"), "{err}");
    assert_eq!(project.read("toolc.toml"), "[lint\n");
}

#[test]
fn pruning_removes_what_is_not_found_any_more_and_accepts_nothing_new() {
    let project = Project::new();
    project.run(&["lint", "M001", "M004", "C035", "--write-baseline", "known.json"]);
    project.write("toolc.toml", "baseline = \"known.json\"\n");
    project.change("manifests/toolsets/work.toml", ", \"files\"", "");
    project.change(
        "manifests/tools/read_file.toml",
        "[params.path]",
        "[params.mode]\ntype = \"string\"\n\n[params.path]",
    );
    let unknown = r#"{"code":"M999","manifest":"manifests/tools/read_file.toml","pointer":""},"#;
    project.change("known.json", "    {", &format!("    {unknown}\n    {{"));
    let (_, out, _) = project.run(&["lint", "--format", "concise", "M001", "C035", "C038"]);
    assert!(
        out.contains("ROOT/known.json:4:5: warning[C038] unused-baseline-entry: unknown rule `M999` in the baseline\n"),
        "{out}"
    );
    assert!(
        out.contains(
            "ROOT/known.json:5:5: warning[C038] unused-baseline-entry: a finding of the baseline no longer exists: C035"
        ),
        "{out}"
    );

    // A rule that does not run keeps its entries.
    let (status, out, err) = project.run(&["lint", "M001", "--prune-baseline"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "known.json: 1 entry removed, 3 kept\n", ""));
    // Nor does a file with errors lose its own.
    project.write("manifests/toolsets/work.toml", "name = work");
    assert_eq!(project.run(&["lint", "--prune-baseline"]).1, "known.json: 0 entries removed, 3 kept\n");
    project.write(
        "manifests/toolsets/work.toml",
        "name = \"work\"\ndescription = \"What a day takes.\"\nincludes = [\"office\"]\n",
    );
    assert_eq!(project.run(&["lint", "--prune-baseline"]).1, "known.json: 1 entry removed, 2 kept\n");
    assert_eq!(project.run(&["lint", "--prune-baseline"]).1, "known.json: 0 entries removed, 2 kept\n");
    let text = project.read("known.json");
    assert!(text.contains("/params/path") && text.contains("/description") && !text.contains("/params/mode"), "{text}");
    let (_, found) = project.lint(&["M001", "C038"]);
    assert_eq!(found, ["warning[M001] tools/read_file.toml:8:9"]);

    project.write("toolc.toml", "");
    let (status, out, err) = project.run(&["lint", "--prune-baseline"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("no baseline"), "{err}");
}

#[test]
fn fix_and_diff_say_that_no_finding_has_a_fix() {
    let project = Project::new();
    for flag in ["--fix", "--diff"] {
        let (status, _, err) = project.run(&["lint", "M001", flag]);
        assert_eq!((status, err.as_str()), (0, "no finding has a fix\n"), "{flag}");
    }
}

#[test]
fn fix_corrects_misspelt_keys_words_and_types_that_can_only_be_one() {
    let project = Project::new();
    let tool =
        |body: &str| format!("name = \"wait\"\ntoolset = \"files\"\ndescription = \"Wait for a while.\"\n{body}");
    for (wrong, right) in [
        ("executoin = \"blokcing\"\n", "execution = \"blocking\"\n"),
        ("defer = \"True\"\n", "defer = true\n"),
        ("[params.s]\ntype = \"int\"\nminimum = \"3\"\n", "[params.s]\ntype = \"integer\"\nminimum = 3\n"),
        ("[annotations]\nreadOnly = true\n", "[annotations]\nread_only = true\n"),
        ("[params.s]\n\"$rf\" = \"#/$defs/x\"\n", "[params.s]\n\"$ref\" = \"#/$defs/x\"\n"),
        ("execution = \"Async\"\n", "execution = \"async\"\n"),
        ("[params.s]\ntype = \"string\"\nminLenght = 1\n", "[params.s]\ntype = \"string\"\nminLength = 1\n"),
        // Both `minLength` and `maxLength` are two letters away.
        ("[params.s]\ntype = \"string\"\nmLength = 1\n", "[params.s]\ntype = \"string\"\nmLength = 1\n"),
        // Two keys that mean the same would be a duplicate; the unit of a duration, and a synonym, would be guesses.
        ("paralel = \"never\"\nparrallel = \"always\"\n", "parallel = \"never\"\nparrallel = \"always\"\n"),
        ("timeout_ms = 500\n", "timeout_ms = 500\n"),
        ("timeout = 500\n", "timeout = 500\n"),
    ] {
        project.write("manifests/tools/wait.toml", &tool(wrong));
        project.run(&["lint", "--fix"]);
        assert_eq!(project.read("manifests/tools/wait.toml"), tool(right));
    }
}

#[test]
fn rules_are_found_in_any_case_and_suggested() {
    let project = Project::new();
    for name in ["c009", "C009", "UNKNOWN-TOOL", "Unknown-Tool"] {
        let (status, out, _) = project.run(&["explain", name]);
        assert!(status == 0 && out.starts_with("C009 unknown-tool\n"), "{name}: {out}");
    }
    for (name, suggestion) in [("C0099", "`C009`"), ("unknwon-tool", "`unknown-tool`"), ("m0014", "`M014`")] {
        let (status, _, err) = project.run(&["explain", name]);
        assert!(status == 2 && err.contains("did you mean") && err.contains(suggestion), "{name}: {err}");
    }
    assert_eq!(project.lint(&["m001"]).1, [UNDESCRIBED]);
    assert_eq!(project.lint(&only(&["-A", "m", "-A", "c035"])).1, [""; 0]);
}

#[test]
fn syntax_errors_are_never_written_to_the_baseline() {
    let project = Project::new();
    project.change("manifests/toolsets/work.toml", "\"files\"", "\"flies\"");
    let (status, out, err) = project.run(&["lint", "M004", "--write-baseline", "known.json"]);
    assert_eq!((status, out.lines().next()), (1, Some("known.json: 1 finding written")));
    assert!(err.starts_with("1 error cannot be added to a baseline"), "{err}");
    let written = "{\"version\": 1, \"findings\": [{\"code\": \"C010\", \"manifest\": \"manifests/toolsets/work.toml\", \"pointer\": \"/includes/1\"}]}";
    project.write("known.json", written);
    project.write("toolc.toml", "baseline = \"known.json\"\n");
    let (status, found) = project.lint(&["unused-baseline-entry"]);
    assert_eq!(
        (status, found),
        (1, vec!["error[C010] toolsets/work.toml:3:23".to_owned(), "warning[C038] known.json:1:29".to_owned()])
    );
}

#[test]
fn diff_prints_what_fix_changes_and_fix_keeps_comments_and_layout() {
    let project = Project::new();
    project.write("manifests/toolsets/work.toml", "name = \"work\"\r\ndescription  = 'What a day takes.' # odd\r\nincludes = [\"office\", # why\r\n \"files\" # both\r\n]\r\n");
    let before: Vec<String> = fixture::files(FILES).iter().map(|(path, _)| project.read(path)).collect();
    let mut args = vec!["lint"];
    args.extend(only(&["--diff"]));
    let (status, diff, err) = project.run(&args);
    assert_eq!((status, err.as_str()), (0, ""));
    insta::assert_snapshot!(diff, @r#"
    --- ROOT/manifests/tools/read_file.toml
    +++ ROOT/manifests/tools/read_file.toml
    @@ -2,8 +2,7 @@
     name = "read_file"
     toolset = "files"
     description = """
    -Read a text file of the project, or a window of its lines. Each line comes with its number. Use it before a file is changed.
    -"""
    +Read a text file of the project, or a window of its lines. Each line comes with its number. Use it before a file is changed."""
     
     [params.path]
     type = "string"
    --- ROOT/manifests/toolsets/work.toml
    +++ ROOT/manifests/toolsets/work.toml
    @@ -1,5 +1,4 @@
     name = "work"
     description  = 'What a day takes.' # odd
    -includes = ["office", # why
    - "files" # both
    +includes = ["office" # why
     ]
    "#);
    assert_eq!(before, fixture::files(FILES).iter().map(|(path, _)| project.read(path)).collect::<Vec<_>>());

    args.pop();
    args.push("--fix");
    let (status, out, err) = project.run(&args);
    assert_eq!((status, err.as_str()), (0, "fixed: 2 files\n"));
    assert!(out.contains("M001") && !out.contains("M004"), "{out}");
    insta::assert_snapshot!(project.read("manifests/toolsets/work.toml").replace("\r\n", "~\n"), @r#"
    name = "work"~
    description  = 'What a day takes.' # odd~
    includes = ["office" # why~
    ]~
    "#);
    assert_eq!(project.lint(&only(&[])), (0, vec!["warning[M001] tools/read_file.toml:7:9".to_owned()]));
    let (_, _, err) = project.run(&args);
    assert_eq!(err, "no finding has a fix\n");
}

#[test]
fn rules_are_listed_and_explained() {
    let project = Project::new();
    let (status, list, _) = project.run(&["lint", "--list-rules", "--format", "json"]);
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let rules = list["rules"].as_array().expect("rules");
    let rule = rules.iter().find(|rule| rule["name"] == "redundant-include").expect("it is listed");
    assert_eq!(
        (status, &rule["code"], &rule["fixable"], &rule["level"]),
        (0, &Value::from("C035"), &Value::from(true), &Value::from("warning"))
    );
    assert!(rule["why_is_this_bad"].as_str().is_some_and(|text| !text.is_empty()));
    let (_, text, _) = project.run(&["lint", "--list-rules"]);
    assert_eq!(text.lines().count(), rules.len());
    let (status, by_code, _) = project.run(&["explain", "C035", "--markdown"]);
    let (_, by_name, _) = project.run(&["explain", "redundant-include", "--markdown"]);
    assert!(status == 0 && by_code == by_name && by_code.starts_with("### C035 `redundant-include`\n"), "{by_code}");
}

/// Returns a CI definition for users.
fn ci(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../ci").join(file)).expect("it is there")
}

/// Returns the commands of the compiler after `run:` and `entry:` in the CI definitions for users.
fn steps() -> Vec<Vec<String>> {
    let files = ["github-actions.yml", "pre-commit-config.yaml"].map(ci);
    let lines = files.iter().flat_map(|file| file.lines()).map(str::trim);
    let commands = lines.filter_map(|line| line.strip_prefix("run: ").or_else(|| line.strip_prefix("entry: ")));
    let args = |command: &str| {
        let rest = command.strip_prefix("$COMPILER ").or_else(|| command.strip_prefix("cargo xtask "));
        rest.expect("every step is one of ours").split(' ').map(str::to_owned).collect()
    };
    commands.filter(|command| *command != "|").map(args).collect()
}

#[test]
fn the_workflow_for_users_pins_the_version_of_the_compiler() {
    assert!(ci("github-actions.yml").contains(&format!("\n  TOOLC_VERSION: {}\n", env!("CARGO_PKG_VERSION"))));
}

/// Runs the script that installs the compiler. `pipx` is a script that succeeds or fails. Before toolc has published
/// its package, one of this name would be by another author.
#[cfg(unix)]
#[test]
fn the_workflow_for_users_compiles_the_compiler_if_it_cannot_be_installed() {
    let text = ci("github-actions.yml");
    assert!(text.contains("\n  TOOLC_IS_PUBLISHED: \"false\"\n"));
    let block = text.split("run: |\n").nth(1).expect("the workflow has a script");
    let script: Vec<&str> = block.lines().map_while(|line| line.strip_prefix("          ")).collect();
    for (is_published, status, expected) in
        [("true", 0, "cargo-toolc"), ("true", 1, "cargo xtask"), ("false", 0, "cargo xtask")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let (log, env) = (folder.path().join("log"), folder.path().join("env"));
        // Functions replace the programs.
        let programs = format!(
            "pipx() {{ echo pipx $* >> log; return {status}; }}; rustup() {{ echo rustup $* >> log; }}; set -e\n"
        );
        let mut shell = std::process::Command::new("sh");
        shell.arg("-c").arg(programs + &script.join("\n")).current_dir(&folder).env("TOOLC_IS_PUBLISHED", is_published);
        let run = shell.env("TOOLC_VERSION", "1.2.3").env("GITHUB_ENV", &env).status().expect("a shell runs");
        assert!(run.success());
        let log = fs::read_to_string(log).expect("the programs were run");
        assert_eq!(log.contains("pipx install cargo-toolc==1.2.3\n"), is_published == "true", "{log}");
        assert_eq!(log.contains("rustup default stable"), expected == "cargo xtask", "{log}");
        assert_eq!(fs::read_to_string(env).expect("the variable was set"), format!("COMPILER={expected}\n"));
    }
}

#[test]
fn ci_definitions_for_users_pass_without_findings_and_fail_with_them() {
    let steps = steps();
    assert_eq!(steps.len(), 6);
    let run = |project: &Project, step: &[String]| {
        let sarif = project.0.path().join("lint.sarif");
        let to = format!("sarif={}", sarif.to_str().expect("text"));
        let args: Vec<&str> =
            step.iter().map(|arg| if arg == "sarif=lint.sarif" { to.as_str() } else { arg }).collect();
        let status = project.run(&args).0;
        assert_eq!(sarif.exists(), args.contains(&to.as_str()), "{args:?}");
        let _ = fs::remove_file(sarif);
        status
    };
    let well = Project::new();
    fixture::files(FILES)
        .iter()
        .skip(2)
        .for_each(|(path, _)| fs::remove_file(well.0.path().join(path)).expect("failed to delete"));
    well.change("manifests/tools/read_file.toml", "changed.\n\"\"\"", "changed.\"\"\"");
    well.change(
        "manifests/tools/read_file.toml",
        "type = \"string\"",
        "type = \"string\"\ndescription = \"The file, relative to the project.\"",
    );
    assert_eq!(well.run(&["gen"]).0, 0);
    for step in &steps {
        assert_eq!(run(&well, step), 0, "{step:?} {:?}", well.run(&["lint"]));
    }
    for step in &steps {
        let project = Project::new();
        project.write("manifests/toolsets/odd.toml", "name=\"odd\"\ndescription=\"Odd.\"\n");
        let mends = step == &["fmt"];
        assert_eq!(run(&project, step), u8::from(!mends), "{step:?}");
    }
}
