//! Answers for the session: a rule, below a directory.

use std::collections::BTreeMap;

use toolc_commands::{Entry, FileId, FileSystem, NamedEntry};

use super::*;

/// Returns whether a second command asks after a first one was approved for the session.
fn asks_after(first: &str, second: &Value) -> bool {
    let person = Person::new([ApprovalDecision::AllowForSession]);
    let turn = turn(commands(), |s| s.approver(Arc::clone(&person) as _));
    assert_eq!((run(&turn, first), person.asked()), ("ran".to_owned(), 1));
    assert_eq!(call(&turn, "terminal", second), "ran");
    person.asked() > 0
}

#[test]
fn an_answer_covers_the_rule_below_the_directory() {
    for covered in [
        "rm -rf build",
        "rm -rf other/deep",
        "rm -r ./x/../y",
        "rm -rf /w/app/z",
        "cd sub && rm -rf x",
        "sudo rm -rf q",
    ] {
        assert!(!asks_after(ASKS, &json!({"command": covered})), "{covered}");
    }
    for open in [
        "rm -rf ../sibling",
        "rm -rf build/../../sibling",
        "rm -rf /w/app2",
        "rm -rf /w",
        "rm -rf ~/x",
        "rm -rf build /w/sibling",
        "cd .. && rm -rf sibling",
        "cd sub; rm -rf ../x ../../y",
        "rm -rf \"$X\"",
        "rm -rf \"$(cat list)\"",
        "rm -rf $OUT/x",
        "ls | xargs rm -rf",
        "find /srv -exec rm -r {} +",
        "env -C /srv rm -rf x",
        "git push --force",
        "rm -rf build && git push --force",
    ] {
        assert!(asks_after(ASKS, &json!({"command": open})), "{open}");
    }
}

#[test]
fn the_working_directory_of_the_call_counts() {
    assert!(!asks_after(ASKS, &json!({"command": ASKS, "workdir": "sub"})));
    assert!(!asks_after(ASKS, &json!({"command": "rm -rf ../build", "workdir": "sub"})));
    assert!(asks_after(ASKS, &json!({"command": ASKS, "workdir": "../sibling"})));
    assert!(asks_after(ASKS, &json!({"command": ASKS, "workdir": "sub/../../sibling"})));
    assert!(asks_after(ASKS, &json!({"command": "git push --force", "workdir": "sub"})));
    assert!(!asks_after("git push --force", &json!({"command": "git push --force origin main", "workdir": "sub"})));
    assert!(asks_after("git push --force", &json!({"command": "git push --force", "workdir": "/w"})));
}

#[test]
fn a_path_elsewhere_is_covered_by_itself() {
    assert!(!asks_after("rm -rf /srv/old", &json!({"command": "rm -rf /srv/old"})));
    assert!(!asks_after("rm -rf /srv/old", &json!({"command": "rm -rf /srv/old/x build"})));
    assert!(asks_after("rm -rf /srv/old", &json!({"command": "rm -rf /srv/new"})));
}

#[test]
fn another_tool_or_session_asks_again() {
    let person = Person::new([ApprovalDecision::AllowForSession]);
    let tools = || [terminal("terminal"), terminal("second")];
    let turn = with_tools(tools(), commands(), |s| s.approver(Arc::clone(&person) as _));
    assert_eq!((run(&turn, ASKS), person.asked()), ("ran".to_owned(), 1));
    assert_eq!((call(&turn, "second", &json!({"command": ASKS})), person.asked()), ("ran".to_owned(), 1));
    let turn = with_tools(tools(), commands(), |s| s.approver(Arc::clone(&person) as _));
    assert_eq!((run(&turn, ASKS), person.asked()), ("ran".to_owned(), 1));
}

#[test]
fn an_answer_that_is_not_offered_counts_once() {
    for (config, command) in
        [(commands(), "rm -rf \"$X\""), (commands(), "rm -rf x; ls \u{202e}"), (CommandApproval::new(&RULES), ASKS)]
    {
        let person = Person::new([ApprovalDecision::AllowForSession, ApprovalDecision::AllowAlways]);
        let turn = turn(config, |s| s.approver(Arc::clone(&person) as _));
        for _ in 0..3 {
            assert_eq!((run(&turn, command), person.asked()), ("ran".to_owned(), 1), "{command}");
        }
    }
}

