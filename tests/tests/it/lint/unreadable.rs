//! Anything among the manifests that cannot be read as one is reported, and the rest is checked.

use super::Project;

/// Returns the code, the path and the message of each finding.
fn found(project: &Project) -> Vec<String> {
    let (status, out, err) = project.run(&["lint", "--format", "concise", "M001"]);
    assert_eq!((status, err.as_str()), (1, ""));
    out.lines().map(|line| line.strip_prefix("ROOT/manifests/").unwrap_or(line).to_owned()).collect()
}

#[cfg(unix)]
#[test]
fn whatever_has_the_name_of_a_manifest_is_reported_and_the_rest_is_checked() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let project = Project::new();
    let tools = project.0.path().join("manifests/tools");
    assert!(
        std::process::Command::new("mkfifo").arg(tools.join("pipe.toml")).status().is_ok_and(|status| status.success())
    );
    let _socket = UnixListener::bind(tools.join("socket.toml")).expect("failed to bind");
    symlink("/dev/zero", tools.join("device.toml")).expect("failed to link");
    symlink("nowhere", tools.join("dangling.toml")).expect("failed to link");
    symlink("itself.toml", tools.join("itself.toml")).expect("failed to link");
    symlink("../tools", tools.join("again")).expect("failed to link");
    symlink("nowhere", tools.join("notes.md")).expect("failed to link");
    std::fs::create_dir(tools.join("folder.toml")).expect("failed to make a folder");
    std::fs::write(tools.join(OsStr::from_bytes(b"caf\xe9.toml")), "").expect("failed to write");
    let found = found(&project);
    let expected = [
        "tools/again:1:1: error[C015] misplaced-file: `again` is a link to a folder that contains it: no manifest is read here",
        "tools/caf\u{fffd}.toml:1:1: error[C015] misplaced-file: `caf\u{fffd}.toml` has a name that is not UTF-8: no manifest is read here",
        "tools/dangling.toml:1:1: error[C015] misplaced-file: `dangling.toml` is a link to `nowhere`, which does not exist: no manifest is read here",
        "tools/device.toml:1:1: error[C015] misplaced-file: `device.toml` is a device, not a file: no manifest is read here",
        "tools/folder.toml:1:1: error[C015] misplaced-file: `folder.toml` is a folder, not a file: no manifest is read here",
        "tools/itself.toml:1:1: error[C015] misplaced-file: `itself.toml` is a link that cannot be followed: ",
        "tools/pipe.toml:1:1: error[C015] misplaced-file: `pipe.toml` is a named pipe, not a file: no manifest is read here",
        "tools/read_file.toml:8:9: warning[M001] parameter-description-missing: the parameter `path` of `read_file` has no description",
        "tools/socket.toml:1:1: error[C015] misplaced-file: `socket.toml` is a socket, not a file: no manifest is read here",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\nexpected {expected}");
    }
}

/// A tool whose file cannot be read is not unknown as well.
#[cfg(unix)]
#[test]
fn references_to_what_cannot_be_read_are_not_reported() {
    let project = Project::new();
    project.write(
        "manifests/toolsets/more.toml",
        "name = \"more\"\ndescription = \"More.\"\ntools = [\"lost\"]\nincludes = [\"gone\"]\n",
    );
    for path in ["manifests/tools/lost.toml", "manifests/toolsets/gone.toml", "manifests/facts.toml", "toolc.toml"] {
        std::os::unix::fs::symlink("nowhere", project.0.path().join(path)).expect("failed to link");
    }
    project.change(
        "manifests/tools/read_file.toml",
        "[params.path]",
        "[requires]\nwhen = \"facts.deep\"\n\n[params.path]",
    );
    let found = found(&project);
    let codes: Vec<&str> = found.iter().filter_map(|line| Some(line.split_once('[')?.1.split_once(']')?.0)).collect();
    assert_eq!(codes, ["C015", "C015", "M001", "C015", "C015"], "{found:#?}");
}

