//! `list`, `resolve`, `show` and `explain`: what they print, also if something else in the project has errors.

use std::fs;

use serde_json::{Value, json};

use crate::gen_command::Project;

fn run_json(project: &Project, args: &[&str]) -> Value {
    let (status, out, err) = project.run(args);
    assert_eq!((status, err.as_str()), (0, ""), "{args:?}");
    serde_json::from_str(&out).expect("JSON")
}

#[test]
fn list_prints_names_toolsets_and_first_sentences() {
    let project = Project::manifests();
    let (status, out, err) = project.run(&["list"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        (lines[0], lines.len()),
        ("Odd-Names      lib         Take arguments whose names are not identifiers", 35)
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 80) && out.contains("…\n"), "{out}");

    let listed = run_json(&project, &["list", "--json"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(35));
    assert_eq!(
        listed[0],
        json!({
            "name": "Odd-Names",
            "toolset": "lib",
            "toolsets": ["Chat-Room", "diamond", "everything", "left", "less", "lib", "right"],
            "tags": [],
            "description": "Take arguments whose names are not identifiers.",
            "manifest": "manifests/tools/Odd-Names.toml",
        })
    );
}

#[test]
fn list_selects_tools_by_toolset_and_tag() {
    let project = Project::manifests();
    let names = |args: &[&str]| {
        let listed = run_json(&project, &[&["list", "--json"], args].concat());
        let names =
            listed.as_array().expect("an array").iter().map(|tool| tool["name"].as_str().expect("a name").to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&["--toolset", "lib"]), ["Odd-Names", "no_parameters", "run_now"]);
    assert_eq!(names(&["--toolset", "sentries"]), ["guarded", "in_chat"], "a legacy name");
    let tagged = names(&["--tag", "guarded"]);
    assert!(!tagged.is_empty() && tagged.len() < 30, "{tagged:?}");
    assert_eq!(names(&["--tag", "guarded", "--toolset", "nothing"]), [""; 0]);
    let (status, _, err) = project.run(&["list", "--tag", "gaurded"]);
    assert_eq!((status, err.as_str()), (2, "error: unknown tag `gaurded`: did you mean `guarded`?\n"));
    assert_eq!(project.run(&["list", "--toolset", "libb"]).2, "error: unknown toolset `libb`: did you mean `lib`?\n");
}

#[test]
fn resolve_prints_the_path_of_each_tool() {
    let project = Project::manifests();
    let resolved = |names: &[&str]| project.run(&[&["resolve"], names].concat());
    assert_eq!(
        resolved(&["lib"]),
        (0, "Odd-Names      lib\nno_parameters  lib\nrun_now        lib\n".to_owned(), String::new())
    );
    assert_eq!(
        resolved(&["later", "lib"]).1,
        "Odd-Names      lib\nno_parameters  lib\nrun_later      later\nrun_now        lib\nwait           later\n"
    );
    assert_eq!(resolved(&["nothing"]), (0, String::new(), String::new()));
    assert_eq!(resolved(&["sentries"]).1, "guarded  guards\nin_chat  guards\n", "a legacy name");
    let chat = resolved(&["Chat-Room"]).1;
    assert!(chat.contains("Odd-Names      Chat-Room > base diamond > includes left > includes lib\n"), "{chat}");
    assert!(chat.lines().any(|line| line.ends_with("  Chat-Room > tools")), "{chat}");
    let lines =
        |out: &str| out.lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(lines(&resolved(&["all"]).1), lines(&resolved(&["everything"]).1));
    assert_eq!(resolved(&["*"]), resolved(&["all"]));
    assert!(resolved(&["all"]).1.contains("\nwait           later\n"), "every tool is in its home");

    assert_eq!(
        run_json(&project, &["resolve", "lib", "--json"])[2],
        json!({ "name": "run_now", "path": [{ "toolset": "lib", "by": "home" }] })
    );
    assert_eq!(
        run_json(&project, &["resolve", "Chat-Room", "--json"])[0]["path"],
        json!([
            { "toolset": "Chat-Room", "by": "base" },
            { "toolset": "diamond", "by": "includes" },
            { "toolset": "left", "by": "includes" },
            { "toolset": "lib", "by": "home" },
        ])
    );
}

#[test]
fn show_prints_a_definition() {
    let project = Project::manifests();
    assert_eq!(project.run(&["lint"]), (0, "35 tools, 17 toolsets: no findings\n".to_owned(), String::new()));
    let shown = run_json(&project, &["show", "wait"]);
    let file = Project::source().join("generated/schemas/openai/tools/wait.json");
    let written: Value = serde_json::from_str(&fs::read_to_string(file).expect("failed to read")).expect("JSON");
    assert_eq!(shown, written);
    assert_eq!(
        run_json(&project, &["show", "wait", "--json"]),
        json!({
            "name": "wait", "toolset": "later", "manifest": "manifests/tools/wait.toml", "dialect": "openai", "definition": written,
        })
    );
    assert_eq!(project.run(&["gen", "--check"]).0, 1, "no command wrote anything");
}

#[test]
fn show_uses_the_first_dialect_of_the_settings() {
    let project = Project::manifests();
    project.write_settings("dialects = [\"mcp\", \"anthropic\", \"openai\"]");
    let shown = |args: &[&str]| project.run(&[&["show", "wait"], args].concat()).1;
    assert_eq!(shown(&[]), shown(&["--dialect", "mcp"]));
    assert_ne!(shown(&[]), shown(&["--dialect", "openai"]));
}

#[test]
fn show_says_that_a_project_has_no_facts() {
    let project = Project::empty();
    project.write("manifests/toolsets/a.toml", "name = \"a\"\ndescription = \"A.\"\n");
    project.write("manifests/tools/b.toml", "name = \"b\"\ntoolset = \"a\"\ndescription = \"B.\"\n");
    let (status, _, err) = project.run(&["show", "b", "--fact", "admin=true"]);
    assert_eq!((status, err.as_str()), (2, "error: unknown fact `admin`: the project declares no fact\n"));
}

/// Returns the golden project with a toolset that cannot be parsed, a tool that cannot be parsed, and a tool with an unknown name
/// in its text.
fn broken() -> Project {
    let project = Project::manifests();
    project.write("manifests/toolsets/later.toml", "name = \"later\"\nincludes = [\n");
    project.write("manifests/tools/crunch.toml", "name = \"crunch\n");
    let unknown = "name = \"erase\"\ntoolset = \"lib\"\ndescription = \"{% if facts.no %}No.{% endif %}\"\n";
    project.write("manifests/tools/erase.toml", unknown);
    project
}

#[test]
fn what_is_sound_is_shown_if_something_else_has_errors() {
    let project = broken();
    let (status, out, err) = project.run(&["show", "guarded"]);
    assert_eq!(status, 0, "{err}");
    assert!(serde_json::from_str::<Value>(&out).is_ok(), "{out}");
    let count: usize = err.split(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    assert!(count >= 3 && err.lines().count() == 1, "{err}");
    assert!(err.contains(" errors in ROOT/manifests/tools/crunch.toml, ROOT/manifests/tools/erase.toml, "), "{err}");
    assert!(err.ends_with(": run `cargo xtask --root ROOT lint`\n"), "{err}");

    let (status, out, note) = project.run(&["list"]);
    assert_eq!((status, note), (0, err.clone()));
    assert!(
        out.lines().any(|line| line.starts_with("guarded  ")) && out.lines().any(|line| line.ends_with("(has errors)"))
    );
    let (status, out, note) = project.run(&["resolve", "guards"]);
    assert_eq!((status, out.as_str(), note), (0, "guarded  guards\nin_chat  guards\n", err));
}

#[test]
fn what_has_errors_itself_fails_with_its_errors() {
    let project = broken();
    for (args, code, file) in [
        (&["show", "crunch"][..], "error[C001]", "tools/crunch.toml"),
        (&["show", "erase"], "unknown fact `no`", "tools/erase.toml"),
        (&["resolve", "later"], "error[C001]", "toolsets/later.toml"),
        (&["list", "--toolset", "later"], "error[C001]", "toolsets/later.toml"),
    ] {
        let (status, _, err) = project.run(args);
        assert_eq!(status, 1, "{args:?}: {err}");
        assert!(err.contains(code) && err.contains(file), "{args:?}: {err}");
        // Only the errors of this manifest are in full.
        assert_eq!(err.matches("\n --> ").count(), 1, "{args:?}: {err}");
    }
    // Built on a broken toolset: what is known is printed, and the command fails.
    let (status, out, err) = project.run(&["resolve", "everything"]);
    assert!(status == 1 && out.contains("guarded") && err.contains("toolsets/later.toml"), "{err}");
    // An unknown name is a mistake of the command line.
    assert_eq!(project.run(&["show", "no_such_tool"]).0, 2);
}

#[test]
fn a_tool_is_shown_only_if_all_that_its_text_names_can_be_read() {
    let project = Project::empty();
    project.write("manifests/toolsets/a.toml", "name = \"a\"\ndescription = \"A.\"\n");
    let text = "name = \"b\"\ntoolset = \"a\"\ndescription = \"B.{% if tools.c %} Not c.{% endif %}\"\n";
    project.write("manifests/tools/b.toml", text);
    project.write("manifests/tools/c.toml", "name = \"c\n");
    let (status, out, err) = project.run(&["show", "b"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.ends_with("error: `b` depends on a declaration that has errors\n"), "{err}");
    assert!(project.run(&["list"]).1.contains("b  a  (has errors)\n"));
}

#[test]
fn a_rule_that_is_denied_breaks_no_tool() {
    let project = Project::manifests();
    project.write_settings("[lint]\nM001 = \"deny\"");
    let text =
        "name = \"wait\"\ntoolset = \"later\"\ndescription = \"Wait until it is time.\"\nparams.x.type = \"string\"\n";
    project.write("manifests/tools/wait.toml", text);
    let (status, out, err) = project.run(&["show", "wait"]);
    assert!(status == 0 && out.contains("Wait until it is time."), "{err}");
    assert!(err.starts_with("1 error in ROOT/manifests/tools/wait.toml: run "), "{err}");
}

#[test]
fn explain_renders_markdown_for_a_terminal() {
    let project = Project::empty();
    let (status, out, _) = project.run(&["explain", "M001"]);
    assert_eq!(status, 0);
    let title = "M001 parameter-description-missing";
    assert!(out.starts_with(&format!("{title}\n{}\n\n", "-".repeat(title.len()))), "{out}");
    assert!(out.contains("\nExample\n-------\n\n    # manifests/tools/") && !out.contains("```"), "{out}");
    let (_, markdown, _) = project.run(&["explain", "M001", "--markdown"]);
    assert!(
        markdown.starts_with("### M001 `parameter-description-missing`\n") && markdown.contains("```toml"),
        "{markdown}"
    );
}

#[test]
fn help_lists_formats_and_exit_statuses() {
    let project = Project::empty();
    let help = |args: &[&str]| project.run(args).1;
    let lint = help(&["lint", "--help"]);
    for format in toolc_codegen::report::Format::ALL {
        assert!(lint.contains(&format!("\n  {} ", format.name)), "{}: {lint}", format.name);
    }
    for args in [&["--help"][..], &["gen", "--help"], &["lint", "--help"]] {
        assert!(help(args).contains("Exit status:\n  0  "), "{args:?}");
    }
}

#[test]
fn show_prints_the_turn_that_its_options_select() {
    let project = Project::golden();
    let shown = |args: &[&str]| {
        let (status, out, err) = project.run(&[&["show"], args].concat());
        assert_eq!((status, err.as_str()), (0, ""), "{args:?}");
        serde_json::from_str::<Value>(&out).expect("a definition is JSON")
    };
    let file = |path: &str| {
        let text = fs::read_to_string(project.path(&format!("generated/schemas/{path}.json"))).expect("failed to read");
        serde_json::from_str::<Value>(&text).expect("a definition is JSON")
    };
    assert_eq!(shown(&["depends"]), file("openai/tools/depends"));
    assert_eq!(shown(&["depends", "--dialect", "mcp"]), file("mcp/tools/depends"));
    let alone = shown(&["depends", "--dialect", "mcp", "--available", ""]);
    assert_ne!(alone, file("mcp/tools/depends"));
    assert_ne!(shown(&["depends", "--dialect", "mcp", "--available", "", "--fact", "vision=true"]), alone);
    for (args, error) in [
        (&["wait", "--dialect", "antropic"][..], "unknown dialect `antropic`: did you mean `anthropic`?"),
        (&["wait", "--available", "run_now,run-alter"], "unknown tool `run-alter`: did you mean `run_later`?"),
        (&["wait", "--fact", "visoin=true"], "unknown fact `visoin`: did you mean `vision`?"),
        (
            &["wait", "--fact", "vision=maybe"],
            "the fact `vision` is a boolean: write `--fact vision=true` or `--fact vision=false`",
        ),
        (
            &["wait", "--fact", "vision"],
            "the fact `vision` is a boolean: write `--fact vision=true` or `--fact vision=false`",
        ),
    ] {
        let (status, out, err) = project.run(&[&["show"], args].concat());
        assert_eq!((status, out.as_str(), err.trim_end()), (2, "", &*format!("error: {error}")));
    }
}

#[test]
fn unknown_names_are_reported_with_the_nearest_known_ones() {
    let project = Project::manifests();
    let error = |args: &[&str]| {
        let (status, out, err) = project.run(args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}");
        err
    };
    assert_eq!(error(&["show", "run-alter"]), "error: unknown tool `run-alter`: did you mean `run_later`?\n");
    assert_eq!(
        error(&["resolve", "browse"]),
        "error: unknown toolset `browse`: the toolsets are: Chat-Room, also_nothing, by_code, diamond, everything, guards, later, left, less, lib, loop, nothing, plain_text, returns, right, shapes, shut\n"
    );
    assert_eq!(error(&["resolve", "lib", "rihgt"]), "error: unknown toolset `rihgt`: did you mean `right`?\n");
}
