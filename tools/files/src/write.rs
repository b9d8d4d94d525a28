//! The `write_file` tool: creates or replaces a file.

use std::borrow::Cow;

use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::file::write_file::{Args, Returns, ReturnsAction, ReturnsSyntax};
use toolc_environment::files::{Expected, Metadata, WriteOptions};

use crate::access::{AccessLog, Knowledge};
use crate::changes::{self, ChangeLog, Content};
use crate::handlers::{FileHandlers, integer};
use crate::numbered::{Numbers, numbers};
use crate::open;
use crate::style::{self, Style};
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
    let mut style = None;
    if let Some(version) = old_version.filter(|version| !version.is_empty()) {
        open::recognise(&task, &log, &path, version);
        check_knowledge(log.knowledge(&path, version), &shown, "overwrite")?;
        let (old, _) = task.files().read(&path, 0, style::EXAMINED).map_err(failed)?;
        style = Some(Style::from_bytes(&old).map_err(|reason| other_encoding(&shown, reason))?);
    }
    let mut notes = check_numbers(&args.content, &shown)?;
    let (content, kept) = style.map_or((Cow::Borrowed(&*args.content), Vec::new()), |style| style.apply(&args.content));
    notes.extend(kept);
    let changes = call.state::<ChangeLog>();
    let before = if changes.is_on() { changes::read(&*task.files(), &path).ok() } else { None };
    if let (None, Some(dir)) = (&old, path.parent()) {
        task.files().create_folders(dir).map_err(failed)?;
    }
    let warning = log.warning(&path, old_version);
    let new = task.files().write(&path, content.as_bytes(), &write_options(old.as_ref())).map_err(failed)?;
    log.note_write(&path, Some(new.version), true, content.as_bytes());
    if let Some((before, metadata)) = before {
        changes.add(
            &task,
            &path,
            (before, metadata.map(|old| old.permissions)),
            Content::from_bytes(content.as_bytes()),
        );
    }
    drop(guard);
    let syntax = SyntaxChecker::new(call, &task).check(&path, &args.content);
    Ok(Returns {
        path: shown,
        action: if old.is_some() { ReturnsAction::Overwritten } else { ReturnsAction::Created },
        bytes: integer(content.len()),
        lines: integer(args.content.lines().count()),
        warning: warning.map(str::to_owned),
        notes: (!notes.is_empty()).then_some(notes),
        syntax: syntax.map(|error| ReturnsSyntax {
            language: error.language.to_owned(),
            line: integer(error.line),
            column: integer(error.column),
            message: error.message,
        }),
    })
}

/// Fails if a content has the line numbers of `read_file`. Returns a note if it may have some.
fn check_numbers(content: &str, shown: &str) -> Result<Vec<String>, ToolError> {
    match numbers(content) {
        Numbers::None => Ok(Vec::new()),
        Numbers::Some => Ok(vec![
            "many lines begin with a number and a bar, as in results of `read_file`: if these do not belong to the file, write it again \
             without them"
                .to_owned(),
        ]),
        Numbers::All => Err(ToolError::with_kind(
            ErrorKind::Refused,
            format!(
                "refused to write `{shown}`: each line of the content begins with a line number and a bar, which `read_file` shows but files do \
                 not have; leave them out. If the file must have them, write it with a command. Nothing was written."
            ),
        )),
    }
}

