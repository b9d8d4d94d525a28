//! The `write_file` tool: creates or replaces a file.

use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::file::write_file::{Args, Returns, ReturnsAction, ReturnsSyntax};
use toolc_environment::files::{Expected, Metadata, WriteOptions};

use crate::access::{AccessLog, Knowledge};
use crate::handlers::{FileHandlers, integer};
use crate::open;
use crate::syntax::SyntaxChecker;
use crate::task_files::TaskFiles;

pub(super) fn write(handlers: &FileHandlers, args: &Args, call: &Call<'_>) -> Result<Returns, ToolError> {
    let task = TaskFiles::for_call(handlers, call)?;
    let path = task.locate(&args.path)?;
    task.access().check_write(&path)?;
    if args.path.ends_with(['/', std::path::MAIN_SEPARATOR]) {
        return Err(ToolError::new(format!("`{}` names a directory; add the file's name", args.path)));
    }
    let failed = |error| open::explain(&task, &path, "write", &error);
    let shown = task.show(&path);
    let log = call.state::<AccessLog>();
    let lock = task.write_lock(handlers, call);
    let guard = lock.lock();
    let old = open::writable_metadata(&task, &path)?;
    let old_version = old.map(|old| old.version);
    if let Some(version) = old_version.filter(|version| !version.is_empty()) {
        check_knowledge(log.knowledge(&path, version), &shown, "overwrite")?;
    }
    if let (None, Some(dir)) = (&old, path.parent()) {
        task.files().create_folders(dir).map_err(failed)?;
    }
    let warning = log.warning(&path, old_version);
    let new = task.files().write(&path, args.content.as_bytes(), &write_options(old.as_ref())).map_err(failed)?;
    log.note_write(&path, Some(new.version), true);
    drop(guard);
    let syntax = SyntaxChecker::new(call, &task).check(&path, &args.content);
    Ok(Returns {
        path: shown,
        action: if old.is_some() { ReturnsAction::Overwritten } else { ReturnsAction::Created },
        bytes: integer(args.content.len()),
        lines: integer(args.content.lines().count()),
        warning: warning.map(str::to_owned),
        syntax: syntax.map(|error| ReturnsSyntax {
            language: error.language.to_owned(),
            line: integer(error.line),
            column: integer(error.column),
            message: error.message,
        }),
    })
}

/// Returns the options to replace a file, or to create it if `old` is `None`.
pub(super) fn write_options(old: Option<&Metadata>) -> WriteOptions {
    WriteOptions {
        expected: old.map_or(Expected::Nothing, |old| Expected::Version(old.version)),
        permissions: old.map(|old| old.permissions),
    }
}

