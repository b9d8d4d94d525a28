//! A script, and each command that it runs, is judged, shown, recorded and approved in the directory in which it runs, wherever earlier
//! scripts have gone.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{Arc, Mutex};

use toolc::approval::{
    ApprovalLog, ApprovalReason, ApprovalRecord, ApprovalStore, CommandApproval, OwnedApprovalRequest, StoredCommand,
};

use super::*;

/// A command that needs approval in every directory, and prints the bytes of the directory in which it runs.
const WHERE: &str = "dd if=/dev/null of=/dev/null count=0 2> /dev/null; pwd -P | od -An -v -tx1";

/// A part of the host, the tool of a call, and the directory that the part has seen.
type SeenDirectory = (&'static str, String, Option<String>);

/// The directories that the parts of the host have seen, since they were last taken.
#[derive(Debug, Default, Clone)]
struct Seen(Arc<Mutex<Vec<SeenDirectory>>>);

impl Seen {
    fn add(&self, part: &'static str, tool: &str, directory: Option<&str>) {
        self.0.lock().unwrap().push((part, tool.to_owned(), directory.map(str::to_owned)));
    }

    fn answer(&self, request: &OwnedApprovalRequest) -> ApprovalDecision {
        for reason in &request.reasons {
            if let ApprovalReason::Command(reason) = reason {
                self.add("question", &request.tool, reason.directory.as_deref());
            }
        }
        ApprovalDecision::AllowAlways
    }

    /// Returns what was seen about calls of a tool, and forgets everything.
    fn take(&self, tool: &str) -> Vec<(&'static str, Option<String>)> {
        let seen = std::mem::take(&mut *self.0.lock().unwrap());
        seen.into_iter().filter(|(_, of, _)| of == tool).map(|(part, _, directory)| (part, directory)).collect()
    }
}

impl ApprovalLog for Seen {
    fn decided(&self, record: &ApprovalRecord<'_>) {
        self.add("log", record.tool, record.directory);
    }
}

impl ApprovalStore for Seen {
    fn contains(&self, _: &StoredCommand) -> bool {
        false
    }

    fn add(&self, command: &StoredCommand) -> Result<(), String> {
        Seen::add(self, "store", &command.tool, Some(&command.directory));
        Ok(())
    }
}

/// What the parts of the host see of something that runs in a directory. A directory without a text is unknown, and cannot be approved
/// permanently.
fn expected(directory: &Path) -> Vec<(&'static str, Option<String>)> {
    let text = directory.to_str().map(str::to_owned);
    let parts: &[&str] = if text.is_some() { &["question", "store", "log"] } else { &["question", "log"] };
    parts.iter().map(|part| (*part, text.clone())).collect()
}

/// Returns a session in a folder with names and links that are easy to misread.
fn session() -> Option<(Fixture, Seen)> {
    let seen = Seen::default();
    let asked = seen.clone();
    // Another directory than that of the handlers, so that a guess by them would show.
    let commands = CommandApproval::new(toolc_catalog::commands::rules()).directory("/srv/other");
    let commands = commands.log(Arc::new(seen.clone())).store(Arc::new(seen.clone()));
    let it = fixture_with(Limits::default(), |session| {
        session.commands(commands).approver(approver_fn(move |request| asked.answer(&request)))
    })?;
    let root = it.path();
    for name in ["a/b", "etc", "~/x", r"\x2fetc", "%2e%2e", "．．/ｅｔｃ", "...", "a\n", " a", "-P", "caf\u{e9}"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    if !cfg!(target_os = "macos") {
        fs::create_dir_all(root.join(OsStr::from_bytes(b"caf\xe9/\xff"))).unwrap();
    }
    for (target, link) in [("/etc", "link"), ("link", "link2"), ("..", "up"), ("a/b", "ab"), ("missing", "dangling")] {
        symlink(target, root.join(link)).unwrap();
    }
    Some((it, seen))
}

/// Returns the path whose bytes a script has printed in hexadecimal digits.
fn path_of(hex: &str) -> PathBuf {
    let hex: String = hex.chars().filter(char::is_ascii_hexdigit).collect();
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
    PathBuf::from(OsStr::from_bytes(&bytes))
}

/// Returns paths for `os.chdir`, some of which lead nowhere.
fn paths() -> Vec<Vec<u8>> {
    let parts: &[&[u8]] = &[
        b"a",
        b"b",
        b"ab",
        b"up",
        b"link",
        b"link2",
        b"dangling",
        b"missing",
        b"etc",
        b"..",
        b".",
        b"",
        b"~",
        b"x",
        br"\x2fetc",
        b"%2e%2e",
        "．．".as_bytes(),
        "ｅｔｃ".as_bytes(),
        b"...",
        b" a",
        b"a\n",
        b"-P",
        "caf\u{e9}".as_bytes(),
        b"caf\xe9",
        b"\xff",
        b"/etc",
        b"/proc/self/cwd",
        b"/",
    ];
    let mut seed = 11_u64;
    let mut random = |count: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 40).unwrap() % count
    };
    let random_path = |_| (0..=random(3)).map(|_| parts[random(parts.len())]).collect::<Vec<_>>().join(&b'/');
    let random_paths: Vec<_> = (0..100).map(random_path).collect();
    parts.iter().map(|part| part.to_vec()).chain(random_paths).filter(|path| !path.is_empty()).collect()
}

/// Returns Python code for a text of bytes.
fn bytes_literal(bytes: &[u8]) -> String {
    format!("bytes({bytes:?})")
}