#[test]
fn misspelt_extensions_are_reported_and_other_files_are_not() {
    for (name, is_reported) in [
        ("x.tml", true),
        ("x.tom", true),
        ("x.toml.txt", true),
        ("x.TOML", true),
        ("x.yaml", true),
        ("x.json5", true),
        ("x.toml~", false),
        ("x.toml.bak", false),
        ("x.md", false),
        ("x.txt", false),
        ("x.tmpl", false),
        ("x.html", false),
        ("README", false),
        (".x.toml", false),
    ] {
        let project = Project::new();
        project.write(&format!("manifests/tools/{name}"), "");
        let (status, out, _) = project.run(&["lint", "--format", "concise", "C015"]);
        assert_eq!(status, u8::from(is_reported), "{name}: {out}");
        assert_eq!(out.contains("C015"), is_reported, "{name}: {out}");
    }
}

#[test]
fn files_in_other_encodings_are_reported_once() {
    for (bytes, message) in [
        (&b"\xff\xfen\0a\0"[..], "the file is UTF-16, not UTF-8"),
        (b"\xfe\xff\0n\0a", "the file is UTF-16, not UTF-8"),
        (b"name = \"caf\xe9\"", "the file is not UTF-8 from here on"),
        (b"n\0a\0m\0e\0 \0=\0", "invalid TOML: this file is not UTF-8 text"),
    ] {
        let project = Project::new();
        std::fs::write(project.0.path().join("manifests/tools/read_file.toml"), bytes).expect("failed to write");
        let found = found(&project);
        assert!(found.len() == 1 && found[0].contains(message), "{found:#?}");
    }
}

/// Editors do not show a byte order mark, and do not count it as a column.
#[test]
fn a_byte_order_mark_is_not_a_column_and_is_kept_by_fixes() {
    let project = Project::new();
    let text = project.read("manifests/tools/read_file.toml").replace("# Reads.\n", "");
    project.write(
        "manifests/tools/read_file.toml",
        &format!("\u{feff}{}", text.replace("name = \"read_file\"", "name = \"read_files\"")),
    );
    assert!(found(&project)[0].starts_with("tools/read_file.toml:1:8: error[C006]"));
    project.write("manifests/tools/read_file.toml", &format!("\u{feff}{text}"));
    let (status, _, err) = project.run(&["lint", "--fix", "leading-or-trailing-space"]);
    assert_eq!((status, err.as_str()), (0, "fixed: 1 file\n"));
    let fixed = project.read("manifests/tools/read_file.toml");
    assert!(fixed.starts_with("\u{feff}name = "), "{fixed}");
}

/// A project with links, and the codes, paths and messages of its findings.
#[cfg(unix)]
struct Links {
    project: Project,
    outside: tempfile::TempDir,
}

#[cfg(unix)]
impl Links {
    /// Makes the folder `manifests/tools/sub`, the folders `shared`, `shared/deep` and `notes` next to `manifests`, and links, each
    /// `PATH -> TARGET`. `OUT` is a folder outside of the project.
    fn new(links: &str) -> Self {
        let (project, outside) = (Project::new(), tempfile::tempdir().expect("failed to make a folder"));
        let tool = |name: &str| {
            format!(
                "name = \"{name}\"\ntoolset = \"files\"\ndescription = \"Reads {name} of the project for the next step.\"\n"
            )
        };
        project.write("manifests/tools/sub/inner.toml", &tool("inner"));
        project.write("manifests/tools/other/second.toml", &tool("second"));
        project.write("shared/one.toml", &tool("one"));
        project.write("shared/deep/two.toml", &tool("two"));
        project.write("notes/read.md", "Notes.");
        std::fs::write(outside.path().join("far.toml"), tool("far")).expect("failed to write");
        for link in links.split(", ").filter(|link| !link.is_empty()) {
            let (path, target) = link.split_once(" -> ").expect("a link");
            let path = project.0.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("failed to make a folder");
            let target = target.replace("OUT", outside.path().to_str().expect("text"));
            std::os::unix::fs::symlink(target, path).expect("failed to link");
        }
        Self { project, outside }
    }

