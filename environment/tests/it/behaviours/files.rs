//! What the files of every environment do.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use toolc_environment::files::{
    Expected, FileKind, Files, Line, LineEnding, LineRange, Permissions, VersionMismatch, WriteOptions,
};
use toolc_environment::search::{ContentSearch, Found, NameGlob, Pattern, Results, Search, SearchLimits};
use toolc_environment::{Abilities, Promises, ShellCache, ShellFiles};

use super::*;

/// Environments whose files are those of their shell.
const SHELLS: [&Subject; 2] = [
    &Subject { name: "shell over local", why_not: || None, make: |folder| Arc::new(Shelled::new(folder, None)) },
    &Subject {
        name: "busybox over local",
        why_not: || programs::find("busybox").is_none().then(|| Missing::program("busybox")),
        make: |folder| {
            let programs = TempDir::new().expect("failed to make a folder");
            assert!(busybox(programs.path()).status().expect("it is available").success());
            Arc::new(Shelled::new(folder, Some(programs)))
        },
    },
];

/// Returns the command that puts the programs of busybox into a folder.
fn busybox(folder: &Path) -> std::process::Command {
    let mut command = std::process::Command::new("busybox");
    command.args(["--install", "-s"]).arg(folder).stderr(std::process::Stdio::null());
    command
}

const FILES: &[Behaviour] = &[
    ("the folders of the user", places),
    ("every kind of file", kinds),
    ("links are resolved", resolved),
    ("names of a folder, at most a number of them", names),
    ("a range of bytes", bytes),
    ("a range of lines", lines),
    ("only regular files are read", only_regular),
    ("a new file", new_file),
    ("a file is replaced if it is unchanged", replaced),
    ("permissions are given, and hard links keep the content", permissions),
    ("a file is removed if it is unchanged", removed),
    ("a file is renamed unless the name is taken", renamed),
    ("missing folders are created", folders),
    ("a link in a path is not followed", link_in_path),
    ("unusual names", unusual_names),
    ("a large file", large),
    ("lines are found", found_lines),
    ("the context of a line", context),
    ("files are found by their names and by their content", found_files),
    ("what is not searched", not_searched),
    ("a search is limited", limited),
    ("patterns", patterns),
];

#[test]
fn the_files_of_every_environment_behave_the_same() {
    check_all(ENVIRONMENTS.iter().chain(SHELLS), FILES);
}

#[derive(Debug)]
struct Shelled {
    local: Local,
    /// The only programs, if they are not those of the system.
    programs: Option<TempDir>,
    cache: ShellCache,
}

impl Shelled {
    fn new(folder: &Path, programs: Option<TempDir>) -> Self {
        Self { local: Local::new(folder), programs, cache: ShellCache::default() }
    }
}

impl Environment for Shelled {
    fn name(&self) -> &str {
        self.local.name()
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
        self.local.temporary_folder()
    }

    fn end_released(&self) {
        self.local.end_released();
    }

    fn start(&self, mut launch: Launch) -> io::Result<Box<dyn Running>> {
        if let Some(programs) = &self.programs {
            launch.variables.push(("PATH".into(), Some(programs.path().into())));
        }
        self.local.start(launch)
    }

    fn files(&self) -> Box<dyn Files + '_> {
        Box::new(ShellFiles::new(self, &self.cache))
    }

    fn clean_up(&self) {
        self.local.clean_up();
    }
}

const NEW: WriteOptions = WriteOptions { expected: Expected::Nothing, permissions: None };

impl Try {
    fn files(&self) -> Box<dyn Files + '_> {
        self.environment.files()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("failed to make a folder");
        fs::write(&path, content).expect("failed to write");
        path
    }

    fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        path
    }

    fn unchanged(&self, path: &Path) -> WriteOptions {
        let version = self.files().metadata(path).expect("it exists").version;
        WriteOptions { expected: Expected::Version(version), permissions: None }
    }
}

#[track_caller]
fn kind<T: std::fmt::Debug>(result: io::Result<T>) -> ErrorKind {
    result.expect_err("it fails").kind()
}

#[track_caller]
fn is_changed<T: std::fmt::Debug>(result: io::Result<T>) -> bool {
    VersionMismatch::is_cause_of(&result.expect_err("it fails"))
}

