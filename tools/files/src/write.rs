//! The `write_file` tool: creates or replaces a file.

use std::fs;

use serde::Serialize;
use toolc::{Call, ToolError, ToolOutput, ToolResult};
use toolc_catalog::file::write_file::Args;

use crate::FileHandlers;
use crate::atomic_write;
use crate::open::explain;
use crate::staleness::{FileVersion, KnownFiles};

#[derive(Serialize)]
struct Written {
    path: String,
    action: &'static str,
    bytes: usize,
    lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
}

pub(super) fn write(handlers: &FileHandlers, args: &Args, call: &Call<'_>) -> ToolResult {
    let path = handlers.workspace.locate(&args.path)?;
    handlers.guard.check(&handlers.workspace, &path)?;
    if args.path.ends_with(['/', std::path::MAIN_SEPARATOR]) {
        return Err(ToolError::new(format!("`{}` names a directory; add the file's name", args.path)));
    }
    let failed = |error| explain(&handlers.workspace, &path, "write", &error);
    let _lock = handlers.lock_writes();
    let old = atomic_write::existing(&handlers.workspace, &path)?;
    if let (None, Some(dir)) = (&old, path.parent()) {
        fs::create_dir_all(dir).map_err(failed)?;
    }
    let known = call.state::<KnownFiles>();
    let warning = known.warning(&path, old.as_ref().map(FileVersion::new));
    let new = atomic_write::save(&path, old.as_ref(), args.content.as_bytes()).map_err(failed)?;
    known.note(&path, FileVersion::new(&new));
    ToolOutput::json(&Written {
        path: handlers.workspace.show(&path),
        action: if old.is_some() { "overwritten" } else { "created" },
        bytes: args.content.len(),
        lines: args.content.lines().count(),
        warning,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use toolc::testing::{Caller, assert_reply};
    use toolc_catalog::file::{FileTools, read_file};

    use super::*;
    use crate::fixture::{Fixture, fixture, value};

    fn put(f: &Fixture, path: &str, content: &str) -> ToolResult {
        f.handlers.write_file(Args { path: path.into(), content: content.into() }, &f.call())
    }

    fn names(f: &Fixture) -> Vec<String> {
        let entries = fs::read_dir(f.dir.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn files_are_created_and_overwritten() {
        let f = fixture();
        assert_reply!(
            put(&f, "a/b/c.txt", "one\ntwo"),
            {"path": Path::new("a").join("b").join("c.txt"), "action": "created", "bytes": 7, "lines": 2}
        );
        assert_eq!(f.get("a/b/c.txt"), "one\ntwo");
        assert_eq!(value(put(&f, "a/b/c.txt", ""))["action"], "overwritten");
        assert_eq!(f.get("a/b/c.txt"), "");
        assert_eq!(names(&f), ["a"], "no temporary file is left");
    }

    #[test]
    fn paths_of_directories_are_refused() {
        let f = fixture();
        fs::create_dir(f.dir.path().join("d")).unwrap();
        assert_reply!(put(&f, "d", "x"), Err(Failed, "is a directory"));
        assert_reply!(put(&f, "new/", "x"), Err(Failed, "names a directory"));
        assert!(put(&f, ".", "x").is_err());
        f.put("file", "");
        assert!(put(&f, "file/below", "x").is_err());
        assert_eq!(f.get("file"), "");
    }

    #[test]
    fn a_change_by_another_program_is_a_warning() {
        let f = fixture();
        f.put("a", "1");
        let read = |call: &Call<'_>| {
            let args = read_file::Args { path: "a".into(), offset: 1, limit: 500 };
            f.handlers.read_file(args, call).unwrap();
        };
        read(&f.call());
        assert_eq!(value(put(&f, "a", "22"))["warning"], serde_json::Value::Null);
        assert_eq!(value(put(&f, "a", "333"))["warning"], serde_json::Value::Null, "the task knows its own writes");
        f.put("a", "changed");
        read(&Caller::new().call("read_file"));
        assert!(value(put(&f, "a", "4"))["warning"].as_str().unwrap().contains("changed this file"));
        fs::remove_file(f.dir.path().join("a")).unwrap();
        assert!(value(put(&f, "a", "5"))["warning"].as_str().unwrap().contains("deleted this file"));
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_links_are_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let f = fixture();
        let path = |name: &str| f.dir.path().join(name);
        let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o7777;
        f.put("real/script.sh", "");
        fs::set_permissions(path("real/script.sh"), PermissionsExt::from_mode(0o4751)).unwrap();
        symlink("real/script.sh", path("link")).unwrap();
        symlink("real/new", path("dangling")).unwrap();
        put(&f, "link", "x").unwrap();
        put(&f, "dangling", "y").unwrap();
        assert_eq!((f.get("real/script.sh"), mode("real/script.sh")), ("x".into(), 0o751));
        assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
        assert_eq!(f.get("real/new"), "y");
        f.put("by hand", "");
        assert_eq!(mode("real/new"), mode("by hand"), "the mode of any new file");
    }

    #[cfg(unix)]
    #[test]
    fn links_to_system_paths_are_refused() {
        use std::os::unix::fs::symlink;
        let f = fixture();
        symlink("/etc/passwd", f.dir.path().join("notes.txt")).unwrap();
        symlink("/dev/shm", f.dir.path().join("out")).unwrap();
        for path in ["notes.txt", "out/x", "/etc/toolc-test", "../../../../../../../../etc/toolc-test"] {
            assert_reply!(put(&f, path, "x"), Err(Refused));
        }
        assert!(!fs::read_to_string("/etc/passwd").unwrap().starts_with('x'));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused() {
        let f = fixture();
        assert!(std::process::Command::new("mkfifo").arg(f.dir.path().join("fifo")).status().unwrap().success());
        assert_reply!(put(&f, "fifo", "x"), Err(Refused));
    }
}
