//! Tests of the tools in another environment than this machine, whose files are accessed through its shell.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;
use toolc::limits::{SpillFolder, SpillStore as _};
use toolc::testing::{Caller, assert_reply};
use toolc::{Call, Value};
use toolc_catalog::file::{FileTools, patch, read_file, search_files, write_file};
use toolc_environment::{
    Abilities, Environment, Files, Kind, Launch, Local, Promises, Running, ShellCache, ShellFiles, Site,
};
use toolc_workspace::{Access, Environments, Workspace};

use crate::FileHandlers;
use crate::fixture::value;

/// A kind of environment in a folder of its own, with its own home. Programs run on this machine.
#[derive(Debug)]
pub(crate) struct ElsewhereKind {
    pub(crate) folder: PathBuf,
}

#[derive(Debug)]
pub(crate) struct Elsewhere {
    local: Local,
    home: PathBuf,
    cache: ShellCache,
}

impl Kind for ElsewhereKind {
    fn name(&self) -> &str {
        Elsewhere::NAME
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn make(&self, _: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        let (local, home) = (Local::new(self.folder.join("work")), self.folder.join("home"));
        Ok(Arc::new(Elsewhere { local, home, cache: ShellCache::default() }))
    }
}

impl Elsewhere {
    pub(crate) const NAME: &str = "elsewhere";
}

impl Environment for Elsewhere {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn abilities(&self) -> Abilities {
        self.local.abilities()
    }

    fn promises(&self) -> Promises {
        self.local.promises()
    }

    fn directory(&self) -> &Path {
        self.local.directory()
    }

    fn variables(&self) -> io::Result<Vec<(OsString, OsString)>> {
        self.local.variables()
    }

    fn temporary_folder(&self) -> Option<PathBuf> {
        None
    }

    fn start(&self, mut launch: Launch) -> io::Result<Box<dyn Running>> {
        for (name, path) in [("HOME", &self.home), ("TMPDIR", &self.home.join("tmp"))] {
            launch.variables.push((name.into(), Some(path.into())));
        }
        self.local.start(launch)
    }

    fn end_released(&self) {
        self.local.end_released();
    }

    fn files(&self) -> Box<dyn Files + '_> {
        Box::new(ShellFiles::new(self, &self.cache))
    }

    fn clean_up(&self) {
        self.local.clean_up();
    }
}

struct Fixture {
    dir: TempDir,
    handlers: FileHandlers,
    caller: Caller,
}

/// Returns handlers whose tasks act elsewhere. Their own workspace is the folder `here`.
fn fixture() -> Fixture {
    let dir = TempDir::new().unwrap();
    for folder in ["here", "work", "home/.ssh", "home/tmp"] {
        fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    let workspace = Workspace::new(dir.path().join("here"));
    let kind = ElsewhereKind { folder: dir.path().canonicalize().unwrap() };
    let environments = Environments::local(&workspace).with_kind(kind).by_default(Elsewhere::NAME);
    Fixture { dir, handlers: FileHandlers::new(workspace).environments(environments), caller: Caller::new() }
}

impl Fixture {
    fn call(&self) -> Call<'_> {
        self.caller.call("a_tool")
    }

    fn get(&self, path: &str) -> String {
        fs::read_to_string(self.dir.path().join(path)).unwrap()
    }

    fn write(&self, path: &str, content: &str) -> Result<write_file::Returns, toolc::ToolError> {
        let args = write_file::Args { path: path.to_owned(), content: content.to_owned() };
        self.handlers.write_file(args, &self.call())
    }

    fn read(&self, path: &str) -> Result<read_file::Returns, toolc::ToolError> {
        self.handlers
            .read_file(read_file::Args { path: path.to_owned(), offset: 1, limit: 500, column: 1 }, &self.call())
    }

    fn search(&self, pattern: &str) -> Value {
        let args = search_files::Args {
            pattern: pattern.to_owned(),
            target: search_files::Target::Content,
            path: ".".to_owned(),
            file_glob: None,
            output_mode: search_files::OutputMode::Content,
            context: 0,
            limit: 50,
            offset: 0,
        };
        value(self.handlers.search_files(args, &self.call()))
    }
}

