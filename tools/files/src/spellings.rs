//! The tools check, show, record and open the same file, however its path is written. The content of each file is its own path, which shows
//! which file was opened.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolc::testing::Caller;
use toolc_catalog::file::{FileTools, patch, read_file, search_files, write_file};
use toolc_workspace::{Access, Environments, Workspace};

use crate::fixture::value;
use crate::remote_tests::{Elsewhere, ElsewhereKind};
use crate::task_files::TaskFiles;
use crate::{AccessLog, FileHandlers};

/// The folders of the files `f`, and files with other names. The working directory is `work`.
const FOLDERS: &[&[u8]] = &[
    b"",
    b"home",
    b"home/a",
    b"outside",
    b"work",
    b"work/a",
    b"work/a/b",
    b"work/~",
    b"work/~root",
    br"work/\x2e\x2e",
    br"work/\057outside",
    b"work/%2e%2e",
    "work/．．".as_bytes(),
    "work/‥".as_bytes(),
    b"work/...",
    b"work/ ",
    b"work/a ",
    b"work/a.",
    b"work/a\n",
    b"work/caf\xe9",
    "work/caf\u{e9}".as_bytes(),
    "work/cafe\u{301}".as_bytes(),
    "work/\u{202e}a".as_bytes(),
    b"work/$HOME",
    b"work/-",
];
const OTHER_FILES: &[&[u8]] = &[
    b"work/f ",
    b"work/f.",
    b"work/f\n",
    b"work/F",
    "work/ｆ".as_bytes(),
    b"work/%66",
    br"work/\x66",
    b"work/f\\",
    b"work/a/~",
    b"work/f\xff",
];
const LINKS: &[(&str, &str)] = &[
    ("../outside", "out"),
    ("out", "out2"),
    ("./out2/../outside", "out3"),
    ("..", "up"),
    ("a/b", "ab"),
    ("loop", "loop"),
    ("missing/../../outside", "dangling"),
    ("../outside/f", "to-outside"),
    ("a/f", "to-inside"),
    ("/proc/self/cwd", "own"),
];

struct Site {
    root: PathBuf,
    _dir: TempDir,
}

impl Site {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let put = |path: PathBuf| fs::write(&path, own_content(&path)).unwrap();
        for folder in FOLDERS {
            let folder = root.join(OsStr::from_bytes(folder));
            fs::create_dir_all(&folder).unwrap();
            put(folder.join("f"));
        }
        for file in OTHER_FILES {
            put(root.join(OsStr::from_bytes(file)));
        }
        for (target, link) in LINKS {
            symlink(target, root.join("work").join(link)).unwrap();
        }
        Self { root, _dir: dir }
    }

    /// Returns handlers that act on this machine, or elsewhere through a shell. With `narrow`, only what is below `work/a` can be read
    /// and written.
    fn handlers(&self, elsewhere: bool, narrow: bool) -> FileHandlers {
        let workspace = Workspace::new(self.root.join("work")).with_home(self.root.join("home"));
        let handlers = if elsewhere {
            let kind = ElsewhereKind { folder: self.root.clone() };
            let environments = Environments::local(&workspace).with_kind(kind).by_default(Elsewhere::NAME);
            FileHandlers::new(workspace).environments(environments)
        } else {
            FileHandlers::new(workspace)
        };
        let (access, allowed) = (Access::new(toolc_catalog::commands::rules()), || [self.root.join("work/a")]);
        handlers.with_access(if narrow {
            access.only_readable(allowed()).only_writable(allowed())
        } else {
            access.with_writable(&self.root)
        })
    }

    /// Returns every file and link, with its content or target.
    fn entries(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut found, mut folders) = (Vec::new(), vec![self.root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match fs::read_link(&path) {
                    Ok(target) => found.push((path, target.into_os_string().into_encoded_bytes())),
                    Err(_) if path.is_dir() => folders.push(path),
                    Err(_) => found.push((path.clone(), fs::read(path).unwrap())),
                }
            }
        }
        found.sort();
        found
    }
}

fn own_content(path: &Path) -> String {
    path.as_os_str().as_bytes().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}")) + "\n"
}