/// Fails if the task does not know the whole content of the file that it would `verb` (overwrite, delete).
pub(super) fn check_knowledge(knowledge: Knowledge, shown: &str, verb: &str) -> Result<(), ToolError> {
    let reason = match knowledge {
        Knowledge::Whole => return Ok(()),
        Knowledge::Nothing => {
            "this task has not read it, so it could lose content; read all of it with `read_file` first, or change parts of \
             it with `patch`. If it is not text, choose another name, or remove it with a command"
                .to_owned()
        }
        Knowledge::Outdated => {
            "another program changed it since this task last read it; read it again with `read_file`, or change parts of it \
             with `patch`"
                .to_owned()
        }
        Knowledge::Part { missing } => format!(
            "this task has not read all of it; continue from line {missing} with `read_file` (offset {missing}), or change \
             parts of it with `patch`"
        ),
        Knowledge::CutLine { line } => format!(
            "`read_file` cut line {line}, which is very long, so the rest of the line is unknown; change parts of the file with `patch`, or \
             use a command"
        ),
    };
    Err(ToolError::with_kind(
        ErrorKind::Refused,
        format!("refused to {verb} `{shown}`: {reason}. Nothing was written."),
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use toolc::testing::{Caller, assert_reply};
    use toolc_catalog::file::{FileTools, read_file};

    use super::*;
    use crate::fixture::{Fixture, fixture, value};

    fn put(f: &Fixture, path: &str, content: &str) -> Result<Returns, ToolError> {
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

    fn read(f: &Fixture, call: &Call<'_>, offset: i64, limit: i64) {
        f.handlers.read_file(read_file::Args { path: "a".into(), offset, limit }, call).unwrap();
    }

    #[test]
    fn an_unread_file_is_not_overwritten() {
        let f = fixture();
        f.put("a", "1");
        assert_reply!(put(&f, "a", "2"), Err(Refused, "this task has not read it"));
        read(&f, &Caller::new().call("read_file"), 1, 500);
        assert_reply!(put(&f, "a", "2"), Err(Refused, "this task has not read it"));
        assert_eq!(f.get("a"), "1");
        read(&f, &f.call(), 1, 500);
        put(&f, "a", "2").unwrap();
        put(&f, "a", "3").unwrap();
        assert_eq!(f.get("a"), "3", "the task knows its own writes");
        f.put("empty", "");
        put(&f, "empty", "x").unwrap();
        f.put("a.png", b"\x89PNG\r\n\x1a\n\0\0");
        assert_reply!(put(&f, "a.png", "x"), Err(Refused, "If it is not text"));
    }

    #[test]
    fn all_pages_must_be_read_before_a_file_is_overwritten() {
        let f = fixture();
        f.put("a", "line\n".repeat(10));
        read(&f, &f.call(), 7, 4);
        read(&f, &f.call(), 1, 4);
        assert_reply!(put(&f, "a", "x"), Err(Refused, "continue from line 5"));
        read(&f, &f.call(), 5, 2);
        put(&f, "a", "x").unwrap();
        f.put("a", format!("short\n{}\n", "x".repeat(3_000)));
        read(&f, &f.call(), 1, 500);
        assert_reply!(put(&f, "a", "x"), Err(Refused, "cut line 2"));
    }

    #[test]
    fn a_file_that_another_program_changed_is_not_overwritten() {
        let f = fixture();
        f.put("a", "1");
        read(&f, &f.call(), 1, 500);
        f.put("a", "changed");
        assert_reply!(put(&f, "a", "2"), Err(Refused, "another program changed it"));
        assert_eq!(f.get("a"), "changed");
        read(&f, &f.call(), 1, 500);
        assert_eq!(value(put(&f, "a", "2")).get("warning"), None);
        fs::remove_file(f.dir.path().join("a")).unwrap();
        assert!(value(put(&f, "a", "3"))["warning"].as_str().unwrap().contains("deleted this file"));
        f.put("a", "");
        assert!(value(put(&f, "a", "4"))["warning"].as_str().unwrap().contains("changed this file"));
    }

    #[test]
    fn a_syntax_error_is_reported_and_the_file_is_written() {
        let f = fixture();
        let written = value(put(&f, "a.json", "{\n  \"a\": 1,\n}\n"));
        assert_eq!(
            written["syntax"],
            serde_json::json!({"language": "json", "line": 3, "column": 1, "message": "trailing comma"})
        );
        assert_eq!(f.get("a.json"), "{\n  \"a\": 1,\n}\n");
        assert_eq!(value(put(&f, "b.json", "{}")).get("syntax"), None);
    }

    #[test]
    fn the_log_has_what_a_task_has_read_and_written() {
        let f = fixture();
        f.put("a", "1\n2\n");
        read(&f, &f.call(), 1, 1);
        let log = f.call().state::<AccessLog>();
        let path = f.locate("a").unwrap();
        let access = log.file(&path).unwrap();
        assert_eq!((access.reads, access.writes, access.is_whole), (1, 0, false));
        assert!(access.last_read.is_some() && access.last_write.is_none());
        assert!(put(&f, "a", "x").is_err());
        read(&f, &f.call(), 2, 1);
        put(&f, "a", "x").unwrap();
        put(&f, "b", "x").unwrap();
        let access = log.file(&path).unwrap();
        assert_eq!((access.reads, access.writes, access.is_whole), (2, 1, true));
        assert!(access.last_write >= access.last_read);
        assert_eq!(log.files().iter().map(|file| &file.path).collect::<Vec<_>>(), [&path, &path.with_file_name("b")]);
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
}