#[test]
fn a_script_is_judged_where_earlier_scripts_have_gone() {
    let Some((it, seen)) = session() else { return };
    assert_eq!(path_of(&it.result("import os; os.getcwdb().hex()")), it.path());
    assert_eq!(seen.take("execute_code"), expected(&it.path()), "the first script");
    let (root, mut moved) = (bytes_literal(it.path().as_os_str().as_bytes()), 0);
    for path in paths() {
        let code = format!("os.chdir({root})\ntry: os.chdir({})\nexcept OSError: pass", bytes_literal(&path));
        it.run(&code);
        seen.take("execute_code");
        let ran = path_of(&it.result("os.getcwdb().hex()"));
        assert_eq!(seen.take("execute_code"), expected(&ran), "{:?}", String::from_utf8_lossy(&path));
        moved += usize::from(ran != it.path());
    }
    assert!(moved > 30, "{moved} of the paths are those of other folders");
}

#[test]
fn the_commands_of_a_script_run_where_they_are_judged_wherever_the_script_is() {
    let Some((it, seen)) = session() else { return };
    let root = it.path();
    for (workdir, directory) in [
        (None, root.clone()),
        (Some("."), root.clone()),
        (Some("a/b/.."), root.join("a")),
        (Some("link/.."), "/".into()),
        (Some(r"\x2fetc"), "/etc".into()),
        (Some("./~/x"), root.join("~/x")),
        (Some(r"a\x0a"), root.join("a\n")),
        (Some("．．/ｅｔｃ"), root.join("．．/ｅｔｃ")),
    ] {
        for place in ["/", "/usr", "/proc/self/cwd/etc", "/etc"] {
            let arguments = workdir.map_or_else(String::new, |workdir| format!(", workdir={workdir:?}"));
            let code = format!(
                "import os\nos.chdir({place:?})\noutput = toolc_tools.terminal({WHERE:?}{arguments})['output']\n\
                 os.chdir({root:?})\noutput"
            );
            let hex: String = it.result(&code).chars().filter(char::is_ascii_hexdigit).collect();
            let ran = path_of(hex.strip_suffix("0a").expect("a path and a line break"));
            assert_eq!(ran, directory, "{workdir:?} from {place}");
            assert_eq!(seen.take("terminal"), expected(&directory), "{workdir:?} from {place}");
        }
    }
}

#[test]
fn a_script_does_not_run_in_a_directory_that_is_replaced_while_a_person_decides() {
    type Replace = fn(&Path);
    let swap: Arc<Mutex<Option<(PathBuf, Replace)>>> = Arc::default();
    let asked = Arc::clone(&swap);
    let approver = approver_fn(move |_| {
        if let Some((path, replace)) = asked.lock().unwrap().take() {
            fs::rename(&path, path.with_extension("old")).unwrap();
            replace(&path);
        }
        ApprovalDecision::AllowOnce
    });
    let with_link: Replace = |path| symlink("/etc", path).unwrap();
    let with_folder: Replace = |path| fs::create_dir(path).unwrap();
    let commands = CommandApproval::new(toolc_catalog::commands::rules());
    let Some(it) = fixture_with(Limits::default(), |session| session.commands(commands).approver(approver)) else {
        return;
    };
    let later = Some("import os; os.chdir('../second')");
    for (number, (name, before, replace)) in [
        ("first", None, with_link),
        ("second", later, with_link),
        ("first", None, with_folder),
        ("second", later, with_folder),
    ]
    .into_iter()
    .enumerate()
    {
        let root = it.path().join(number.to_string());
        let (task, path) = (Task::new(&*number.to_string()), root.join(name));
        fs::create_dir_all(root.join("first")).unwrap();
        fs::create_dir_all(&path).unwrap();
        task.set_directory(root.join("first"));
        if let Some(code) = before {
            assert_eq!(it.run_in(&task, code).get("error"), None);
        }
        *swap.lock().unwrap() = Some((path.clone(), replace));
        let arguments = json!({ "code": "1" }).to_string();
        let refused =
            it.harness.send(&ToolCall::new("execute_code", &arguments).with_task(&task)).response().json.clone();
        // The environment does not start the interpreter, or the interpreter does not run the script.
        let texts = ["has taken the place of the working directory", "has changed since the script was judged"];
        assert!(texts.iter().any(|text| refused.contains(text)), "{number}: {refused}");
    }
}

#[test]
fn the_first_script_of_a_task_is_judged_in_the_target_of_a_link() {
    let Some((it, seen)) = session() else { return };
    let task = Task::new("t");
    task.set_directory(it.path().join("link2"));
    let value = it.run_in(&task, "import os; os.getcwd()");
    assert_eq!(value["result"], "'/etc'");
    assert_eq!(seen.take("execute_code"), expected(Path::new("/etc")));
}

#[test]
fn an_approval_for_a_directory_does_not_cover_a_script_that_runs_elsewhere() {
    let count: Arc<Mutex<usize>> = Arc::default();
    let asked = Arc::clone(&count);
    let approver = approver_fn(move |_| {
        *asked.lock().unwrap() += 1;
        ApprovalDecision::AllowForSession
    });
    let commands = CommandApproval::new(toolc_catalog::commands::rules());
    let Some(it) = fixture_with(Limits::default(), |session| session.commands(commands).approver(approver)) else {
        return;
    };
    let asked = || *count.lock().unwrap();
    fs::create_dir(it.path().join("sub")).unwrap();
    it.run("import os");
    it.run("os.chdir('sub')");
    it.run("os.chdir('/etc')");
    assert_eq!(asked(), 1, "the directory and what is below it");
    it.run("os.getcwd()");
    assert_eq!(asked(), 2, "another directory");
    // What a script says about its directory does not move an approval.
    it.run("os.chdir('/'); os.getcwd = lambda: '/nowhere/..'");
    let error = it.run("open('ran', 'w')");
    assert!(error["error"]["message"].is_string(), "{error:#}");
}