fn places(it: &Try) {
    let places = it.files().places().expect("it has folders");
    assert!(places.temporary.is_absolute());
    assert_eq!(it.files().resolve(&places.temporary).expect("no cycle"), places.temporary);
    if let Some(home) = places.home {
        assert!(home.is_absolute());
    }
}

fn kinds(it: &Try) {
    it.put("file", "123");
    fs::create_dir(it.path("folder")).expect("failed to make a folder");
    symlink("file", it.path("link")).expect("failed to make a link");
    it.pipe("pipe");
    let _socket = std::os::unix::net::UnixListener::bind(it.path("socket")).expect("failed to make a socket");
    for (name, kind) in [
        ("file", FileKind::Regular),
        ("folder", FileKind::Folder),
        ("link", FileKind::Link),
        ("pipe", FileKind::Pipe),
        ("socket", FileKind::Socket),
        ("/dev/null", FileKind::Device),
        ("/", FileKind::Folder),
    ] {
        assert_eq!(it.files().metadata(&it.path(name)).expect("it exists").kind, kind, "{name}");
    }
    let found = it.files().metadata(&it.path("file")).expect("it exists");
    let expected = fs::metadata(it.path("file")).expect("it exists");
    assert_eq!(found.version.len, 3);
    let nanoseconds = i128::from(expected.mtime()) * 1_000_000_000 + i128::from(expected.mtime_nsec());
    assert_eq!(found.version.modified, Some(nanoseconds));
    let permissions = Permissions { mode: expected.mode() & 0o7777, user: expected.uid(), group: expected.gid() };
    assert_eq!(found.permissions, permissions);
    assert_eq!(kind(it.files().metadata(&it.path("missing"))), ErrorKind::NotFound);
    assert_eq!(kind(it.files().metadata(&it.path("missing/below"))), ErrorKind::NotFound);
    assert_eq!(kind(it.files().metadata(&it.path("file/below"))), ErrorKind::NotADirectory);
}

fn resolved(it: &Try) {
    fs::create_dir(it.path("real")).expect("failed to make a folder");
    for (target, name) in [("real", "link"), ("link/missing", "dangling"), ("circle", "circle"), ("/", "root")] {
        symlink(target, it.path(name)).expect("failed to make a link");
    }
    symlink("real", it.path("line\n")).expect("failed to make a link");
    for (path, expected) in [
        ("", ""),
        ("link", "real"),
        ("link/a/./b//c", "real/a/b/c"),
        ("dangling", "real/missing"),
        // `..` is the parent of the target of a link.
        ("link/../x", "x"),
        ("missing/../x", "x"),
        ("line\n/x\n", "real/x\n"),
    ] {
        let resolved = it.files().resolve(&it.path(path)).expect("no cycle");
        assert_eq!(resolved, it.path(expected).components().collect::<PathBuf>(), "{path}");
    }
    assert_eq!(it.files().resolve(&it.path("root/../../etc")).expect("no cycle"), Path::new("/etc"));
    let error = it.files().resolve(&it.path("circle")).expect_err("a cycle");
    assert!(error.to_string().contains("too many symbolic links"), "{error}");
}

fn names(it: &Try) {
    for name in ["a", ".b", "..c", "*", "-n", "line\nbreak"] {
        it.put(name, "");
    }
    symlink("missing", it.path("dangling")).expect("failed to make a link");
    let mut names = it.files().list(&it.folder, 100).expect("it is a folder");
    names.sort();
    assert_eq!(names, ["*", "-n", "..c", ".b", "a", "dangling", "line\nbreak"]);
    assert_eq!(it.files().list(&it.folder, 3).expect("it is a folder").len(), 3);
    fs::create_dir(it.path("empty")).expect("failed to make a folder");
    assert!(it.files().list(&it.path("empty"), 3).expect("it is a folder").is_empty());
    assert_eq!(kind(it.files().list(&it.path("missing"), 3)), ErrorKind::NotFound);
}

