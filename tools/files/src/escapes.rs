//! Attempts to reach files outside of what the host allows, or to make a call hang, as one table.
//!
//! Each attempt is made with every tool. Whatever its result is, nothing outside is changed, no secret is in the result, and the call
//! ends.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use tempfile::TempDir;
use toolc::testing::Caller;
use toolc::{ToJson, ToolError, ToolOutput};
use toolc_catalog::file::{FileTools, patch, read_file, search_files, write_file};
use toolc_workspace::{Access, Workspace};

use crate::FileHandlers;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_mins(2);

/// An attempt: its description, the path that the model gives, and the letters of the tools that succeed.
///
/// The letters are `r` for `read_file`, `w` for `write_file`, `s` for `search_files`, and `p`, `d` and `m` for a `patch` that changes the
/// file, deletes it, or moves another file there. With a capital letter, the result contains the secret, which cannot be prevented.
type Attempt = (&'static str, fn(&Site) -> String, &'static str);

/// Attempts with a host that allows reading and writing only in the working directory.
const NARROW: &[Attempt] = &[
    ("a file inside", |_| "file".into(), "rwpsd"),
    ("a new file inside", |_| "new".into(), "wm"),
    ("`..`", |_| "../outside/secret".into(), ""),
    ("`..` after a folder", |_| "folder/../../outside/secret".into(), ""),
    ("`..` after a folder that does not exist", |_| "missing/../../outside/secret".into(), ""),
    ("an absolute path", |it| it.absolute("outside/secret"), ""),
    ("a new file outside", |_| "../outside/new".into(), ""),
    ("a folder outside", |_| "../outside".into(), ""),
    ("a link to a file", |_| "link".into(), ""),
    ("a link to a folder", |_| "out/secret".into(), ""),
    ("`..` after a link", |_| "out/../outside/secret".into(), ""),
    ("a dangling link", |_| "dangling".into(), ""),
    ("a link to itself", |_| "loop".into(), ""),
    // A hard link is a second name of the secret, so it can be read. Writing replaces the link, and the secret stays.
    ("a hard link", |_| "hard".into(), "RwpSd"),
    ("the root of this process", |it| format!("/proc/self/root{}", it.absolute("outside/secret")), ""),
    ("the root of another process", |it| format!("/proc/{}/root{}", parent_id(), it.absolute("outside/secret")), ""),
    ("the directory of this process", |_| "/proc/self/cwd/Cargo.toml".into(), ""),
    ("an open file of this process", |it| format!("/proc/self/fd/{}", it.open_file()), ""),
    ("the variables of this process", |_| "/proc/self/environ".into(), ""),
    ("the memory of this process", |_| "/proc/self/mem".into(), ""),
    ("the variables of another process", |_| format!("/proc/{}/environ", parent_id()), ""),
    ("a name with a line break", |_| r"line\x0abreak".into(), "rwpsd"),
    ("a name that is not UTF-8", |_| r"caf\xe9".into(), "rwpsd"),
    ("a NUL in the path", |_| r"file\x00".into(), ""),
    ("a name like an option", |_| "-rf".into(), "rwpsd"),
    ("a long path", |_| "a/".repeat(5_000) + "file", ""),
];

/// Attempts with the default access, which allows reading everywhere: at secrets, which are excepted, and at files on which reading could
/// hang.
const WIDE: &[Attempt] = &[
    ("a private key", |_| "~/.ssh/id_ed25519".into(), ""),
    ("a private key in capital letters", |_| "~/.SSH/ID_ED25519".into(), ""),
    ("a link to a private key", |_| "key".into(), ""),
    ("the folder of the keys", |_| "~/.ssh".into(), ""),
    ("credentials", |_| "~/.aws/credentials".into(), ""),
    ("the passwords of the system", |_| "/etc/shadow".into(), ""),
    ("a system file", |_| "/etc/passwd".into(), "rs"),
    ("a link to a system file", |_| "system".into(), "rs"),
    ("a new system file", |_| "/etc/toolc-test".into(), ""),
    ("a new system file by `..`", |_| "../".repeat(40) + "etc/toolc-test", ""),
    ("a file of the kernel", |_| "/proc/cpuinfo".into(), "r"),
    ("a device without an end", |_| "/dev/zero".into(), ""),
    ("a link to a device", |_| "zero".into(), ""),
    ("the terminal", |_| "/dev/tty".into(), ""),
    ("the standard input", |_| "/dev/stdin".into(), ""),
    ("a pipe", |_| "pipe".into(), ""),
    ("a link to a pipe", |_| "piped".into(), ""),
    ("a socket", |_| "socket".into(), ""),
    ("a sparse file", |_| "sparse".into(), ""),
    ("a large text", large, "rs"),
    // The folder contains the hard link, so the search finds the secret.
    ("the folder of all these", |_| ".".into(), "S"),
    ("all devices", |_| "/dev".into(), ""),
    ("all processes", |_| "/proc".into(), ""),
    ("the kernel", |_| "/sys".into(), ""),
];