/// Where each spelling leads: below the root of the site for a relative path. `None` if it is not the path of a file.
const SPELLINGS: &[(&str, Option<&[u8]>)] = &[
    ("f", Some(b"work/f")),
    (r"\x66", Some(b"work/f")),
    (r"\x5cx66", Some(br"work/\x66")),
    ("./f", Some(b"work/f")),
    ("f/", Some(b"work/f")),
    ("f/.", Some(b"work/f")),
    (r"f\x2f", Some(b"work/f")),
    ("a/../f", Some(b"work/f")),
    ("missing/../f", Some(b"work/f")),
    (r"\x2e\x2e/outside/f", Some(b"outside/f")),
    (r"\x2e\x2e\x2foutside\x2ff", Some(b"outside/f")),
    (r"a/\x2e\x2E/f", Some(b"work/f")),
    ("../f", Some(b"f")),
    ("a//b/./f", Some(b"work/a/b/f")),
    ("ab/f", Some(b"work/a/b/f")),
    ("ab/../f", Some(b"work/a/f")),
    ("out/f", Some(b"outside/f")),
    ("out2/../f", Some(b"f")),
    (r"o\x75t3/f", Some(b"outside/f")),
    ("up/f", Some(b"f")),
    ("to-outside", Some(b"outside/f")),
    ("to-inside", Some(b"work/a/f")),
    ("to-inside/.", Some(b"work/a/f")),
    (r"to-inside/\x2e", Some(b"work/a/f")),
    ("to-inside/x/..", Some(b"work/a/f")),
    ("loop", None),
    ("loop/f", None),
    ("dangling", None),
    ("dangling/f", Some(b"outside/f")),
    ("~/f", Some(b"home/f")),
    ("~/a/../f", Some(b"home/f")),
    (r"~/\x2e\x2e/f", Some(b"f")),
    (r"\x7e/f", Some(b"work/~/f")),
    ("./~/f", Some(b"work/~/f")),
    ("~root/f", Some(b"work/~root/f")),
    (r"~\x2ff", Some(b"work/~/f")),
    ("a/~", Some(b"work/a/~")),
    (r"\x5cx2e\x5cx2e/f", Some(br"work/\x2e\x2e/f")),
    (r"\057outside/f", Some(br"work/\057outside/f")),
    ("%2e%2e/f", Some(b"work/%2e%2e/f")),
    ("%66", Some(b"work/%66")),
    ("．．/f", Some("work/．．/f".as_bytes())),
    ("‥/f", Some("work/‥/f".as_bytes())),
    (".../f", Some(b"work/.../f")),
    (" /f", Some(b"work/ /f")),
    ("a /f", Some(b"work/a /f")),
    ("a./f", Some(b"work/a./f")),
    ("a\n/f", Some(b"work/a\n/f")),
    (r"a\x0a/f", Some(b"work/a\n/f")),
    ("f ", Some(b"work/f ")),
    ("f.", Some(b"work/f.")),
    ("f\n", Some(b"work/f\n")),
    (r"f\x0a", Some(b"work/f\n")),
    ("f\\", Some(b"work/f\\")),
    (r"f\xff", Some(b"work/f\xff")),
    ("F", Some(b"work/F")),
    ("ｆ", Some("work/ｆ".as_bytes())),
    ("caf\u{e9}/f", Some("work/caf\u{e9}/f".as_bytes())),
    (r"caf\xe9/f", Some(b"work/caf\xe9/f")),
    (r"caf\xc3\xa9/f", Some("work/caf\u{e9}/f".as_bytes())),
    ("cafe\u{301}/f", Some("work/cafe\u{301}/f".as_bytes())),
    ("\u{202e}a/f", Some("work/\u{202e}a/f".as_bytes())),
    ("$HOME/f", Some(b"work/$HOME/f")),
    ("-/f", Some(b"work/-/f")),
    ("f\0", None),
    (r"f\x00", None),
    (r"f\x00/../../f", Some(b"f")),
];

/// Calls of one task with one spelling.
struct Attempt<'s> {
    site: &'s Site,
    handlers: FileHandlers,
    caller: Caller,
    path: &'s str,
}

impl<'s> Attempt<'s> {
    fn new(site: &'s Site, elsewhere: bool, narrow: bool, path: &'s str) -> Self {
        Self { site, handlers: site.handlers(elsewhere, narrow), caller: Caller::new(), path }
    }