fn bytes(it: &Try) {
    let path = it.put("file", b"0123\0\n6789\n");
    let read = |from, max| it.files().read(&path, from, max).expect("it is readable").0;
    assert_eq!(read(0, 100), b"0123\0\n6789\n");
    assert_eq!((read(0, 4), read(4, 3), read(9, 9)), (b"0123".to_vec(), b"\0\n6".to_vec(), b"9\n".to_vec()));
    assert!(read(11, 5).is_empty() && read(u64::from(u32::MAX), 5).is_empty() && read(0, 0).is_empty());
    let (_, metadata) = it.files().read(&path, 0, 1).expect("it is readable");
    assert_eq!(metadata, it.files().metadata(&path).expect("it exists"));
}

fn range(first: u64, limit: u64) -> LineRange {
    LineRange { first, limit, max_line_bytes: 8, max_bytes: 1_000, timeout: LIMIT, count_timeout: LIMIT }
}

fn lines(it: &Try) {
    let path = it.put("file", "1\r\n2\n\n12345678\r\n123456789\n6");
    let read = |range: LineRange| it.files().read_lines(&path, &range).expect("it is readable");
    let line = |text: &str, ending, is_cut| Line { bytes: text.into(), ending, is_cut };
    let (none, lf, crlf) = (LineEnding::None, LineEnding::Lf, LineEnding::CrLf);
    let all = read(range(1, 10));
    assert_eq!(
        all.lines,
        [
            line("1", crlf, false),
            line("2", lf, false),
            line("", lf, false),
            line("12345678", crlf, false),
            line("12345678", none, true),
            line("6", none, false),
        ]
    );
    assert_eq!((all.total, &*all.sample), (Some(6), &b"1\r\n2\n\n12345678\r\n123456789\n6"[..]));
    let part = read(range(2, 2));
    assert_eq!((part.lines, part.total), (all.lines[1..3].to_vec(), Some(6)));
    assert_eq!(read(range(6, 1)).lines, all.lines[5..]);
    let after = read(range(7, 1));
    assert_eq!((after.lines.len(), after.total), (0, Some(6)));
    assert_eq!(read(LineRange { max_bytes: 1, ..range(1, 10) }).lines.len(), 2);
    let terminated = it.files().read_lines(&it.put("terminated", "a\nb\n"), &range(2, 9)).expect("it is readable");
    assert_eq!((terminated.lines, terminated.total), (vec![line("b", lf, false)], Some(2)));
    let empty = it.files().read_lines(&it.put("empty", ""), &range(1, 9)).expect("it is readable");
    assert_eq!((empty.lines.len(), empty.total), (0, Some(0)));
    let binary = it.files().read_lines(&it.put("binary", b"a\0b\n"), &range(1, 9)).expect("it is readable");
    assert_eq!((binary.lines.len(), binary.total, &*binary.sample), (0, None, &b"a\0b\n"[..]));
}

fn only_regular(it: &Try) {
    fs::create_dir(it.path("folder")).expect("failed to make a folder");
    it.put("file", "x");
    symlink("file", it.path("link")).expect("failed to make a link");
    for path in [it.path("folder"), it.path("link"), it.pipe("pipe"), "/dev/zero".into()] {
        let (files, shown) = (it.files(), path.display());
        assert!(files.read(&path, 0, 1).is_err(), "{shown}");
        assert!(files.read_lines(&path, &range(1, 1)).is_err(), "{shown}");
        assert!(files.check_writable(&path).is_err(), "{shown}");
        assert!(files.write(&path, b"x", &it.unchanged(&path)).is_err(), "{shown}");
        assert_eq!(kind(files.write(&path, b"x", &NEW)), ErrorKind::AlreadyExists, "{shown}");
        assert!(files.remove(&path, files.metadata(&path).expect("it exists").version).is_err(), "{shown}");
        assert!(files.rename(&path, &it.path("other")).is_err(), "{shown}");
    }
    assert_eq!(kind(it.files().read(&it.path("missing"), 0, 1)), ErrorKind::NotFound);
    assert_eq!(kind(it.files().check_writable(&it.path("missing"))), ErrorKind::NotFound);
    assert_eq!(fs::read_dir(&it.folder).expect("it is a folder").count(), 4, "nothing was left");
}

