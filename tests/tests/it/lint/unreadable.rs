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
        "tools/dangling.toml:1:1: error[C015] misplaced-file: `dangling.toml` is a link to a file that does not exist: no manifest is read here",
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