    /// Reads the file, and checks that the path of the result and the log are those of the file that was opened. Returns its path.
    #[track_caller]
    fn read(&self) -> Option<PathBuf> {
        let call = self.caller.call("a_tool");
        let args = read_file::Args { path: self.path.to_owned(), offset: 1, limit: 5, column: 1 };
        let read = value(Ok(self.handlers.read_file(args, &call).ok()?));
        let opened = self.opened(read["content"].as_str().unwrap().trim_start().strip_prefix("1|").unwrap());
        self.check_log(&opened);
        let task = TaskFiles::for_call(&self.handlers, &call).unwrap();
        assert_eq!(task.locate(read["path"].as_str().unwrap()).unwrap(), opened, "{:?}: the shown path", self.path);
        Some(opened)
    }

    /// Searches the file, and returns the path that is found.
    #[track_caller]
    fn search(&self) -> Option<PathBuf> {
        let call = self.caller.call("a_tool");
        let args = search_files::Args {
            pattern: "^[0-9a-f]+$".to_owned(),
            target: search_files::Target::Content,
            path: self.path.to_owned(),
            file_glob: None,
            output_mode: search_files::OutputMode::Content,
            context: 0,
            limit: 5,
            offset: 0,
        };
        let found = value(Ok(self.handlers.search_files(args, &call).ok()?));
        let line = found["matches"][0]["lines"][0].as_str()?;
        let opened = self.opened(line.strip_prefix("1:").unwrap());
        let task = TaskFiles::for_call(&self.handlers, &call).unwrap();
        assert_eq!(task.locate(found["matches"][0]["path"].as_str().unwrap()).unwrap(), opened, "{:?}", self.path);
        Some(opened)
    }

    /// Replaces the file, whose content the task knows, and checks that nothing else is changed. Returns the path of the file.
    #[track_caller]
    fn write(&self) -> Option<PathBuf> {
        self.read();
        let args = write_file::Args { path: self.path.to_owned(), content: "changed\n".to_owned() };
        self.change(|| self.handlers.write_file(args, &self.caller.call("a_tool")).is_ok())
    }

    /// Edits the file, and checks that nothing else is changed. Returns the path of the file.
    #[track_caller]
    fn edit(&self) -> Option<PathBuf> {
        let args = patch::Args {
            mode: patch::Mode::Replace,
            path: Some(self.path.to_owned()),
            old_string: Some("\n".to_owned()),
            new_string: Some("changed\n".to_owned()),
            replace_all: false,
            patch: None,
        };
        self.change(|| self.handlers.patch(args, &self.caller.call("a_tool")).is_ok())
    }

    /// Deletes the file, whose content the task knows, and checks that nothing else is changed. Returns the path of the file.
    #[track_caller]
    fn delete(&self) -> Option<PathBuf> {
        self.read();
        let args = patch::Args {
            mode: patch::Mode::Patch,
            path: None,
            old_string: None,
            new_string: None,
            replace_all: false,
            patch: Some(format!("*** Begin Patch\n*** Delete File: {}\n*** End Patch\n", self.path)),
        };
        self.change(|| self.handlers.patch(args, &self.caller.call("a_tool")).is_ok())
    }