fn new_file(it: &Try) {
    let path = it.path("file");
    let written = it.files().write(&path, b"a\0b", &NEW).expect("it is new");
    assert_eq!(written, it.files().metadata(&path).expect("it exists"));
    assert_eq!(fs::read(&path).expect("it exists"), b"a\0b");
    it.put("by hand", "");
    let mode = |name: &str| fs::metadata(it.path(name)).expect("it exists").mode();
    assert_eq!(mode("file"), mode("by hand"));
    assert_eq!(kind(it.files().write(&path, b"x", &NEW)), ErrorKind::AlreadyExists);
    assert_eq!(kind(it.files().write(&it.path("missing/x"), b"x", &NEW)), ErrorKind::NotFound);
    it.files().write(&it.path("empty"), b"", &NEW).expect("it is new");
    assert_eq!(fs::read_dir(&it.folder).expect("it is a folder").count(), 3);
}

fn replaced(it: &Try) {
    let path = it.put("file", "old");
    let options = it.unchanged(&path);
    let written = it.files().write(&path, b"new", &options).expect("it is unchanged");
    assert_eq!(fs::read(&path).expect("it exists"), b"new");
    assert_eq!(written, it.files().metadata(&path).expect("it exists"));
    fs::write(&path, "changed").expect("failed to write");
    assert!(is_changed(it.files().write(&path, b"lost", &options)));
    assert_eq!(fs::read(&path).expect("it exists"), b"changed");
    fs::remove_file(&path).expect("it exists");
    assert!(is_changed(it.files().write(&path, b"lost", &options)));
    assert_eq!(fs::read_dir(&it.folder).expect("it is a folder").count(), 0);
}

fn permissions(it: &Try) {
    let path = it.put("file", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).expect("it is ours");
    fs::hard_link(&path, it.path("other")).expect("failed to make a link");
    let old = it.files().check_writable(&path).expect("it is writable");
    let options = WriteOptions { permissions: Some(old.permissions), ..it.unchanged(&path) };
    let new = it.files().write(&path, b"new", &options).expect("it is unchanged");
    assert_eq!(new.permissions.mode, 0o751, "without the set-user-id bit");
    assert_eq!(fs::read(it.path("other")).expect("it exists"), b"old");
    let copy = WriteOptions { permissions: Some(new.permissions), ..NEW };
    assert_eq!(it.files().write(&it.path("copy"), b"", &copy).expect("it is new").permissions.mode, 0o751);
}

fn removed(it: &Try) {
    let path = it.put("file", "x");
    let version = it.files().metadata(&path).expect("it exists").version;
    fs::write(&path, "changed").expect("failed to write");
    assert!(is_changed(it.files().remove(&path, version)));
    let version = it.files().metadata(&path).expect("it exists").version;
    it.files().remove(&path, version).expect("it is unchanged");
    assert!(!path.exists());
    assert!(is_changed(it.files().remove(&path, version)));
}

fn renamed(it: &Try) {
    let (from, to) = (it.put("from", "1"), it.put("folder/to", "2"));
    assert_eq!(kind(it.files().rename(&from, &to)), ErrorKind::AlreadyExists);
    assert_eq!(kind(it.files().rename(&from, &it.path("folder"))), ErrorKind::AlreadyExists);
    assert_eq!(kind(it.files().rename(&from, &it.path("missing/x"))), ErrorKind::NotFound);
    assert_eq!((fs::read(&from).expect("it exists"), fs::read(&to).expect("it exists")), (b"1".into(), b"2".into()));
    it.files().rename(&from, &it.path("folder/new")).expect("the name is free");
    assert_eq!(fs::read(it.path("folder/new")).expect("it exists"), b"1");
    assert!(!from.exists());
    assert_eq!(kind(it.files().rename(&from, &it.path("x"))), ErrorKind::NotFound);
}

fn folders(it: &Try) {
    let create = |name: &str| it.files().create_folders(&it.path(name));
    assert_eq!(create("a/b/c").expect("it is possible"), [it.path("a"), it.path("a/b"), it.path("a/b/c")]);
    assert!(create("a/b/c").expect("it exists").is_empty());
    assert_eq!(create("a/d\ne").expect("it is possible"), [it.path("a/d\ne")]);
    it.put("file", "");
    assert!(create("file").is_err() && create("file/below").is_err());
    assert!(it.files().remove_folder(&it.path("a")).is_err(), "it is not empty");
    it.files().remove_folder(&it.path("a/b/c")).expect("it is empty");
    assert!(!it.path("a/b/c").exists());
    assert_eq!(kind(it.files().remove_folder(&it.path("a/b/c"))), ErrorKind::NotFound);
}