#[test]
fn no_attempt_reaches_what_is_outside_or_hangs() {
    for (access, attempts) in [(narrow as fn(&Site) -> FileHandlers, NARROW), (wide, WIDE)] {
        for (what, path, expected) in attempts {
            let mut found = String::new();
            for tool in Tool::ALL {
                let site = Site::new();
                let path = path(&site);
                let before = site.outside();
                let result = call(access(&site), tool, path.clone());
                assert_eq!(site.outside(), before, "{what}: {tool:?} has changed something outside");
                let (has_result, text) = match result {
                    Ok(json) => (!json.contains(r#""total":0"#), json),
                    Err(error) => (false, error.message().to_owned()),
                };
                let is_secret = text.contains("secret content");
                found.extend(has_result.then(|| tool.letter(is_secret)));
                assert!(has_result || !is_secret, "{what}: {text}");
            }
            assert_eq!(found, *expected, "{what}");
        }
    }
}

/// Two entries of the working directory that another thread keeps exchanging: a description, the first entry, and the path of the call.
#[cfg(target_os = "linux")]
const SWAPS: &[(&str, &str, &str)] = &[
    ("a folder and a link to one outside", "swapped", "swapped/secret"),
    ("a file and a link to one outside", "swapped-file", "swapped-file"),
    ("a file and a pipe", "swapped-pipe", "swapped-pipe"),
];

#[cfg(target_os = "linux")]
#[test]
fn no_file_that_is_swapped_during_a_call_leads_outside() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let site = Site::new();
    site.write("work/swapped/secret", "needle inside\n");
    symlink("../outside", site.path("work/swapped.other")).unwrap();
    site.write("work/swapped-file", "needle inside\n");
    symlink("../outside/secret", site.path("work/swapped-file.other")).unwrap();
    site.write("work/swapped-pipe", "needle inside\n");
    pipe(&site.path("work/swapped-pipe.other"));
    let before = site.outside();
    for (what, name, path) in SWAPS {
        let (one, other) = (site.path("work").join(name), site.path("work").join(format!("{name}.other")));
        let is_done = AtomicBool::new(false);
        let mut results = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let _ = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
                }
            });
            for round in 0..450 {
                // Deleting comes last, because the file is gone then.
                let others = [Tool::Read, Tool::Write, Tool::Patch, Tool::Search, Tool::Move];
                let tool = if round < 400 { others[round % others.len()] } else { Tool::Delete };
                match call(narrow(&site), tool, (*path).to_owned()) {
                    Ok(json) => {
                        results += 1;
                        assert!(!json.contains("secret content"), "{what}: {json}");
                    }
                    Err(error) => assert!(!error.message().contains("secret content"), "{what}: {error}"),
                }
            }
            is_done.store(true, Ordering::Relaxed);
        });
        assert_eq!(site.outside(), before, "{what}");
        assert!(results > 0, "{what}: the file was never there");
    }
}

/// Makes a text that is too large to be edited.
fn large(site: &Site) -> String {
    site.write("work/large", &"needle inside\n".repeat(1_000_000));
    "large".to_owned()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    Read,
    Write,
    Patch,
    Search,
    Delete,
    Move,
}

impl Tool {
    const ALL: [Self; 6] = [Self::Read, Self::Write, Self::Patch, Self::Search, Self::Delete, Self::Move];

    fn letter(self, is_secret: bool) -> char {
        let letter = match self {
            Self::Read => 'r',
            Self::Write => 'w',
            Self::Patch => 'p',
            Self::Search => 's',
            Self::Delete => 'd',
            Self::Move => 'm',
        };
        if is_secret && matches!(self, Self::Read | Self::Search) { letter.to_ascii_uppercase() } else { letter }
    }
}

/// Calls a tool. Writing and deleting require that the file is read first. Returns the JSON of the result. Fails if the call does not end.
fn call(handlers: FileHandlers, tool: Tool, path: String) -> Result<String, ToolError> {
    let (sender, result) = mpsc::channel();
    let what = format!("{tool:?} of `{path}`");
    std::thread::spawn(move || {
        // If the test no longer waits, it has failed.
        let _ = sender.send(run(&handlers, tool, path));
    });
    result.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("{what} does not end"))
}