/// Returns the error about a file in another encoding than UTF-8.
fn other_encoding(shown: &str, reason: &str) -> ToolError {
    ToolError::with_kind(
        ErrorKind::Refused,
        format!(
            "refused to overwrite `{shown}`: the file {reason}, and writing it in UTF-8 would damage it; convert it first, for example with \
             `iconv`, or change it with a program that knows its encoding. Nothing was written."
        ),
    )
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
        Knowledge::CutLine { line, column } => format!(
            "`read_file` cut line {line}, which is very long; read the rest of it (offset {line}, column {column}), or change parts of the \
             file with `patch`"
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

    fn read_file(f: &Fixture, path: &str) {
        let args = read_file::Args { path: path.into(), offset: 1, limit: 500, column: 1 };
        f.handlers.read_file(args, &f.call()).unwrap();
    }

    fn read(f: &Fixture, call: &Call<'_>, offset: i64, limit: i64) {
        f.handlers.read_file(read_file::Args { path: "a".into(), offset, limit, column: 1 }, call).unwrap();
    }

    #[test]
    fn a_file_in_another_encoding_is_not_overwritten() {
        let f = fixture();
        for (name, bytes) in [
            ("latin1.ini", &b"name = \"caf\xe9\"\nport = 1\nmore text in ASCII, so that it counts as text\n"[..]),
            ("sjis.txt", b"title = \x93\xfa\x96\x7b # and a longer comment in ASCII after it\nport = 1\n"),
            ("jis.txt", b"title = \x1b$BF|K\\\x1b(B\n"),
        ] {
            f.put(name, bytes);
            read_file(&f, name);
            for content in ["name = \"caf\u{fffd}\"\nport = 2\n", "port = 2\n", ""] {
                assert_reply!(put(&f, name, content), Err(Refused, "would damage it; convert it first"));
            }
            assert_eq!(fs::read(f.dir.path().join(name)).unwrap(), bytes, "{name}");
        }
    }

    #[test]
    fn an_overwritten_file_keeps_its_mark_and_its_line_endings() {
        let f = fixture();
        f.put("run.bat", "\u{feff}@echo off\r\nset PORT=1\r\n");
        read_file(&f, "run.bat");
        let written = value(put(&f, "run.bat", "@echo off\nset PORT=2\n"));
        assert_eq!(f.get("run.bat"), "\u{feff}@echo off\r\nset PORT=2\r\n");
        assert_eq!(written["bytes"], 26);
        assert_eq!(
            written["notes"],
            serde_json::json!(["lines end in CRLF, as before", "the file begins with a byte order mark, as before"])
        );
        put(&f, "run.bat", "x\n").unwrap();
        assert_eq!(f.get("run.bat"), "\u{feff}x\r\n", "also after the own write");
        put(&f, "new.bat", "x\n").unwrap();
        assert_eq!(f.get("new.bat"), "x\n", "a new file is as the content");
    }

    #[test]
    fn a_file_with_another_time_and_the_same_content_has_not_changed() {
        let f = fixture();
        let touch = |name: &str| {
            let file = fs::File::options().write(true).open(f.dir.path().join(name)).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        };
        for (name, old) in [
            ("lf", "a\nb\n"),
            ("open", "a\nb"),
            ("crlf", "a\r\nb\r\n"),
            ("mark", "\u{feff}a\n"),
            ("mixed", "a\r\nb\n\n\nc"),
            ("one", "x"),
        ] {
            f.put(name, old);
            read_file(&f, name);
            touch(name);
            assert_eq!(value(put(&f, name, "c\n")).get("warning"), None, "{name}");
            f.put(name, fs::read(f.dir.path().join(name)).unwrap());
            touch(name);
            put(&f, name, "again\n").unwrap();
            f.put(name, fs::read_to_string(f.dir.path().join(name)).unwrap().replace('g', "j"));
            assert_reply!(put(&f, name, "c\n"), Err(Refused, "another program changed it"));
        }
        f.put("a", "1\n2\n3\n");
        for offset in 1..=3 {
            touch("a");
            read(&f, &f.call(), offset, 1);
            f.put("a", "1\n2\n3\n");
        }
        put(&f, "a", "known\n").unwrap();
    }

    #[test]
    fn a_content_with_the_line_numbers_of_a_result_is_refused() {
        let f = fixture();
        assert_reply!(
            put(&f, "n.txt", "     1|x = 1\n     2|y = 2\n"),
            Err(Refused, "begins with a line number and a bar")
        );
        assert_eq!(names(&f), [""; 0]);
        let noted = value(put(&f, "guide.md", "# Results\n     1|x = 1\n     2|y = 2\n"));
        assert!(noted["notes"][0].as_str().unwrap().contains("a number and a bar"), "{noted}");
        assert_eq!(value(put(&f, "data.psv", "1|a\n2|b\n")).get("notes"), None);
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