    /// Makes a change, and returns the one file that is changed, if the call succeeds. The file is restored.
    #[track_caller]
    fn change(&self, change: impl FnOnce() -> bool) -> Option<PathBuf> {
        let before = self.site.entries();
        let succeeded = change();
        let after = self.site.entries();
        let mut changed: Vec<&Path> =
            before.iter().filter(|entry| !after.contains(entry)).map(|(path, _)| &**path).collect();
        changed.extend(
            after.iter().filter(|(path, _)| !before.iter().any(|(old, _)| old == path)).map(|(path, _)| &**path),
        );
        assert_eq!(changed.len(), usize::from(succeeded), "{:?}: {changed:?}", self.path);
        let path = changed.first()?.to_path_buf();
        self.check_log(&path);
        if before.iter().any(|(old, _)| *old == path) {
            fs::write(&path, own_content(&path)).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        Some(path)
    }

    /// Returns the path of a file from its content.
    fn opened(&self, content: &str) -> PathBuf {
        let all = self.site.entries().into_iter().find(|(path, _)| own_content(path).trim() == content.trim());
        all.unwrap_or_else(|| panic!("{:?}: {content}", self.path)).0
    }

    #[track_caller]
    fn check_log(&self, opened: &Path) {
        let log = self.caller.call("a_tool").state::<AccessLog>();
        let known: Vec<PathBuf> = log.files().into_iter().map(|file| file.path).collect();
        assert_eq!(known, [opened], "{:?}: the log", self.path);
    }
}

impl Site {
    /// Returns each spelling, with the file to which it leads, and the same if that file may be used.
    fn spellings(&self) -> impl Iterator<Item = (&'static str, Option<PathBuf>, Option<PathBuf>)> {
        SPELLINGS.iter().map(|(path, to)| {
            let file = to.map(|to| self.root.join(OsStr::from_bytes(to)));
            (*path, file.clone(), file.filter(|file| file.starts_with(self.root.join("work/a"))))
        })
    }
}

#[test]
fn the_judged_file_is_the_one_that_every_tool_opens_however_its_path_is_written() {
    let site = Site::new();
    for (path, file, allowed) in site.spellings() {
        let attempt = |narrow| Attempt::new(&site, false, narrow, path);
        assert_eq!(attempt(false).read(), file, "{path:?}");
        assert_eq!(attempt(true).read(), allowed, "{path:?}: read");
        assert_eq!(attempt(true).search(), allowed, "{path:?}: search");
        assert_eq!(attempt(true).edit(), allowed, "{path:?}: edit");
        assert_eq!(attempt(true).write(), allowed, "{path:?}: write");
        // The target of a link is not deleted: the link would stay.
        assert_eq!(attempt(true).delete(), allowed.filter(|_| !path.starts_with("to-")), "{path:?}: delete");
    }
}

#[test]
fn the_judged_file_is_the_one_that_is_opened_through_a_shell() {
    let site = Site::new();
    // A shell cannot be given a NUL.
    for (path, file, _) in site.spellings().filter(|(path, ..)| !path.contains(r"\x00")) {
        assert_eq!(Attempt::new(&site, true, false, path).read(), file, "{path:?}");
    }
}

/// What random paths are made of: names, what is between them, and the last name.
const PARTS: &[&str] = &[
    "a",
    "b",
    "ab",
    "up",
    "out",
    "out2",
    "out3",
    "own",
    "loop",
    "dangling",
    "missing",
    "to-inside",
    "to-outside",
    "..",
    ".",
    "",
    "~",
    "~root",
    r"\x2e",
    r"\x2e\x2e",
    r".\x2e",
    r"\x2f",
    r"\x5c",
    r"\057outside",
    r"\x7e",
    "%2e%2e",
    "．．",
    "...",
    " ",
    "a ",
    r"caf\xe9",
    r"\xff",
    r"a\x0a",
    "$HOME",
    "-",
    "home",
    "work",
    "outside",
];
const JOINS: &[&str] = &["/", "/", "/", "/", "//", "/./", "", r"\x2f", "／"];
const ENDS: &[&str] = &["f", "f", "f", r"\x66", "./f", "f/.", "f ", "F", "to-inside", "~", ""];

#[test]
fn any_spelling_of_a_path_is_judged_as_the_file_that_it_opens() {
    let site = Site::new();
    let mut seed = 23_u64;
    let mut random = |count: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 40).unwrap() % count
    };
    let (mut opened, mut allowed) = (0, 0);
    for _ in 0..400 {
        let mut path = String::new();
        for _ in 0..random(5) {
            path += PARTS[random(PARTS.len())];
            path += JOINS[random(JOINS.len())];
        }
        path += ENDS[random(ENDS.len())];
        let read = Attempt::new(&site, false, false, &path).read();
        let expected = read.clone().filter(|path| path.starts_with(site.root.join("work/a")));
        assert_eq!(Attempt::new(&site, false, true, &path).read(), expected, "{path:?}");
        if read.is_some() {
            assert_eq!(Attempt::new(&site, false, true, &path).write(), expected, "{path:?}");
        }
        opened += usize::from(read.is_some());
        allowed += usize::from(expected.is_some());
    }
    assert!(opened > 60 && allowed > 10, "{opened} of the paths are those of files, {allowed} in the allowed folder");
}