    /// Returns the findings about files that are not read, and the names of the tools.
    fn lint(&self) -> (Vec<String>, Vec<String>) {
        let (_, out, err) = self.project.run(&["lint", "--format", "concise", "--all", "C015"]);
        assert_eq!(err, "");
        let line = |line: &str| {
            let line = line.strip_prefix("ROOT/manifests/").unwrap_or(line);
            let (path, message) = line.split_once(":1:1: error[C015] misplaced-file: ").unwrap_or((line, ""));
            format!("{path}: {}", message.strip_suffix(": no manifest is read here").unwrap_or(message))
        };
        let sources = toolc_codegen::Sources::scan(self.project.0.path()).expect("the folder can be read");
        let is_tool = |source: &&std::sync::Arc<toolc_codegen::source::Source>| {
            !source.text.is_empty() && source.path.contains("/tools/")
        };
        let tools = sources.all().iter().filter(is_tool).map(|source| source.stem.clone());
        (out.lines().map(line).collect(), tools.collect())
    }
}

#[cfg(unix)]
#[test]
fn a_link_beyond_the_limits_is_refused_and_the_rest_is_checked() {
    let entries = "links may lead to at most 10000 files and folders in all";
    let bytes = "manifests behind links may have at most 64 MiB in all";
    let depth = "folders behind links may be nested at most 32 deep";
    let make = |folder: &std::path::Path, what: &str| {
        let file = |name: String, length| {
            let file = std::fs::File::create(folder.join(name)).expect("failed to write");
            file.set_len(length).expect("failed to write");
        };
        match what {
            "many files" => (0..10_001).for_each(|n| file(format!("{n}.txt"), 0)),
            "large files" => (0..17).for_each(|n| file(format!("{n}.toml"), 4 << 20)),
            "deep folders" => std::fs::create_dir_all(folder.join("d/".repeat(33))).expect("failed to make a folder"),
            "large other files" => (0..17).for_each(|n| file(format!("{n}.bin"), 4 << 20)),
            "hidden files" => {
                let hidden = folder.join(".git");
                std::fs::create_dir(&hidden).expect("failed to make a folder");
                (0..10_001).for_each(|n| drop(std::fs::File::create(hidden.join(n.to_string()))));
            }
            _ => unreachable!("not a case"),
        }
    };
    for (what, refusal) in [
        ("many files", Some(entries)),
        ("large files", Some(bytes)),
        ("deep folders", Some(depth)),
        ("large other files", None),
        ("hidden files", None),
    ] {
        let project = Links::new("manifests/tools/big -> OUT, manifests/tools/shared -> ../../shared");
        make(project.outside.path(), what);
        let outside = project.outside.path().canonicalize().expect("it exists");
        let expected = refusal.map(|refusal| {
            format!("tools/big: `big` is a link to `{}`, which is not read: {refusal}", outside.display())
        });
        let (found, tools) = project.lint();
        assert_eq!(found, Vec::from_iter(expected), "{what}");
        assert!(
            ["one", "two", "read_file"].iter().all(|tool| tools.iter().any(|found| found == tool)),
            "{what}: {tools:?}"
        );
        assert_eq!(tools.iter().any(|tool| tool == "far"), refusal.is_none(), "{what}: {tools:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_have_one_limit_together_and_the_folder_of_the_manifests_can_be_a_link() {
    let project = Links::new("");
    let outside = project.outside.path();
    for part in 0..3 {
        let folder = outside.join(format!("part{part}"));
        std::fs::create_dir(&folder).expect("failed to make a folder");
        (0..4_500).for_each(|n| drop(std::fs::File::create(folder.join(n.to_string()))));
        let link = project.project.0.path().join(format!("manifests/tools/part{part}"));
        std::os::unix::fs::symlink(&folder, link).expect("failed to link");
    }
    let (found, _) = project.lint();
    assert!(found.len() == 1 && found[0].starts_with("tools/part2: "), "{found:?}");
    let manifests = project.project.0.path().join("manifests");
    std::fs::rename(&manifests, project.project.0.path().join("real")).expect("failed to rename");
    std::os::unix::fs::symlink("real", &manifests).expect("failed to link");
    assert!(project.lint().1.contains(&"read_file".to_owned()));
    std::fs::remove_file(&manifests).expect("failed to remove");
    std::os::unix::fs::symlink(outside, &manifests).expect("failed to link");
    let (_, out, err) = project.project.run(&["lint", "--format", "concise"]);
    assert!(out.contains("`manifests` is a link to") && out.contains("at most 10000 files"), "{out}{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_link_to_files_that_the_system_makes_is_refused() {
    let project = Links::new("manifests/tools/p -> /proc, manifests/q -> /proc/self, manifests/tools/s -> /sys/class");
    let (found, _) = project.lint();
    let refused = "which is not read: its files are generated by the kernel";
    assert!(found.len() == 3 && found.iter().all(|found| found.contains(refused)), "{found:?}");
}

#[cfg(unix)]
#[test]
fn a_pipe_to_which_a_link_leads_is_not_opened() {
    let project = Links::new("manifests/tools/far -> OUT, manifests/tools/pipe.toml -> OUT/pipe.toml");
    let pipe = project.outside.path().join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().is_ok_and(|status| status.success()));
    let (found, tools) = project.lint();
    assert!(found.iter().any(|found| found.ends_with("`pipe.toml` is a named pipe, not a file")), "{found:?}");
    assert!(tools.contains(&"far".to_owned()), "{tools:?}");
}

#[cfg(unix)]
#[test]
fn folders_that_link_to_one_another_are_read_once() {
    let contains = "is a link to a folder that contains it";
    for (links, tools, expected) in [
        ("", "", vec![]),
        ("manifests/tools/again -> ../tools", "", vec![format!("tools/again: `again` {contains}")]),
        ("manifests/tools/up -> ..", "", vec![format!("tools/up: `up` {contains}")]),
        ("manifests/tools/root -> ../..", "", vec![format!("tools/root: `root` {contains}")]),
        ("manifests/all -> /", "", vec![format!("all: `all` {contains}")]),
        ("manifests/tools/sub/self -> .", "", vec![format!("tools/sub/self: `self` {contains}")]),
        (
            "manifests/tools/sub/to -> ../other, manifests/tools/other/back -> ../sub",
            "",
            vec![
                "tools/other/back: `back` leads to `manifests/tools/sub`, which is read there".to_owned(),
                "tools/sub/to: `to` leads to `manifests/tools/other`, which is read there".to_owned(),
            ],
        ),
        (
            "manifests/a -> tools/sub",
            "",
            vec!["a: `a` leads to `manifests/tools/sub`, which is read there".to_owned()],
        ),
        ("manifests/tools/shared -> ../../shared", "one two", vec![]),
        ("manifests/tools/shared -> ../../shared, shared/loop -> .", "one two", vec![format!("tools/shared/loop: `loop` {contains}")]),
        (
            "manifests/tools/shared -> ../../shared, shared/home -> ../manifests",
            "one two",
            vec![format!("tools/shared/home: `home` {contains}")],
        ),
        (
            "manifests/tools/first -> ../../shared, manifests/tools/second -> ../../shared",
            "one two",
            vec!["tools/second: `second` leads to `manifests/tools/first`, which is read there".to_owned()],
        ),
        (
            "manifests/tools/deep -> ../../shared/deep, manifests/tools/shared -> ../../shared",
            "one two",
            vec!["tools/shared/deep: `deep` leads to `manifests/tools/deep`, which is read there".to_owned()],
        ),
        (
            "manifests/tools/shared -> ../../shared, shared/tools -> ../manifests/tools/sub",
            "one two",
            vec!["tools/shared/tools: `tools` leads to `manifests/tools/sub`, which is read there".to_owned()],
        ),
        (
            "manifests/tools/one.toml -> ../../shared/one.toml, manifests/tools/sub/one.toml -> ../../../shared/one.toml",
            "one",
            vec!["tools/sub/one.toml: `one.toml` leads to `manifests/tools/one.toml`, which is read there".to_owned()],
        ),
        (
            "manifests/tools/sub/read_file.toml -> ../read_file.toml",
            "",
            vec!["tools/sub/read_file.toml: `read_file.toml` leads to `manifests/tools/read_file.toml`, which is read there".to_owned()],
        ),
        ("manifests/tools/one.toml -> ../../shared/link.toml, shared/link.toml -> one.toml", "one", vec![]),
        ("manifests/tools/.data -> ../../shared, manifests/tools/one.toml -> .data/one.toml", "one", vec![]),
        ("manifests/tools/far.toml -> OUT/far.toml", "far", vec![]),
        ("manifests/tools/far -> OUT", "far", vec![]),
        ("manifests/tools/.hidden -> .., manifests/tools/notes -> ../../notes, manifests/tools/more -> ../../notes", "", vec![]),
        (
            "manifests/tools/gone -> ../../nowhere",
            "",
            vec!["tools/gone: `gone` is a link to `../../nowhere`, which does not exist".to_owned()],
        ),
        ("manifests/tools/README.md -> nowhere", "", vec![]),
        (
            "manifests/tools/gone.toml -> OUT/nowhere.toml",
            "",
            vec!["tools/gone.toml: `gone.toml` is a link to `OUT/nowhere.toml`, which does not exist".to_owned()],
        ),
    ] {
        let project = Links::new(links);
        let (found, mut read) = project.lint();
        let outside = project.outside.path().to_str().expect("text");
        let found: Vec<String> = found.iter().map(|found| found.replace(outside, "OUT")).collect();
        assert_eq!(found, expected, "{links}");
        let mut known: Vec<&str> = tools.split(' ').chain(["inner", "read_file", "second"]).filter(|name| !name.is_empty()).collect();
        read.sort_unstable();
        known.sort_unstable();
        assert_eq!(read, known, "{links}");
    }
}

/// There are three million paths through ten folders that link to one another.
#[cfg(unix)]
#[test]
fn many_folders_that_link_to_one_another_are_read_once() {
    let names: Vec<String> = (0..10).map(|index| format!("f{index}")).collect();
    let pairs =
        names.iter().flat_map(|one| names.iter().filter(move |other| *other != one).map(move |other| (one, other)));
    let links: Vec<String> = pairs.map(|(one, other)| format!("manifests/tools/{one}/{other} -> ../{other}")).collect();
    let project = Links::new(&links.join(", "));
    for name in &names {
        let tool =
            format!("name = \"tool_{name}\"\ntoolset = \"files\"\ndescription = \"Reads {name} of the project.\"\n");
        project.project.write(&format!("manifests/tools/{name}/tool_{name}.toml"), &tool);
    }
    let (found, tools) = project.lint();
    assert_eq!((found.len(), tools.len()), (90, 13), "{found:#?}");
}

/// A link to a file outside of the project is a way to share it: a fix changes the file itself.
#[cfg(unix)]
#[test]
fn a_fix_changes_the_target_of_a_link() {
    let project = Links::new("manifests/tools/far.toml -> OUT/far.toml");
    let target = project.outside.path().join("far.toml");
    let text = std::fs::read_to_string(&target).expect("failed to read").replace(".\"\n", ". \"\n");
    std::fs::write(&target, &text).expect("failed to write");
    project.project.run(&["lint", "--fix", "M004"]);
    assert_ne!(std::fs::read_to_string(&target).expect("failed to read"), text);
    assert!(project.project.0.path().join("manifests/tools/far.toml").is_symlink());
}