#[test]
fn a_text_in_utf_16_is_searched_with_the_programs_of_the_environment() {
    let f = fixture();
    let units = |text: &str, swap: bool| {
        let units: Vec<u16> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).collect();
        units
            .into_iter()
            .flat_map(|unit| if swap { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect::<Vec<u8>>()
    };
    let text = "first\r\nsecond née dle\r\n日本 needle\r\n";
    fs::create_dir_all(f.dir.path().join("work")).unwrap();
    fs::write(f.dir.path().join("work/be.txt"), units(text, true)).unwrap();
    fs::write(f.dir.path().join("work/le with = blanks.txt"), units(text, false)).unwrap();
    fs::write(f.dir.path().join("work/plain.txt"), "a needle\n").unwrap();
    fs::write(f.dir.path().join("work/binary"), b"needle\0needle").unwrap();
    fs::write(f.dir.path().join("work/empty"), b"").unwrap();
    let found = |path: &str, line: &str| json!({ "path": path, "lines": [line] });
    assert_eq!(
        f.search("needle")["matches"],
        json!([
            found("be.txt", "3:日本 needle"),
            found("le with = blanks.txt", "3:日本 needle"),
            found("plain.txt", "1:a needle"),
        ])
    );
    assert_eq!(f.search("^second")["total"], 2);
    assert_eq!(f.search("e")["total"], 5, "a letter that is also a byte of the file");
}

#[test]
fn every_tool_acts_in_the_environment_of_the_task() {
    let f = fixture();
    let written = value(f.write("src/a.json", "{\n  \"a\": 1,\n}\n"));
    assert_eq!((&written["path"], &written["syntax"]["line"]), (&"src/a.json".into(), &3.into()));
    assert_eq!(f.get("work/src/a.json"), "{\n  \"a\": 1,\n}\n");
    let patch = "*** Begin Patch\n*** Update File: src/a.json\n@@\n-  \"a\": 1,\n+  \"a\": 2\n*** Add File: b\n+needle\n*** End Patch\n";
    let args = patch::Args {
        mode: patch::Mode::Patch,
        path: None,
        old_string: None,
        new_string: None,
        replace_all: false,
        patch: Some(patch.to_owned()),
    };
    assert_eq!(value(f.handlers.patch(args, &f.call()))["files"][0]["path"], "src/a.json");
    let read = value(f.read("src/a.json"));
    assert_eq!(read["content"], "     1|{\n     2|  \"a\": 2\n     3|}\n");
    assert_eq!(f.search("need+le")["matches"], json!([{ "path": "b", "lines": ["1:needle"] }]));
    assert_reply!(f.read("src/b.json"), Err(NotFound, "did you mean `src/a.json`?"));
    assert_reply!(f.read("src"), Err(Failed, "is a directory; it contains `a.json`"));
    assert_eq!(fs::read_dir(f.dir.path().join("here")).unwrap().count(), 0, "nothing was written here");
}

#[test]
fn access_applies_with_the_home_and_the_folders_of_the_environment() {
    let f = fixture();
    fs::write(f.dir.path().join("home/.ssh/id_rsa"), "secret").unwrap();
    std::os::unix::fs::symlink("../home/.ssh/id_rsa", f.dir.path().join("work/key")).unwrap();
    for path in ["~/.ssh/id_rsa", "key"] {
        assert_reply!(f.read(path), Err(Refused, "is protected"));
        assert_reply!(f.write(path, "x"), Err(Refused, "is protected"));
    }
    let here = f.dir.path().join("here/x").to_str().unwrap().to_owned();
    assert_reply!(f.write(&here, "x"), Err(Refused, "outside the folders"));
    f.write("~/tmp/x", "x").unwrap();
    assert_eq!(f.get("home/tmp/x"), "x");
    assert_reply!(f.write("~/x", "x"), Err(Refused, "outside the folders"));
}

#[test]
fn stored_results_are_read_on_this_machine() {
    let f = fixture();
    let results = f.dir.path().join("here/results");
    let store = SpillFolder::new(&results).unwrap();
    let path = store.store("search", "txt", "the whole result\n").unwrap();
    let nothing = Access::new(toolc_catalog::commands::rules()).only_readable([]).only_writable([]);
    let f = Fixture { handlers: f.handlers.with_access(nothing).with_spill_folder(&results), ..f };
    let read = value(f.read(&path));
    assert_eq!((&read["content"], &read["path"]), (&"     1|the whole result\n".into(), &(&*path).into()));
    assert_reply!(f.write(&path, "x"), Err(Refused));
    // No other file there, and no names.
    let other = results.join("search-1.txt");
    let error = f.read(other.to_str().unwrap()).unwrap_err();
    assert!(!error.message().contains(Path::new(&path).file_name().unwrap().to_str().unwrap()), "{error}");
    assert_reply!(f.read(results.parent().unwrap().to_str().unwrap()), Err(Refused));
}

#[test]
fn no_name_of_a_stored_result_leads_to_another_file_of_this_machine() {
    let f = fixture();
    let results = f.dir.path().join("here/results");
    fs::create_dir(&results).unwrap();
    // Protected elsewhere, where this is the home, and not on this machine.
    fs::write(f.dir.path().join("home/.ssh/id_rsa"), "secret").unwrap();
    let name = r"\x2e\x2e\x2f\x2e\x2e\x2fhome\x2f.ssh\x2fid_rsa";
    fs::write(format!("{}/{name}", results.display()), "a result").unwrap();
    let f = Fixture { handlers: f.handlers.with_spill_folder(&results), ..f };
    assert_reply!(f.read(&format!("{}/{name}", results.display())), Err(Refused, "is protected"));
    let escaped = format!("{}/{}", results.display(), name.replace('\\', r"\x5c"));
    assert_eq!(value(f.read(&escaped))["content"], "     1|a result\n");
}
