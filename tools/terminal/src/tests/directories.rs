//! A command is judged, shown, recorded and approved in the directory in which it starts, however that is written. Where it starts is
//! what the shell itself says.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{Arc, Mutex};

use toolc::Env;
use toolc::approval::{
    ApprovalDecision, ApprovalLog, ApprovalReason, ApprovalRecord, ApprovalStore, CommandApproval,
    OwnedApprovalRequest, StoredCommand, approver_fn,
};
use toolc::testing::Harness;

use super::*;

/// A command that needs approval in every directory, and prints the bytes of the directory in which it runs.
const WHERE: &str = "dd if=/dev/null of=/dev/null count=0 2> /dev/null; pwd -P | od -An -v -tx1";

/// A part of the host, and the directory that it has seen.
type SeenDirectory = (&'static str, Option<String>);

/// The directories that the parts of the host have seen, since they were last taken.
#[derive(Debug, Default, Clone)]
struct Seen(Arc<Mutex<Vec<SeenDirectory>>>);

impl Seen {
    fn add(&self, part: &'static str, directory: Option<&str>) {
        self.0.lock().unwrap().push((part, directory.map(str::to_owned)));
    }

    fn take(&self) -> Vec<(&'static str, Option<String>)> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn answer(&self, request: &OwnedApprovalRequest) -> ApprovalDecision {
        for reason in &request.reasons {
            if let ApprovalReason::Command(reason) = reason {
                self.add("question", reason.directory.as_deref());
            }
        }
        ApprovalDecision::AllowAlways
    }
}

impl ApprovalLog for Seen {
    fn decided(&self, record: &ApprovalRecord<'_>) {
        self.add("log", record.directory);
    }
}

impl ApprovalStore for Seen {
    fn contains(&self, _: &StoredCommand) -> bool {
        false
    }

    fn add(&self, command: &StoredCommand) -> Result<(), String> {
        Seen::add(self, "store", Some(&command.directory));
        Ok(())
    }
}

struct Session {
    harness: Harness,
    root: PathBuf,
    seen: Seen,
    _dir: TempDir,
}

/// Returns whether the system can have such a name: macOS has only texts.
fn can_exist(name: &[u8]) -> bool {
    !cfg!(target_os = "macos") || std::str::from_utf8(name).is_ok()
}

/// Makes a session on this machine, in a folder with names and links that are easy to misread.
fn session() -> Session {
    session_in(|environments| environments)
}

fn session_in(offer: impl FnOnce(Environments) -> Environments) -> Session {
    let dir = TempDir::new().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in [
        &b"a/b/c"[..],
        b"etc",
        b"~/x",
        b"~root",
        br"\x2fetc",
        br"\057etc",
        b"%2fetc",
        b"%2e%2e",
        b"$HOME",
        b"caf\xe9/\xff",
        "caf\u{e9}".as_bytes(),
        "cafe\u{301}".as_bytes(),
        "．．/ｅｔｃ".as_bytes(),
        "／etc".as_bytes(),
        "‥".as_bytes(),
        b"...",
        b"a ",
        b" a",
        b"a\n",
        b"-P",
    ] {
        if can_exist(name) {
            fs::create_dir_all(root.join(OsStr::from_bytes(name))).unwrap();
        }
    }
    for (target, link) in [
        ("/etc", "link"),
        ("link", "link2"),
        ("./link2/../etc", "link3"),
        ("..", "up"),
        ("a/b", "ab"),
        ("loop", "loop"),
        ("missing/../../etc", "dangling"),
        ("/proc/self/cwd", "own"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    let seen = Seen::default();
    let workspace = Workspace::new(&root).with_home(root.join("a"));
    let environments = offer(Environments::local(&workspace));
    let handlers = TerminalHandlers::new(workspace).environments(environments);
    let harness = Harness::with_session(toolc_catalog::terminal::provider(handlers), |session| {
        let commands = CommandApproval::new(toolc_catalog::commands::rules()).log(Arc::new(seen.clone()));
        // Another directory and another home than those of the handlers, so that a guess by them would show.
        let commands = commands.store(Arc::new(seen.clone())).directory("/srv/other").home("/home/other");
        let asked = seen.clone();
        session
            .env(Env::empty().with_program("sh"))
            .commands(commands)
            .approver(approver_fn(move |request| asked.answer(&request)))
    });
    Session { harness, root, seen, _dir: dir }
}

impl Session {
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        serde_json::from_str(&self.harness.call(tool, arguments).response().json).unwrap()
    }

    /// Checks that every part has seen the directory in which the shell was, if it ran. Returns the directory.
    #[track_caller]
    fn check(&self, output: &str, can_be_stored: bool, about: &str) -> Option<PathBuf> {
        let seen = self.seen.take();
        let hex = output.split_ascii_whitespace().map(|byte| u8::from_str_radix(byte, 16));
        let mut bytes: Vec<u8> = hex.collect::<Result<_, _>>().ok()?;
        if bytes.pop() != Some(b'\n') {
            return None;
        }
        let ran = PathBuf::from(OsStr::from_bytes(&bytes));
        let judged = ran.to_str().map(str::to_owned);
        // A directory without a text is unknown to the judge, and cannot be approved permanently.
        let is_stored = can_be_stored && judged.is_some();
        let parts: &[&str] = if is_stored { &["question", "store", "log"] } else { &["question", "log"] };
        let expected: Vec<_> = parts.iter().map(|part| (*part, judged.clone())).collect();
        assert_eq!(seen, expected, "{about}: it ran in {}", ran.display());
        Some(ran)
    }

    /// Runs a command in a directory, and returns where it ran, if it did.
    #[track_caller]
    fn run_in(&self, workdir: Option<&str>) -> Option<PathBuf> {
        let result = self.call("terminal", &json!({"command": WHERE, "workdir": workdir}));
        self.check(result["output"].as_str().unwrap_or_default(), true, &format!("{workdir:?}: {result}"))
    }

    /// Types the command into a shell that was started in a directory, and returns where that is.
    #[track_caller]
    fn type_in(&self, workdir: &str) -> Option<PathBuf> {
        let started = self.call("terminal", &json!({"command": "sh", "workdir": workdir, "background": true}));
        let id = started["session_id"].as_str()?;
        self.call("process", &json!({"action": "submit", "session_id": id, "data": WHERE}));
        self.call("process", &json!({"action": "close", "session_id": id}));
        let ended = self.call("process", &json!({"action": "wait", "session_id": id}));
        self.check(ended["output"].as_str().unwrap_or_default(), false, &format!("{workdir:?}: {ended}"))
    }
}

/// Where each spelling leads: below the root of the session for a relative path. `None` if nothing runs.
fn spellings() -> Vec<(String, Option<&'static [u8]>)> {
    let cases: &[(&str, Option<&[u8]>)] = &[
        ("/etc", Some(b"/etc")),
        (r"\x2fetc", Some(b"/etc")),
        (r"\x2Fetc", Some(b"/etc")),
        (r"\x2f\x65\x74\x63", Some(b"/etc")),
        (r"a/\x2e\x2e/etc", Some(b"etc")),
        (r"\x2e\x2e\x2f\x2e\x2e\x2f\x2e\x2e\x2fetc", Some(b"/etc")),
        (r"\x5cx2fetc", Some(br"\x2fetc")),
        (r"\057etc", Some(br"\057etc")),
        (r"\x7e/x", Some(b"~/x")),
        (r"\x7e", Some(b"~")),
        ("~", Some(b"a")),
        ("~/", Some(b"a")),
        ("~/b", Some(b"a/b")),
        (r"~/\x2e\x2e/etc", Some(b"etc")),
        (r"~\x2fb", None),
        ("~root", Some(b"~root")),
        ("./~/x", Some(b"~/x")),
        ("~/../../../../etc", Some(b"/etc")),
        ("//etc//.//", Some(b"/etc")),
        ("/./etc/.", Some(b"/etc")),
        ("/etc/../etc/", Some(b"/etc")),
        ("etc/.", Some(b"etc")),
        ("a/b/../..", Some(b"")),
        ("ab/..", Some(b"a")),
        ("link", Some(b"/etc")),
        ("link2/.", Some(b"/etc")),
        ("link3", Some(b"/etc")),
        (r"lin\x6b", Some(b"/etc")),
        ("link/..", Some(b"/")),
        ("link/../etc", Some(b"/etc")),
        ("loop", None),
        ("dangling", None),
        ("missing", None),
        ("missing/../a", Some(b"a")),
        (r"a\x00", None),
        (r"etc\x00/../a", Some(b"a")),
        ("a\0", None),
        ("%2fetc", Some(b"%2fetc")),
        ("%2e%2e", Some(b"%2e%2e")),
        ("$HOME", Some(b"$HOME")),
        ("．．/ｅｔｃ", Some("．．/ｅｔｃ".as_bytes())),
        ("／etc", Some("／etc".as_bytes())),
        ("‥", Some("‥".as_bytes())),
        ("...", Some(b"...")),
        ("caf\u{e9}", Some("caf\u{e9}".as_bytes())),
        ("cafe\u{301}", Some("cafe\u{301}".as_bytes())),
        (r"caf\xe9", Some(b"caf\xe9")),
        (r"caf\xe9/\xff", Some(b"caf\xe9/\xff")),
        (r"a\x20", Some(b"a ")),
        (" a", Some(b" a")),
        (r"a\x0a", Some(b"a\n")),
        ("a\n", Some(b"a\n")),
        ("-P", Some(b"-P")),
        ("/etc/passwd", None),
        ("/etc/passwd/..", Some(b"/etc")),
    ];
    let long = [
        ("/.".repeat(2_000) + "/etc", Some(&b"/etc"[..])),
        ("a/../".repeat(1_000), Some(b"")),
        ("x".repeat(9_000), None),
    ];
    cases.iter().map(|(path, to)| ((*path).to_owned(), *to)).chain(long).collect()
}

#[test]
fn a_command_runs_where_it_was_judged_however_the_directory_is_written() {
    let session = session();
    for (path, to) in spellings() {
        let expected = to
            .filter(|to| can_exist(to))
            .map(|to| session.root.join(OsStr::from_bytes(to)).components().collect::<PathBuf>());
        assert_eq!(session.run_in(Some(&path)), expected, "{path:?}");
    }
}

/// What random paths are made of: names, and what is between them.
const PARTS: &[&str] = &[
    "a",
    "b",
    "ab",
    "up",
    "link",
    "link2",
    "link3",
    "own",
    "loop",
    "dangling",
    "missing",
    "etc",
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
    r"\x2fetc",
    r"\057",
    r"\x7e",
    "%2e%2e",
    "．．",
    "...",
    " ",
    r"caf\xe9",
    r"\xff",
    r"\x0a",
    "$HOME",
    "-P",
];
const JOINS: &[&str] = &["/", "/", "/", "//", "/./", "", r"\x2f", "／"];

/// Returns this number of random paths.
fn random_paths(count: usize) -> Vec<String> {
    let mut seed = 7_u64;
    let mut random = |count: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 40).unwrap() % count
    };
    let mut path = |_| {
        let mut path = String::new();
        for _ in 0..=random(5) {
            path += PARTS[random(PARTS.len())];
            path += JOINS[random(JOINS.len())];
        }
        path
    };
    (0..count).map(&mut path).filter(|path| !path.is_empty()).collect()
}