fn link_in_path(it: &Try) {
    let path = it.put("real/file", "x");
    symlink("real", it.path("link")).expect("failed to make a link");
    let linked = it.path("link/file");
    let files = it.files();
    let version = files.metadata(&path).expect("it exists").version;
    assert!(files.read(&linked, 0, 1).is_err() && files.read_lines(&linked, &range(1, 1)).is_err());
    assert!(files.list(&it.path("link"), 1).is_err());
    assert!(files.write(&it.path("link/new"), b"x", &NEW).is_err() && files.remove(&linked, version).is_err());
    assert!(files.create_folders(&it.path("link/new")).is_err());
    assert!(files.rename(&linked, &it.path("x")).is_err() && files.rename(&path, &it.path("link/x")).is_err());
    assert_eq!(fs::read_dir(it.path("real")).expect("it is a folder").count(), 1);
    assert_eq!(fs::read(&path).expect("it exists"), b"x");
}

fn unusual_names(it: &Try) {
    let names =
        [&b"a\nb"[..], b"\n", b"caf\xe9", b"-rf", b" ", b"$(touch x)", b"`x`", b"it's \"x\"", b"\\", b"*", b"a\n"];
    for name in names {
        let path = it.folder.join(OsStr::from_bytes(name)).join(OsStr::from_bytes(name));
        let files = it.files();
        files.create_folders(path.parent().expect("it has one")).expect("it is possible");
        files.write(&path, b"1\n", &NEW).expect("it is new");
        assert_eq!(fs::read(&path).expect("it exists"), b"1\n");
        files.write(&path, b"2\n", &it.unchanged(&path)).expect("it is unchanged");
        assert_eq!(files.read(&path, 0, 9).expect("it is readable").0, b"2\n");
        assert_eq!(files.read_lines(&path, &range(1, 1)).expect("it is readable").lines[0].bytes, b"2");
        assert_eq!(files.resolve(&path).expect("no cycle"), path);
        let other = path.with_file_name("other");
        files.rename(&path, &other).expect("the name is free");
        files.remove(&other, files.metadata(&other).expect("it exists").version).expect("it is unchanged");
        files.remove_folder(path.parent().expect("it has one")).expect("it is empty");
    }
    assert_eq!(fs::read_dir(&it.folder).expect("it is a folder").count(), 0);
    let nul = it.folder.join(OsStr::from_bytes(b"a\0b"));
    assert!(it.files().read(&nul, 0, 1).is_err() && it.files().write(&nul, b"", &NEW).is_err());
}

fn large(it: &Try) {
    let content: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let path = it.path("large");
    it.files().write(&path, &content, &NEW).expect("it is new");
    assert!(fs::read(&path).expect("it exists") == content);
    assert!(it.files().read(&path, 1, content.len()).expect("it is readable").0 == content[1..]);
    let text = (1..=300_000).fold(String::new(), |text, number| text + &number.to_string() + "\n");
    let found = it.files().read_lines(&it.put("text", text), &range(299_999, 5)).expect("it is readable");
    assert_eq!((found.lines[1].bytes.as_slice(), found.total), (&b"300000"[..], Some(300_000)));
}

fn project(it: &Try) {
    it.put(".hidden/a.rs", "needle");
    it.put("blob", b"needle\0needle");
    it.put("src/b.rs", "one\nneedle two\nthree\nneedle four\n");
    it.put("src/a.rs", "a needle\r\n");
    it.put("src/a/deep.txt", "needle");
}

const LIMITS: SearchLimits = SearchLimits {
    offset: 0,
    limit: 50,
    max_chars: 60_000,
    max_line_chars: 20,
    max_results: 1_000,
    timeout: LIMIT,
    count_timeout: LIMIT,
};

