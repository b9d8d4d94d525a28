//! The commands print no more than people read: warnings are counted, repetitions are cut, and changes are listed.

use std::fs;

use crate::gen_command::{Project, total, written};

/// Returns a project with `count` tools, each of which has a parameter without a description.
fn like_tools(count: usize) -> Project {
    let project = Project::empty();
    project.write("manifests/toolsets/crm.toml", "name = \"crm\"\ndescription = \"Everything in the CRM.\"\n");
    project.write("toolc.toml", "dialects = [\"openai\"]\n");
    for number in 0..count {
        let text = format!(
            "name = \"get_{number}\"\ntoolset = \"crm\"\ndescription = \"Return the record {number} of the database.\"\n\
             [params.all]\ntype = \"boolean\"\n"
        );
        project.write(&format!("manifests/tools/get_{number}.toml"), text);
    }
    project
}

#[test]
fn gen_counts_the_warnings_of_each_rule() {
    let project = like_tools(40);
    project.write("manifests/toolsets/empty.toml", "name = \"empty\"\ndescription = \"Nothing.\"\n");
    let (status, _, err) = project.run(&["gen"]);
    assert_eq!(status, 0);
    assert_eq!(
        err,
        "41 warnings: 40 parameter-description-missing (M001), 1 empty-toolset (C040); run `cargo xtask --root ROOT lint`\n"
    );
    assert_eq!(project.run(&["gen", "--check"]).2, err);
    assert_eq!(project.run(&["export", project.path("out").to_str().expect("text")]).2, err);
}

#[test]
fn gen_prints_every_error_in_full() {
    let project = like_tools(12);
    for number in 0..12 {
        project.write(&format!("manifests/tools/bad_{number}.toml"), "name = 1\n");
    }
    let (status, out, err) = project.run(&["gen"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert_eq!(err.matches("error[").count(), 36, "{err}");
    assert!(!err.contains("warning["), "{err}");
    let last = err.lines().last().expect("a summary");
    assert_eq!(
        last,
        "36 errors, 12 warnings: 12 parameter-description-missing (M001); run `cargo xtask --root ROOT lint`"
    );
}

#[test]
fn lint_cuts_repetitions_of_a_rule() {
    let project = like_tools(47);
    let (status, out, err) = project.run(&["lint"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out.matches("warning[M001]").count(), 10);
    assert!(out.ends_with("\n... and 37 more of M001: `--all` shows them\n\n47 warnings\n"), "{out}");

    let (_, all, _) = project.run(&["lint", "--all"]);
    assert_eq!(all.matches("warning[M001]").count(), 47);
    assert!(all.ends_with("\n\n47 warnings\n"), "{all}");
    // A rule with few findings is not cut because of another one.
    project.write("manifests/toolsets/empty.toml", "name = \"empty\"\ndescription = \"Nothing.\"\n");
    assert_eq!(project.run(&["lint"]).1.matches("warning[C040]").count(), 1);
    // Findings at another level are cut separately, so that no warning hides an error.
    let (status, out, _) = project.run(&["lint", "--deny-warnings"]);
    assert_eq!((status, out.matches("error[M001]").count()), (1, 10));
}

#[test]
fn formats_for_programs_and_files_are_never_cut() {
    let project = like_tools(30);
    for format in ["concise", "json", "sarif", "github"] {
        let (_, out, _) = project.run(&["lint", "--format", format]);
        assert!(out.matches("has no description").count() >= 30 && !out.contains("more of"), "{format}");
    }
    let file = project.path("report.txt");
    project.run(&["lint", "--format", &format!("human={}", file.display())]);
    let report = fs::read_to_string(file).expect("written");
    assert_eq!(report.matches("warning[M001]").count(), 30);
}

#[test]
fn gen_check_shows_changed_lines_on_demand() {
    let project = Project::golden();
    let wait = project.path("generated/schemas/openai/tools/wait.json");
    let text = fs::read_to_string(&wait).expect("failed to read");
    fs::write(&wait, text.replace("Give way once.", "Give way twice.")).expect("failed to write");
    fs::write(project.path("generated/catalog.json"), b"\xff").expect("failed to write");
    fs::remove_file(project.path("generated/README.md")).expect("failed to delete");

    let (status, brief, _) = project.run(&["gen", "--check"]);
    assert_eq!((status, brief.lines().count()), (1, 4), "{brief}");
    let (status, out, err) = project.run(&["gen", "--check", "--diff"]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.lines().take(3).eq(brief.lines().take(3)), "{out}");
    let path = "generated/schemas/openai/tools/wait.json";
    let header = format!("--- {path}\n+++ {path}, as gen writes it\n@@ ");
    assert!(out.contains(&header), "{out}");
    for line in ["-    \"description\": \"Give way twice.\",", "+    \"description\": \"Give way once.\","] {
        assert!(out.lines().any(|shown| shown == line), "{out}");
    }
    assert!(out.contains("+++ generated/catalog.json, as gen writes it\n    (not text: not shown)\n"), "{out}");
    assert!(!out.contains("--- generated/README.md"), "a missing file has no diff: {out}");
    assert!(out.ends_with("run `cargo xtask --root ROOT gen`, and commit what it writes\n"), "{out}");

    let (status, _, err) = project.run(&["gen", "--diff"]);
    assert!(status == 2 && err.contains("--check"), "{err}");
    assert_eq!(project.run(&["gen"]).1, written(3, 0));
    assert_eq!(project.run(&["gen", "--check"]).1, format!("generated/: {} files up to date\n", total()));
}

#[test]
fn a_diff_is_bounded() {
    let project = Project::golden();
    let path = project.path("generated/schemas/openai/tools/wait.json");
    let long = "x".repeat(5_000);
    fs::write(&path, format!("{}{long}\n", "line\n".repeat(500))).expect("failed to write");
    let (_, out, _) = project.run(&["gen", "--check", "--diff"]);
    assert!(out.lines().count() < 60 && out.contains("more lines\n"), "{}", out.lines().count());
    fs::write(&path, &long).expect("failed to write");
    let (_, out, _) = project.run(&["gen", "--check", "--diff"]);
    assert!(out.lines().all(|line| line.chars().count() <= 1_001), "{out}");
}

#[test]
fn advice_names_the_command_of_the_project() {
    let project = like_tools(1);
    let root = project.path("").join("it's here");
    fs::create_dir(&root).expect("failed to make a folder");
    fs::rename(project.path("manifests"), root.join("manifests")).expect("failed to move");
    let (_, _, err) = toolc_codegen::cli::capture(["--root", root.to_str().expect("text"), "gen"]);
    assert!(err.contains("; run `cargo xtask --root '") && err.contains("it'\\''s here' lint`"), "{err}");
}

#[test]
fn timings_have_a_line_for_each_stage() {
    let project = like_tools(2);
    let stages = |args: &[&str]| {
        let (status, _, err) = project.run(args);
        assert_eq!(status, 0, "{err}");
        let lines = err.lines().filter(|line| line.ends_with(" ms"));
        lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect::<Vec<_>>()
    };
    let compiler = ["scan", "parse", "resolve", "check", "lint"];
    assert_eq!(stages(&["gen", "--timings"]), [&compiler[..], &["emit", "write", "total"]].concat());
    assert_eq!(stages(&["gen", "--check", "--timings"]), [&compiler[..], &["emit", "total"]].concat());
    assert_eq!(stages(&["lint", "--timings"]), [&compiler[..], &["report", "total"]].concat());
    assert_eq!(stages(&["lint"]), [""; 0]);
}
