//! Which files gen writes for review, and which of them change with one word.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use toolc_test_support::Missing;

use crate::gen_command::{Project, differences};

/// Returns a project with these settings: two toolsets, one of which includes the other.
fn project(settings: &str) -> Project {
    let project = Project::empty();
    project.write("toolc.toml", settings);
    project.write("manifests/toolsets/file.toml", "name = \"file\"\ndescription = \"Files.\"\n");
    let all = "name = \"all_of_it\"\ndescription = \"All.\"\nincludes = [\"file\"]\n";
    project.write("manifests/toolsets/all_of_it.toml", all);
    for (name, about) in
        [("read_it", "Return the text of one file"), ("send_it", "Upload a picture to the shared album")]
    {
        let text = format!(
            "name = \"{name}\"\ntoolset = \"file\"\ndescription = \"{about}. Call it once.\"\n\
             [params.path]\ntype = \"string\"\ndescription = \"The path of the file.\"\nrequired = true\n"
        );
        project.write(&format!("manifests/tools/{name}.toml"), text);
    }
    project
}

/// Runs gen, and returns the folders in `generated/schemas/`: `DIALECT/tools` and so on.
fn folders(project: &Project) -> BTreeSet<String> {
    let (status, _, err) = project.run(&["gen"]);
    assert_eq!((status, err.as_str()), (0, ""));
    if !project.path("generated/schemas").exists() {
        return BTreeSet::new();
    }
    let files = project.bytes("generated/schemas");
    files.keys().map(|path| path.parent().expect("a folder").to_str().expect("text").to_owned()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn settings_select_the_schema_files() {
    let listed = "dialects = [\"portable\", \"openai\"]\n";
    for (schemas, expected) in [
        ("", &["openai/tools", "portable/tools"][..]),
        ("[schemas]\ntoolsets = true\n", &["openai/tools", "openai/toolsets", "portable/tools", "portable/toolsets"]),
        ("[schemas]\ntools = false\ntoolsets = true\ndialects = [\"openai\"]\n", &["openai/toolsets"]),
        ("[schemas]\ndialects = [\"portable\"]\n", &["portable/tools"]),
        ("[schemas]\ntools = false\n", &[]),
    ] {
        let project = project(&format!("{listed}{schemas}"));
        assert_eq!(folders(&project), set(expected), "{schemas}");
        let readme = fs::read_to_string(project.path("generated/README.md")).expect("written");
        assert_eq!(readme.contains("schemas/DIALECT/toolsets/"), schemas.contains("toolsets = true"), "{readme}");
        assert_eq!(readme.contains("schemas/DIALECT"), !expected.is_empty(), "{readme}");
        // A bundle has everything.
        assert_eq!(project.run(&["export", project.path("out").to_str().expect("text")]).0, 0);
        let all = ["openai", "portable"].map(|dialect| project.bytes(&format!("out/schemas/{dialect}")).len());
        assert_eq!(all, [4, 4], "{schemas}");
    }
}

#[test]
fn files_that_are_no_longer_selected_are_removed() {
    let project = project("dialects = [\"openai\"]\n[schemas]\ntoolsets = true\n");
    assert_eq!(folders(&project), set(&["openai/tools", "openai/toolsets"]));
    project.write("toolc.toml", "dialects = [\"openai\"]\n");
    assert_eq!(folders(&project), set(&["openai/tools"]));
}

#[test]
fn schema_settings_that_cannot_be_met_are_errors() {
    for (settings, message) in [
        ("dialects = [\"openai\"]\n[schemas]\ndialects = [\"mcp\"]\n", "`mcp` is not a dialect of the project"),
        ("[schemas]\ndialects = [\"mpc\"]\n", "unknown dialect `mpc`"),
        ("[schemas]\ntools = false\ndialects = [\"mcp\"]\n", "`schemas.dialects` has no effect"),
        ("[schemas]\ntool = false\n", "unknown key `tool`"),
        ("[schemas]\ntools = 1\n", "expected"),
    ] {
        let (status, _, err) = project(settings).run(&["gen"]);
        assert!(status == 1 && err.contains(message) && err.contains("toolc.toml:"), "{settings}: {err}");
    }
    // Without a list, all dialects are those of the project.
    assert_eq!(folders(&project("[schemas]\ndialects = [\"mcp\"]\n")), set(&["mcp/tools"]));
}

#[test]
fn one_changed_word_changes_only_the_files_that_show_it() {
    let project = project("dialects = [\"openai\", \"mcp\"]\n[schemas]\ndialects = [\"openai\"]\n");
    assert_eq!(project.run(&["gen"]).0, 0);
    let before = project.bytes("generated");
    let path = project.path("manifests/tools/read_it.toml");
    let text = fs::read_to_string(&path).expect("failed to read");
    fs::write(path, text.replace("The path of the file.", "The place of the file.")).expect("failed to write");
    assert_eq!(project.run(&["gen"]).0, 0);
    let after = project.bytes("generated");
    let changed = differences(&before, &after);
    let names: Vec<&str> = changed.iter().map(|path| path.to_str().expect("text")).collect();
    assert_eq!(
        names,
        ["catalog.json", "manifests.txt", "rust/data/file.rs", "rust/file.rs", "schemas/openai/tools/read_it.json"]
    );
    // In the files for review, one line differs. Only packed data is not reviewed.
    for path in ["rust/file.rs", "schemas/openai/tools/read_it.json"] {
        let [before, after] =
            [&before, &after].map(|files| String::from_utf8_lossy(&files[Path::new(path)]).into_owned());
        let lines = before.lines().zip(after.lines()).filter(|(before, after)| before != after);
        assert_eq!(lines.count(), 1, "{path}");
    }
    let readable = after.iter().filter(|(path, _)| path.extension().is_some_and(|extension| extension == "rs"));
    for (path, text) in readable.filter(|(path, _)| !path.starts_with("rust/data")) {
        assert!(!String::from_utf8_lossy(text).contains("r#\""), "packed data in {}", path.display());
    }
}

#[test]
fn git_shows_no_packed_data() {
    for settings in ["", "rust = \"src/generated\"\n"] {
        let project = project(settings);
        assert_eq!(project.run(&["gen"]).0, 0);
        let git = |args: &[&str]| {
            let run = std::process::Command::new("git").arg("-C").arg(project.path("")).args(args).output();
            run.ok().filter(|run| run.status.success()).map(|run| String::from_utf8_lossy(&run.stdout).into_owned())
        };
        if git(&["init", "--quiet"]).is_none() {
            Missing::program("git").skip();
            return;
        }
        let rust = if settings.is_empty() { "generated/rust" } else { "src/generated" };
        let attribute = |name: &str, path: &str| {
            let line = git(&["check-attr", name, "--", path]).expect("git works");
            line.trim_end().rsplit(": ").next().map(str::to_owned)
        };
        for (name, path, expected) in [
            ("diff", "data/file.rs", "unset"),
            ("linguist-generated", "data/file.rs", "true"),
            ("diff", "file.rs", "unspecified"),
            ("linguist-generated", "file.rs", "unspecified"),
            ("eol", "file.rs", "lf"),
        ] {
            assert_eq!(attribute(name, &format!("{rust}/{path}")).as_deref(), Some(expected), "{name} of {path}");
        }
        assert_eq!(attribute("linguist-generated", "generated/catalog.json").as_deref(), Some("true"));
        let tool = "generated/schemas/openai/tools/read_it.json";
        assert_eq!(attribute("linguist-generated", tool).as_deref(), Some("unspecified"));
    }
}
