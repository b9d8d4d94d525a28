//! Several processes that work on one board at once, and workers that are killed.
//!
//! `TOOLC_TRIES` sets how often: see `cargo xtask soak`.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use toolc_store::{Actor, Boards, CardFilter, CardOutcome, CardStatus, Database, InitialState, NewCard, Workspace};

/// The variables that make this program a worker.
const FILE: &str = "TOOLC_BOARD_FILE";
const LEASE: &str = "TOOLC_BOARD_LEASE_MS";

const BOARD: &str = "work";
const NAME: &str = "ann";

fn tries(default: usize) -> usize {
    std::env::var("TOOLC_TRIES").map_or(default, |tries| tries.parse().expect("TOOLC_TRIES is a number"))
}

fn boards(file: &Path) -> Boards {
    Boards::new(Arc::new(Database::new(file)))
}

fn add(boards: &Boards, number: usize) -> i64 {
    let card = NewCard {
        title: number.to_string(),
        body: String::new(),
        assignee: NAME.to_owned(),
        reviewer: None,
        parents: Vec::new(),
        tenant: None,
        priority: 0,
        workspace: Workspace::Scratch,
        idempotency_key: Some(number.to_string()),
        max_runtime: None,
        max_turns: 1,
        skills: Vec::new(),
        initial_state: InitialState::Ready,
    };
    boards.create(BOARD, &Actor::Agent("test".to_owned()), &card).expect("failed to add a card").0
}

fn all(boards: &Boards, status: Option<CardStatus>) -> Vec<i64> {
    let filter = CardFilter { status, limit: usize::MAX, ..CardFilter::default() };
    boards.list(BOARD, &filter).expect("failed to read").iter().map(|card| card.id).collect()
}

/// Claims cards, renews each claim, completes them, and prints what it has completed, until no card is left. Does nothing unless another
/// test starts it as a process.
#[test]
fn worker() {
    let (Ok(file), Ok(lease)) = (std::env::var(FILE), std::env::var(LEASE)) else { return };
    let lease = Duration::from_millis(lease.parse().expect("a number"));
    let boards = boards(Path::new(&file));
    for number in 0.. {
        let claim = format!("{}-{number}", std::process::id());
        let Some(card) = boards.claim(BOARD, &[NAME], &claim, lease).expect("failed to claim") else { break };
        println!("claimed {}", card.id);
        let actor = Actor::Worker { name: NAME.to_owned(), card: card.id, claim };
        // On a busy machine, the claim can end before.
        if boards.renew(BOARD, &actor, card.id, lease, None).is_err() {
            continue;
        }
        let outcome = CardOutcome { summary: "done".to_owned(), ..CardOutcome::default() };
        if boards.complete(BOARD, &actor, card.id, &outcome, &[]).is_ok() {
            println!("completed {}", card.id);
        }
    }
}

/// Starts this program as a worker.
fn spawn(file: &Path, lease: Duration) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--exact", "worker", "--nocapture"]).env(FILE, file).env(LEASE, lease.as_millis().to_string());
    command.stdout(Stdio::piped()).spawn().expect("failed to start a worker")
}

/// Returns the cards that a worker says it has completed.
fn completed(output: &str) -> Vec<i64> {
    let ids = output.lines().filter_map(|line| line.split_once("completed ")).map(|(_, id)| id.parse());
    ids.collect::<Result<_, _>>().expect("ids are numbers")
}

#[test]
fn two_workers_complete_each_card_once() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let file = folder.path().join("state.db");
    let boards = boards(&file);
    let added: BTreeSet<i64> = (0..tries(200)).map(|number| add(&boards, number)).collect();
    let workers = [(); 2].map(|()| spawn(&file, Duration::from_mins(1)));
    let mut done = Vec::new();
    for mut worker in workers {
        let mut out = String::new();
        worker.stdout.take().expect("a pipe").read_to_string(&mut out).expect("the output is text");
        assert!(worker.wait().expect("failed to wait").success(), "{out}");
        done.extend(completed(&out));
    }
    assert_eq!(done.len(), added.len(), "a card was completed twice");
    assert!(done.into_iter().collect::<BTreeSet<_>>() == added, "a card was lost");
    assert_eq!(all(&boards, Some(CardStatus::Done)).len(), added.len());
    check(&file);
}

/// A worker that is killed holds no card, and no card is lost or completed twice.
#[test]
fn the_cards_of_killed_workers_are_completed_once_by_others() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let file = folder.path().join("state.db");
    let boards = boards(&file);
    let lease = Duration::from_millis(100);
    let (mut added, mut done) = (0, Vec::new());
    for number in 0..tries(10).min(100) {
        for _ in 0..100 {
            add(&boards, added);
            added += 1;
        }
        let mut worker = spawn(&file, lease);
        let mut lines = BufReader::new(worker.stdout.take().expect("a pipe")).lines();
        assert!(lines.any(|line| line.is_ok_and(|line| line.contains("claimed "))), "the worker has claimed nothing");
        // The kill comes at another moment each time.
        thread::sleep(Duration::from_micros(u64::try_from(number * 977 % 20_000).expect("it is small")));
        worker.kill().expect("failed to kill");
        worker.wait().expect("failed to wait");
        done.extend(completed(&lines.map_while(Result::ok).collect::<Vec<_>>().join("\n")));
        check(&file);
    }
    thread::sleep(lease);
    assert_eq!(all(&boards, Some(CardStatus::Running)), [0; 0], "a killed worker holds a card");
    // A card whose workers were killed three times waits for a person.
    for id in all(&boards, Some(CardStatus::Blocked)) {
        boards.unblock(BOARD, &Actor::Person, id).expect("it is blocked");
    }
    let mut last = spawn(&file, Duration::from_mins(1));
    let mut out = String::new();
    last.stdout.take().expect("a pipe").read_to_string(&mut out).expect("the output is text");
    assert!(last.wait().expect("failed to wait").success(), "{out}");
    done.extend(completed(&out));

    assert_eq!(all(&boards, Some(CardStatus::Done)).len(), added, "a card was lost");
    let unique: BTreeSet<i64> = done.iter().copied().collect();
    assert_eq!(unique.len(), done.len(), "two workers say that they have completed the same card");
    let connection = rusqlite::Connection::open(&file).expect("failed to open");
    let sql = "SELECT count(*), count(DISTINCT card) FROM card_notes WHERE kind = 'completed'";
    let counts: (i64, i64) =
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).expect("failed to read");
    let added = i64::try_from(added).expect("it is small");
    assert_eq!(counts, (added, added), "a card was completed twice");
}

/// Checks the file.
fn check(file: &Path) {
    let connection = rusqlite::Connection::open(file).expect("failed to open");
    let result: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("failed to check the file");
    assert_eq!(result, "ok");
}