#[test]
fn any_spelling_of_a_directory_runs_where_it_was_judged() {
    let session = session();
    let ran = random_paths(400).iter().filter(|path| session.run_in(Some(path)).is_some()).count();
    assert!(ran > 50, "{ran} of the paths are those of folders");
}

/// Returns the kind of sandboxes, or `None` if none can be made here.
#[cfg(target_os = "linux")]
fn sandbox() -> Option<toolc_environment::SandboxKind> {
    use toolc_environment::Kind as _;
    let kind = toolc_environment::SandboxKind::default();
    if let Err(missing) = kind.check() {
        toolc_test_support::skip(format!("no sandbox can be made: {missing}"), toolc_test_support::SANDBOX);
        return None;
    }
    Some(kind)
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_in_a_sandbox_runs_where_it_was_judged() {
    let Some(kind) = sandbox() else { return };
    let session = session_in(|all| all.with_kind(kind).by_default("sandbox"));
    let table = spellings().into_iter().map(|(path, _)| path);
    let ran = table.chain(random_paths(40)).filter(|path| session.run_in(Some(path)).is_some()).count();
    assert!(ran > 40, "{ran} of the paths are those of folders");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_replaced_while_a_person_decides_is_refused_in_a_sandbox() {
    for (how, replace) in REPLACEMENTS {
        let Some(kind) = sandbox() else { return };
        let dir = TempDir::new().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let workspace = Workspace::new(&root);
        let environments = Environments::local(&workspace).with_kind(kind).by_default("sandbox");
        let handlers = TerminalHandlers::new(workspace).environments(environments);
        let harness = replacing(handlers, &root, *replace);
        let refused =
            harness.call("terminal", json!({"command": format!("{WHERE}; touch ran"), "workdir": "sub"})).value();
        let output = refused["output"].as_str().unwrap();
        assert!(output.contains("has taken the place of the working directory"), "{how}: {refused}");
        assert_eq!(refused["exit_code"], 125);
        assert!(!root.join("other/ran").exists() && !root.join("sub/ran").exists(), "{how}");
    }
}

/// Replaces the folder `sub` in a folder.
type Replace = fn(&Path);

/// What takes the place of a folder.
const REPLACEMENTS: &[(&str, Replace)] = &[
    ("a link to another folder", |root| {
        fs::remove_dir(root.join("sub")).unwrap();
        symlink("other", root.join("sub")).unwrap();
    }),
    ("another folder", |root| {
        fs::rename(root.join("sub"), root.join("old")).unwrap();
        fs::rename(root.join("other"), root.join("sub")).unwrap();
    }),
    ("a new folder", |root| {
        fs::rename(root.join("sub"), root.join("old")).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
    }),
];

/// Returns a session in which the folder `sub` is replaced while a person decides.
fn replacing(handlers: TerminalHandlers, root: &Path, replace: Replace) -> Harness {
    for folder in ["sub", "other"] {
        fs::create_dir(root.join(folder)).unwrap();
    }
    let root = root.to_owned();
    Harness::with_session(toolc_catalog::terminal::provider(handlers), |session| {
        session
            .env(Env::empty().with_program("sh"))
            .commands(CommandApproval::new(toolc_catalog::commands::rules()))
            .approver(approver_fn(move |_| {
                replace(&root);
                ApprovalDecision::AllowOnce
            }))
    })
}

#[test]
fn input_is_judged_where_its_shell_was_started() {
    let cases: &[(&str, Option<&[u8]>)] = &[
        (r"\x2fetc", Some(b"/etc")),
        (r"\x2e\x2e/\x2e\x2e/\x2e\x2e", Some(b"/")),
        ("link2", Some(b"/etc")),
        ("link/..", Some(b"/")),
        ("~", Some(b"a")),
        (r"\x7e", Some(b"~")),
        (r"caf\xe9", Some(b"caf\xe9")),
        ("ab/..", Some(b"a")),
        ("dangling", None),
    ];
    for (path, to) in cases {
        // An answer for the session would cover the next case.
        let session = session();
        let expected = to.filter(|to| can_exist(to)).map(|to| session.root.join(OsStr::from_bytes(to)));
        assert_eq!(session.type_in(path), expected, "{path}");
    }
}

#[test]
fn the_directory_of_the_shell_is_judged_where_it_is() {
    let session = session();
    let cd = |to: &str| session.call("terminal", &json!({"command": format!("cd {to}")}));
    for (to, expected) in [("link2", "/etc"), ("-P /etc/..", "/"), ("/proc/self/cwd", "/"), ("/etc", "/etc")] {
        cd(to);
        session.seen.take();
        assert_eq!(session.run_in(None).unwrap(), Path::new(expected), "cd {to}");
    }
    assert_eq!(session.run_in(Some("../proc/..")).unwrap(), Path::new("/"));
    assert_eq!(session.run_in(Some(r"\x2e")).unwrap(), Path::new("/etc"), "relative to the shell");
    // A command can write the record of its shell itself: with a path that leads elsewhere, it only leads itself astray.
    let forged = format!("{}/link/..", session.root.display());
    let line = r#"trap "$(trap | sed "s|command pwd -P|echo FORGED|")" EXIT"#.replace("FORGED", &forged);
    session.call("terminal", &json!({"command": format!("eval '{line}'")}));
    session.seen.take();
    assert!(session.run_in(None).is_some());
}

#[test]
fn the_directory_of_a_task_that_is_a_link_is_judged_as_its_target() {
    let session = session();
    session.harness.session().task().set_directory(session.root.join("link2"));
    assert_eq!(session.run_in(None).unwrap(), Path::new("/etc"));
    assert_eq!(session.run_in(Some("..")).unwrap(), Path::new("/"));
}

#[test]
fn a_folder_that_is_replaced_while_a_person_decides_is_refused() {
    for (how, replace) in REPLACEMENTS {
        for background in [false, true] {
            let dir = TempDir::new().unwrap();
            let root = dir.path().canonicalize().unwrap();
            let harness = replacing(TerminalHandlers::new(Workspace::new(&root)), &root, *replace);
            let command = format!("{WHERE}; touch ran");
            let arguments = json!({"command": command, "workdir": "sub", "background": background});
            let refused = harness.call("terminal", arguments).response().json.clone();
            assert!(refused.contains("has changed since the command was judged"), "{how}: {refused}");
            assert!(!root.join("other/ran").exists() && !root.join("sub/ran").exists(), "{how}");
        }
    }
}

#[test]
fn the_directory_is_found_without_a_judge_too() {
    let f = fixture();
    fs::create_dir(f.path().join("sub")).unwrap();
    symlink("sub", f.path().join("link")).unwrap();
    for workdir in ["sub", "link", r"\x73ub"] {
        let ran = value(f.terminal(terminal::Args { workdir: Some(workdir.to_owned()), ..args("pwd") }));
        assert_eq!(ran["output"].as_str().unwrap().trim(), f.path().join("sub").to_str().unwrap());
    }
}