#[test]
fn what_is_denied_stays_denied() {
    let person = Person::new([ApprovalDecision::AllowForSession]);
    let turn = turn(commands().directory("/"), |s| s.approver(Arc::clone(&person) as _));
    assert_eq!((run(&turn, ASKS), person.asked()), ("ran".to_owned(), 1));
    assert_eq!((run(&turn, DENIED), person.asked()), ("denied".to_owned(), 0));
    // A variable that may be `/etc`: the rule that denies may match.
    assert_eq!((run(&turn, "rm -rf \"$X\""), person.asked()), ("ran".to_owned(), 1));
}

/// A file system in which everything exists, with links that can change.
#[derive(Debug, Default)]
struct Links(Mutex<BTreeMap<String, String>>);

impl Links {
    fn link(&self, path: &str, target: &str) {
        self.0.lock().unwrap().insert(path.to_owned(), target.to_owned());
    }
}

impl FileSystem for Links {
    fn entry(&self, path: &str) -> Option<Entry> {
        let folder = Entry::Folder { id: FileId { device: 1, inode: 1 }, is_mounted: false };
        let linked = FileId { device: 1, inode: 2 };
        if path.ends_with("/linked") {
            return Some(Entry::File { id: linked, has_other_paths: true });
        }
        Some(self.0.lock().unwrap().get(path).map_or(folder, |target| Entry::Link(target.clone())))
    }

    fn names(&self, folder: &str, _: usize) -> Vec<NamedEntry> {
        let links = self.0.lock().unwrap();
        let names = links.keys().filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'));
        names.map(|name| NamedEntry { name: name.to_owned(), is_link: true, is_folder: false }).collect()
    }
}

#[test]
fn an_answer_covers_where_links_lead_when_it_is_used() {
    let files = Arc::new(Links::default());
    let person = Person::new([ApprovalDecision::AllowForSession]);
    let turn = turn(commands().files(Arc::clone(&files) as _), |s| s.approver(Arc::clone(&person) as _));
    let asks = |line: &str| {
        assert_eq!(run(&turn, line), "ran", "{line}");
        person.asked() > 0
    };
    assert!(asks("rm -rf x"));
    assert!(!asks("rm -rf x/a"));
    files.link("/w/app/x", "/victim");
    files.link("/w/app/up", "..");
    files.link("/w/app/chain", "x/../victim");
    files.link("/w/app/inside", "/w/app/build");
    for open in [
        "rm -rf x/a",
        "rm -rf x/*",
        "rm -rf ./x/a",
        "rm -rf build x/a",
        "rm -rf chain/a",
        "rm -rf up/sibling",
        "rm -rf up/../etc2",
        "rm -rf [x]/a",
        "cd x && rm -rf a",
        "sudo rm -rf x/a",
        "rm -rf /proc/self/root/victim",
        "rm -rf /proc/self/cwd/x/a",
        "ln -s /victim new; rm -rf new/a",
        "ln -s x new && rm -rf new/a",
        "mv /victim new; rm -rf new/a",
    ] {
        assert!(asks(open), "{open}");
    }
    for covered in ["rm -rf x", "rm -rf inside/a", "rm -rf build/a", "rm -rf linked"] {
        assert!(!asks(covered), "{covered}");
    }
}

#[test]
fn a_command_whose_paths_lead_through_links_is_not_approved_permanently() {
    let (files, store) = (Arc::new(Links::default()), Arc::new(Store::default()));
    let person = Person::new([ApprovalDecision::AllowAlways]);
    let config = commands().files(Arc::clone(&files) as _).store(Arc::clone(&store) as _);
    let turn = turn(config, |s| s.approver(Arc::clone(&person) as _));
    let asks = |line: &str| {
        assert_eq!(run(&turn, line), "ran", "{line}");
        person.asked() > 0
    };
    assert!(asks("rm -rf x/a") && !asks("rm -rf x/a"));
    files.link("/w/app/x", "/victim");
    assert!(asks("rm -rf x/a"), "the link is newer than the approval");
    assert!(asks("rm -rf x/a"), "nothing is stored for what the command names now");
}