fn content(it: &Try, root: &str, pattern: &str, set: impl FnOnce(&mut ContentSearch<'_>, &mut SearchLimits)) -> Found {
    let pattern = Pattern::new(pattern).expect("it is a pattern");
    let mut content = ContentSearch { pattern: &pattern, results: Results::Lines, context: 0 };
    let mut limits = LIMITS;
    set(&mut content, &mut limits);
    let root = it.path(root).components().collect::<PathBuf>();
    let search = Search { root: &root, globs: &[], content: Some(content), limits, may_read: None };
    it.files().search(&search).expect("it can be searched")
}

fn by_name(it: &Try, root: &str, globs: &[&str], limits: SearchLimits) -> Found {
    let globs: Vec<_> = globs.iter().map(|glob| NameGlob::new(glob).expect("it is a glob")).collect();
    let root = it.path(root).components().collect::<PathBuf>();
    let search = Search { root: &root, globs: &globs, content: None, limits, may_read: None };
    it.files().search(&search).expect("it can be searched")
}

/// Returns lines in the form `src/a.rs:1:text`, with `-` for context, and files and counts as `src/a.rs` and `src/a.rs:2`.
fn shown(it: &Try, found: &Found) -> Vec<String> {
    let mut shown = Vec::new();
    for file in &found.files {
        let path = file.path.strip_prefix(&it.folder).expect("it is in the folder").display();
        for line in &file.lines {
            let mark = if line.is_match { ':' } else { '-' };
            shown.push(format!("{path}{mark}{}{mark}{}{}", line.number, line.text, if line.is_cut { "…" } else { "" }));
        }
        if file.lines.is_empty() {
            let count = if file.count > 0 { format!(":{}", file.count) } else { String::new() };
            shown.push(format!("{path}{count}"));
        }
    }
    shown
}

fn found_lines(it: &Try) {
    project(it);
    let found = content(it, "", "need+le", |_, _| {});
    let all = ["src/a/deep.txt:1:needle", "src/a.rs:1:a needle", "src/b.rs:2:needle two", "src/b.rs:4:needle four"];
    assert_eq!(shown(it, &found), all);
    assert_eq!((found.total, found.kept, found.partial, found.unreadable), (4, 4, false, 0));
    let page = content(it, "", "needle", |_, limits| (limits.offset, limits.limit) = (1, 2));
    assert_eq!((shown(it, &page), page.total, page.kept), (all[1..3].iter().map(ToString::to_string).collect(), 4, 2));
    assert_eq!(content(it, "", "absent", |_, _| {}).total, 0);
    assert_eq!(shown(it, &content(it, "src/b.rs", "e", |_, limits| limits.limit = 1)), ["src/b.rs:1:one"]);
    it.put("long", format!("{}x{}", "é".repeat(1_000), "é".repeat(1_000)));
    assert_eq!(shown(it, &content(it, "long", "x", |_, _| {})), [format!("long:1:ééx{}…", "é".repeat(17))]);
    it.put("latin", b"caf\xe9 x\n");
    assert_eq!(shown(it, &content(it, "latin", "x", |_, _| {})), ["latin:1:caf\u{fffd} x"]);
}

fn context(it: &Try) {
    it.put("a", "1\n2\nx3\n4\nx5\n6\n7\n8\n9\nx10\n");
    let with = |offset, limit| {
        let found = content(it, "", "x", |content, limits| {
            content.context = 1;
            (limits.offset, limits.limit) = (offset, limit);
        });
        shown(it, &found).iter().map(|line| line[1..].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(with(0, 50), ["-2-2", ":3:x3", "-4-4", ":5:x5", "-6-6", "-9-9", ":10:x10"]);
    assert_eq!(with(0, 1), ["-2-2", ":3:x3", "-4-4"]);
    assert_eq!(with(1, 1), ["-4-4", ":5:x5", "-6-6"]);
    assert_eq!(with(2, 1), ["-9-9", ":10:x10"]);
}

fn found_files(it: &Try) {
    project(it);
    assert_eq!(shown(it, &by_name(it, "", &["*.rs"], LIMITS)), ["src/a.rs", "src/b.rs"]);
    assert_eq!(shown(it, &by_name(it, "", &["src/**/*.txt"], LIMITS)), ["src/a/deep.txt"]);
    assert_eq!(shown(it, &by_name(it, "src", &["a/*", "*.txt"], LIMITS)), ["src/a/deep.txt"]);
    let page = by_name(it, "", &[], SearchLimits { offset: 1, limit: 1, ..LIMITS });
    assert_eq!((shown(it, &page), page.total), (vec!["src/a/deep.txt".to_owned()], 4));
    let files = content(it, "", "needle", |content, _| content.results = Results::Files);
    assert_eq!(
        files.files.iter().map(|file| file.path.clone()).collect::<Vec<_>>(),
        [it.path("src/a/deep.txt"), it.path("src/a.rs"), it.path("src/b.rs")]
    );
    let counts = content(it, "", "needle", |content, _| content.results = Results::Counts);
    assert_eq!(shown(it, &counts), ["src/a/deep.txt:1", "src/a.rs:1", "src/b.rs:2"]);
    assert_eq!(counts.total, 3);
    assert_eq!(shown(it, &content(it, ".hidden", "needle", |_, _| {})), [".hidden/a.rs:1:needle"], "it is named");
}

fn not_searched(it: &Try) {
    project(it);
    it.pipe("pipe");
    it.put("-e", "needle");
    symlink("/dev/zero", it.path("zero")).expect("failed to make a link");
    symlink("src", it.path("linked")).expect("failed to make a link");
    assert_eq!(content(it, "", "needle", |_, _| {}).total, 5);
    assert_eq!(by_name(it, "", &["b.rs"], LIMITS).total, 1);
    let pattern = Pattern::new("needle").expect("it is a pattern");
    let content = Some(ContentSearch { pattern: &pattern, results: Results::Lines, context: 0 });
    let may_read = |path: &Path| path.extension().is_none_or(|extension| extension != "rs");
    let search = Search { root: &it.folder, globs: &[], content, limits: LIMITS, may_read: Some(&may_read) };
    let found = it.files().search(&search).expect("it can be searched");
    assert_eq!((found.total, found.unreadable), (2, 2));
    let found = it.files().search(&Search { content: None, ..search }).expect("it can be searched");
    assert_eq!((found.total, found.unreadable), (3, 2));
    let root = it.path("missing");
    assert_eq!(kind(it.files().search(&Search { root: &root, ..search })), ErrorKind::NotFound);
    it.put(".gitignore", "src/\n");
    let is_full = it.files().abilities().full_search;
    let total = |it: &Try| by_name(it, "", &["*.rs"], LIMITS).total;
    assert_eq!(total(it), if is_full { 0 } else { 2 });
    it.put("line\nbreak/x.rs", "");
    assert_eq!(total(it), if is_full { 1 } else { 2 });
}

fn limited(it: &Try) {
    it.put("a", "x\n".repeat(3_000));
    it.put("b", "x\n");
    let found = content(it, "", "x", |_, _| {});
    assert_eq!((found.total, found.kept, found.partial), (1_000, 50, true));
    let found = content(it, "", "x", |_, limits| limits.timeout = Duration::ZERO);
    assert!(found.partial && found.total <= 1_000);
    for number in 0..200 {
        it.put(&format!("many/{number}"), "");
    }
    let found = by_name(it, "many", &[], SearchLimits { max_results: 100, ..LIMITS });
    assert_eq!((found.total, found.kept, found.partial), (100, 50, true));
}

fn patterns(it: &Try) {
    it.put("text", "fn main() {\nß NEEDLE\na.b|c^d\n\n");
    let lines = |pattern: &str| {
        let found = content(it, "", pattern, |_, _| {});
        found.files.iter().flat_map(|file| file.lines.iter().map(|line| line.number)).collect::<Vec<_>>()
    };
    for (pattern, expected) in [
        (r"fn\s+main\(\)", &[1][..]),
        ("(?i)needle$", &[2]),
        (r"^a\.b\|c\^d$", &[3]),
        ("^$", &[4]),
        (r"\bß|\{", &[1, 2]),
        (r"[(){]{2}", &[1]),
        ("-e", &[]),
    ] {
        // In ASCII, `ß` is not a letter.
        if pattern == r"\bß|\{" && !it.files().abilities().full_search {
            continue;
        }
        assert_eq!(lines(pattern), expected, "{pattern}");
    }
    let pattern = Pattern::new(r"\p{Lowercase} N").expect("it is a pattern");
    let content = Some(ContentSearch { pattern: &pattern, results: Results::Lines, context: 0 });
    let search = Search { root: &it.folder, globs: &[], content, limits: LIMITS, may_read: None };
    match it.files().search(&search) {
        Ok(found) => assert_eq!(found.total, 1),
        Err(error) => {
            assert!(!it.files().abilities().full_search);
            assert_eq!(error.kind(), ErrorKind::Unsupported);
        }
    }
}