fn run(handlers: &FileHandlers, tool: Tool, path: String) -> Result<String, ToolError> {
    let caller = Caller::new();
    let call = caller.call("a_tool");
    let operation = |line: String| {
        let text = Some(format!("*** Begin Patch\n{line}\n*** End Patch\n"));
        let (mode, path, old_string, new_string) = (patch::Mode::Patch, None, None, None);
        patch::Args { mode, path, old_string, new_string, replace_all: false, patch: text }
    };
    let read = || handlers.read_file(read_file::Args { path: path.clone(), offset: 1, limit: 50, column: 1 }, &call);
    match tool {
        Tool::Read => read().map(|returns| json(&returns)),
        Tool::Write => {
            let _ = read();
            let args = write_file::Args { path: path.clone(), content: "changed\n".to_owned() };
            handlers.write_file(args, &call).map(|returns| json(&returns))
        }
        Tool::Patch => {
            let (old_string, new_string) = (Some("needle".to_owned()), Some("changed".to_owned()));
            let (mode, path) = (patch::Mode::Replace, Some(path));
            let args = patch::Args { mode, path, old_string, new_string, replace_all: true, patch: None };
            handlers.patch(args, &call).map(|returns| json(&returns))
        }
        Tool::Delete => {
            let _ = read();
            let args = operation(format!("*** Delete File: {path}"));
            handlers.patch(args, &call).map(|returns| json(&returns))
        }
        Tool::Move => {
            let args = operation(format!("*** Move File: folder/file -> {path}"));
            handlers.patch(args, &call).map(|returns| json(&returns))
        }
        Tool::Search => {
            let args = search_files::Args {
                pattern: "needle|root:".to_owned(),
                target: search_files::Target::Content,
                path,
                file_glob: None,
                output_mode: search_files::OutputMode::Content,
                context: 1,
                limit: 50,
                offset: 0,
            };
            handlers.search_files(args, &call).map(|returns| json(&returns))
        }
    }
}

fn json(returns: &impl ToJson) -> String {
    ToolOutput::typed(returns).as_json().to_owned()
}

/// A working directory, and what is outside of it: a folder with a secret, and a home with keys.
struct Site {
    dir: TempDir,
    /// The secret, as a file that this process has open.
    open: File,
}

impl Site {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join("outside")).unwrap();
        fs::write(dir.path().join("outside/secret"), "needle secret content\n").unwrap();
        let open = File::open(dir.path().join("outside/secret")).unwrap();
        let site = Self { dir, open };
        for key in ["home/.ssh/id_ed25519", "home/.aws/credentials"] {
            site.write(key, "needle secret content\n");
        }
        for name in ["file", "folder/file", "line\nbreak", "-rf"] {
            site.write(&format!("work/{name}"), "needle inside\n");
        }
        fs::write(site.path("work").join(OsStr::from_bytes(b"caf\xe9")), "needle inside\n").unwrap();
        for (target, name) in [
            ("../outside/secret", "link"),
            ("../outside", "out"),
            ("../outside/new", "dangling"),
            ("loop", "loop"),
            ("../home/.ssh/id_ed25519", "key"),
            ("/dev/zero", "zero"),
            ("/etc/passwd", "system"),
            ("pipe", "piped"),
        ] {
            symlink(target, site.path("work").join(name)).unwrap();
        }
        fs::hard_link(site.path("outside/secret"), site.path("work/hard")).unwrap();
        pipe(&site.path("work/pipe"));
        // The file of the socket stays.
        drop(UnixListener::bind(site.path("work/socket")).unwrap());
        File::create(site.path("work/sparse")).unwrap().set_len(1 << 34).unwrap();
        site
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// Returns the absolute path as a text.
    fn absolute(&self, path: &str) -> String {
        self.path(path).to_str().unwrap().to_owned()
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn open_file(&self) -> i32 {
        self.open.as_raw_fd()
    }

    /// Returns everything outside of the working directory, with its content.
    fn outside(&self) -> Vec<(PathBuf, Option<String>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.path("outside"), self.path("home")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found.push((path.clone(), fs::read_to_string(&path).ok()));
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

/// Returns handlers of a host that allows reading and writing only in the working directory.
fn narrow(site: &Site) -> FileHandlers {
    let folder = || [site.path("work")];
    let access = Access::new(toolc_catalog::commands::rules()).only_readable(folder()).only_writable(folder());
    wide(site).with_access(access)
}

/// Returns handlers with the default access.
fn wide(site: &Site) -> FileHandlers {
    FileHandlers::new(Workspace::new(site.path("work")).with_home(site.path("home")))
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}
