//! Permanent approvals: exact words, in a directory and an environment.

use super::*;
use crate::call::hooks::{CallInfo, Hook, HostError};

fn stored(config: CommandApproval, store: &Arc<Store>, person: &Arc<Person>) -> Turn {
    turn(config.store(Arc::clone(store) as _), |s| s.approver(Arc::clone(person) as _))
}

#[test]
fn equal_words_do_not_ask_again() {
    let (store, person) = (Arc::new(Store::default()), Person::new([ApprovalDecision::AllowAlways]));
    let first = stored(commands(), &store, &person);
    assert_eq!((run(&first, "rm -rf build && ls"), person.asked()), ("ran".to_owned(), 1));
    // Another session has the same store.
    let later = stored(commands(), &store, &person);
    for command in ["rm -rf build && ls", "  rm  -rf 'build'   && ls "] {
        assert_eq!((run(&later, command), person.asked()), ("ran".to_owned(), 0), "{command}");
    }
    for command in [
        "ls && rm -rf build",
        "rm build -rf && ls",
        "rm -rf build; ls",
        "rm -rf build || ls",
        "rm -rf build && ls > x",
        "rm -rf build && ls -a",
        "sudo rm -rf build && ls",
        "rm -rf build",
    ] {
        assert_eq!((run(&later, command), person.asked()), ("ran".to_owned(), 1), "{command}");
    }
}

#[test]
fn another_directory_environment_or_tool_asks_again() {
    let (store, person) = (Arc::new(Store::default()), Person::new([ApprovalDecision::AllowAlways]));
    assert_eq!((run(&stored(commands(), &store, &person), ASKS), person.asked()), ("ran".to_owned(), 1));
    for config in [commands().directory("/w/other"), commands().environment("docker"), CommandApproval::new(&RULES)] {
        assert_eq!((run(&stored(config, &store, &person), ASKS), person.asked()), ("ran".to_owned(), 1));
    }
    let turn = stored(commands(), &store, &person);
    let elsewhere = json!({"command": ASKS, "workdir": "sub"});
    assert_eq!((call(&turn, "terminal", &elsewhere), person.asked()), ("ran".to_owned(), 1));
    let same = json!({"command": ASKS, "workdir": "sub/.."});
    assert_eq!((call(&turn, "terminal", &same), person.asked()), ("ran".to_owned(), 0));
    assert_eq!((call(&turn, "other", &json!({"command": ASKS})), person.asked()), ("ran".to_owned(), 1));
}

#[test]
fn what_is_stored_runs_without_a_person() {
    let (store, person) = (Arc::new(Store::default()), Person::new([ApprovalDecision::AllowAlways]));
    assert_eq!((run(&stored(commands(), &store, &person), ASKS), person.asked()), ("ran".to_owned(), 1));
    let turn = stored(commands().mode(CommandMode::Deny), &store, &person);
    assert_eq!([ASKS, "rm -rf other"].map(|command| run(&turn, command)), ["ran", "denied"]);
}

#[test]
fn what_is_denied_is_not_looked_up() {
    let store = Arc::new(Store::default());
    let directory = "/w/app".to_owned();
    let commands_of = |words: &[&str]| vec![words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()];
    let forged = StoredCommand {
        tool: "terminal".to_owned(),
        environment: "local".to_owned(),
        directory,
        commands: commands_of(&["rm", "-rf", "/etc"]),
        structure: "_ _ _".to_owned(),
        line: String::new(),
    };
    for structure in ["___", "_ _ _"] {
        store.add(&StoredCommand { structure: structure.to_owned(), ..forged.clone() }).unwrap();
    }
    assert_eq!(run(&stored(commands(), &store, &Person::new([])), DENIED), "denied");
}

#[test]
fn the_key_identifies_a_stored_command() {
    let command = StoredCommand {
        tool: "t".to_owned(),
        environment: "local".to_owned(),
        directory: "/w".to_owned(),
        commands: vec![vec!["a\"b".to_owned()]],
        structure: "_".to_owned(),
        line: "a\\\"b".to_owned(),
    };
    assert_eq!(command.key(), r#"["t","local","/w","_",[["a\"b"]]]"#);
    let shown_otherwise = StoredCommand { line: "x".to_owned(), ..command.clone() };
    assert_eq!((&command, command.key()), (&shown_otherwise, shown_otherwise.key()));
    assert_ne!(command, StoredCommand { directory: "/v".to_owned(), ..command.clone() });
}

/// A store that fails.
struct Broken;

impl ApprovalStore for Broken {
    fn contains(&self, _: &StoredCommand) -> bool {
        panic!("the disk is gone")
    }

    fn add(&self, _: &StoredCommand) -> Result<(), String> {
        Err("the disk is full".to_owned())
    }
}

/// A hook that keeps the failures of the host.
#[derive(Default)]
struct Failures(Mutex<Vec<String>>);

impl Hook for Failures {
    fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
        self.0.lock().unwrap().push(error.to_string());
    }
}

#[test]
fn a_store_that_fails_approves_nothing_and_is_reported() {
    let person = Person::new([ApprovalDecision::AllowAlways, ApprovalDecision::AllowOnce]);
    let failures = Arc::new(Failures::default());
    let turn = turn(commands().store(Arc::new(Broken)), |s| {
        s.approver(Arc::clone(&person) as _).hook(Arc::clone(&failures) as _)
    });
    for _ in 0..2 {
        assert_eq!((run(&turn, ASKS), person.asked()), ("ran".to_owned(), 1));
    }
    let failures = failures.0.lock().unwrap();
    assert_eq!(*failures, ["the approval store failed while deciding on a call: the disk is full"]);
}
