//! The folder of a job that the person sees is the one in which it works, however it is written. Where a path leads is what a shell says.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use toolc::approval::OwnedApprovalRequest;

use super::*;

/// A conversation in a folder with names and links that are easy to misread, and the folders in its questions.
struct Folders {
    conversation: Conversation,
    shown: Arc<Mutex<Vec<Value>>>,
    root: PathBuf,
    folder: TempDir,
}

fn folders(during: impl Fn(&Path) + Send + Sync + 'static) -> Folders {
    let folder = folder();
    let root = folder.path().canonicalize().unwrap();
    for name in ["a/b", "etc", "~/x", r"\x2fetc", "%2e%2e", "．．/ｅｔｃ", "‥", "...", "a\n", " a", "a ", "caf\u{e9}"]
    {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    for (target, link) in [("/etc", "link"), ("link", "link2"), ("..", "up"), ("a/b", "ab"), ("missing", "dangling")] {
        symlink(target, root.join(link)).unwrap();
    }
    let shown: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (seen, at) = (Arc::clone(&shown), root.clone());
    let answer = move |request: OwnedApprovalRequest| {
        seen.lock().unwrap().push(request.arguments["workdir"].clone());
        during(&at);
        ApprovalDecision::AllowOnce
    };
    let conversation = conversation_with(&folder, USUAL, |session| session.approver(approver_fn(answer)));
    Folders { conversation, shown, root, folder }
}

impl Folders {
    /// Makes a job, and checks that its folder is the one in the question. Returns the folder, and removes the job.
    #[track_caller]
    fn make(&self, workdir: Option<&str>) -> Option<PathBuf> {
        let response = self.conversation.call(&create(&json!({ "workdir": workdir })));
        let shown = std::mem::take(&mut *self.shown.lock().unwrap());
        let job = self.conversation.jobs.list().unwrap().pop()?;
        self.conversation.jobs.remove(job.id).unwrap();
        assert_eq!(shown, [json!(job.work.directory)], "{workdir:?}: the question");
        assert_eq!(response.value()["jobs"][0]["workdir"], json!(job.work.directory), "{workdir:?}: the result");
        Some(PathBuf::from(job.work.directory))
    }
}

/// Returns where a path leads, if that is a folder with a text as its path.
fn target(root: &Path, path: &str) -> Option<PathBuf> {
    if path.contains('\0') {
        return None;
    }
    // A relative path that begins with `-` is not an option, and one like `~` is not expanded.
    let line = r#"cd -P -- "$1" && pwd -P && printf x"#;
    let path = root.join(path);
    let output = Command::new("sh").args(["-c", line, "sh"]).arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).ok()?;
    text.strip_suffix("\nx").map(PathBuf::from)
}

/// Returns paths, 200 of them random.
fn paths() -> Vec<String> {
    let parts = [
        "a",
        "b",
        "ab",
        "up",
        "link",
        "link2",
        "dangling",
        "missing",
        "etc",
        "..",
        ".",
        "",
        "~",
        "x",
        r"\x2fetc",
        r"\x2e\x2e",
        "%2e%2e",
        "．．",
        "ｅｔｃ",
        "‥",
        "...",
        " a",
        "a ",
        "a\n",
        "-",
        "caf\u{e9}",
        "cafe\u{301}",
        "/etc",
        "state.db",
        "a\0",
        "/proc/self/cwd",
        "/",
    ];
    let mut seed = 5_u64;
    let mut random = |count: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 40).unwrap() % count
    };
    let random_path = |_| (0..=random(3)).map(|_| parts[random(parts.len())]).collect::<Vec<_>>().join("/");
    let random_paths: Vec<_> = (0..200).map(random_path).collect();
    let all = parts.iter().map(|part| (*part).to_owned()).chain(random_paths);
    // The process of the shell is another one.
    all.filter(|path| !path.is_empty() && !path.contains("/proc/self")).collect()
}

#[test]
fn the_person_sees_the_folder_in_which_a_job_works_however_it_is_written() {
    let it = folders(|_| ());
    assert_eq!(it.make(None), Some(it.root.clone()), "the default");
    let mut made = 0;
    for path in paths() {
        let expected = target(&it.root, &path);
        assert_eq!(it.make(Some(&path)), expected, "{path:?}");
        made += usize::from(expected.is_some());
    }
    assert!(made > 50, "{made} of the paths are those of folders");
    it.conversation.task.set_directory(it.root.join("ab"));
    assert_eq!(it.make(None), Some(it.root.join("a/b")), "a default that is a link");
    assert_eq!(it.make(Some("..")), Some(it.root.join("a")));
}

#[test]
fn a_folder_that_is_replaced_while_a_person_decides_is_refused() {
    let it = folders(|root| {
        for name in ["sub", "a/b"] {
            fs::remove_dir(root.join(name)).unwrap();
            symlink("/etc", root.join(name)).unwrap();
        }
    });
    let restore = || {
        for name in ["sub", "a/b"] {
            fs::remove_file(it.root.join(name)).unwrap();
            fs::create_dir(it.root.join(name)).unwrap();
        }
    };
    it.conversation.task.set_directory(it.root.join("sub"));
    for workdir in [None, Some("."), Some("../ab"), Some("../a/b")] {
        let response = it.conversation.call(&create(&json!({ "workdir": workdir })));
        assert_reply!(response, Err(Refused, "leads to `/etc`, which was not shown to the person"));
        restore();
    }
    let jobs = &it.conversation.jobs;
    assert_eq!(jobs.list().unwrap(), []);
    // So does a change of an existing job.
    it.conversation.task.set_directory(&it.root);
    it.conversation.call(&create(&json!({ "workdir": "etc" }))).value();
    restore();
    let update = json!({ "action": "update", "job_id": "1", "workdir": "sub" });
    assert_reply!(it.conversation.call(&update), Err(Refused, "leads to `/etc`"));
    assert_eq!(jobs.get(1).unwrap().unwrap().work.directory, it.root.join("etc").to_str().unwrap());
}

#[test]
fn the_question_about_an_existing_job_names_its_folder() {
    let it = folders(|_| ());
    let asked = conversation(&it.folder, USUAL);
    asked.call(&create(&json!({ "workdir": "a\n" }))).value();
    asked.questions();
    for action in ["run", "pause", "resume", "remove"] {
        asked.call(&json!({ "action": action, "job_id": "1" })).value();
        let [question] = &asked.questions()[..] else { panic!("one question") };
        assert!(question.contains(&format!(r"in `{}/a\n`", it.root.display())), "{question}");
    }
}

#[test]
fn a_folder_whose_path_is_not_a_text_is_refused() {
    if cfg!(target_os = "macos") {
        return;
    }
    let it = folders(|_| ());
    fs::create_dir(it.root.join(std::ffi::OsString::from_vec(b"caf\xe9".to_vec()))).unwrap();
    symlink(std::ffi::OsString::from_vec(b"caf\xe9".to_vec()), it.root.join("to-latin")).unwrap();
    let response = it.conversation.call(&create(&json!({ "workdir": "to-latin" })));
    assert_reply!(response, Err(Failed, "a name that is not UTF-8"));
}
