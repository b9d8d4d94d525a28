use std::thread;
use std::time::Duration;

use super::*;
use crate::Database;

const BOARD: &str = "work";
const LEASE: Duration = Duration::from_mins(1);
/// A lease that has ended at once.
const EXPIRED: Duration = Duration::ZERO;

struct Fixture {
    _folder: tempfile::TempDir,
    boards: Boards,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let boards = Boards::new(Arc::new(Database::new(folder.path().join("state.db"))));
        Self { _folder: folder, boards }
    }

    fn add(&self, change: impl FnOnce(&mut NewCard)) -> i64 {
        let mut card = NewCard {
            title: "Build".to_owned(),
            body: String::new(),
            assignee: "ann".to_owned(),
            reviewer: None,
            parents: Vec::new(),
            tenant: None,
            priority: 0,
            workspace: Workspace::Scratch,
            idempotency_key: None,
            max_runtime: None,
            max_turns: 1,
            skills: Vec::new(),
            initial_state: InitialState::Ready,
        };
        change(&mut card);
        self.boards.create(BOARD, &agent(), &card).expect("failed to add").0
    }

    fn claim(&self, name: &str, lease: Duration) -> Option<Actor> {
        static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let claim = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_string();
        let card = self.boards.claim(BOARD, &[name], &claim, lease).expect("failed to claim")?;
        Some(Actor::Worker { name: name.to_owned(), card: card.id, claim })
    }

    fn card(&self, id: i64) -> Card {
        self.boards.details(BOARD, id).expect("failed to read").card
    }

    fn status(&self, id: i64) -> CardStatus {
        self.card(id).status
    }

    fn notes(&self, id: i64) -> Vec<String> {
        let details = self.boards.details(BOARD, id).expect("failed to read");
        details.notes.iter().map(|note| format!("{} {}: {}", note.author, note.kind, note.text)).collect()
    }

    fn complete(&self, actor: &Actor, id: i64) -> Result<CardStatus, BoardError> {
        self.boards.complete(BOARD, actor, id, &outcome("done"), &[])
    }
}

fn agent() -> Actor {
    Actor::Agent("agent".to_owned())
}

fn outcome(summary: &str) -> CardOutcome {
    CardOutcome { summary: summary.to_owned(), ..CardOutcome::default() }
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, BoardError>, part: &str) {
    let error = result.expect_err("it is refused").to_string();
    assert!(error.contains(part), "{error}");
}

#[test]
fn a_missing_file_is_an_empty_board_and_is_not_created() {
    let fixture = Fixture::new();
    assert_eq!(fixture.boards.list(BOARD, &CardFilter { limit: 9, ..CardFilter::default() }).expect("it is empty"), []);
    refused(fixture.boards.details(BOARD, 1), "unknown task t1 on the board `work`");
    assert!(!fixture.boards.database.path().exists());
}

#[test]
fn a_card_waits_for_its_parents() {
    let fixture = Fixture::new();
    let first = fixture.add(|_| {});
    let second = fixture.add(|card| card.parents = vec![first]);
    let third = fixture.add(|_| {});
    assert_eq!(
        [first, second, third].map(|id| fixture.status(id)),
        [CardStatus::Ready, CardStatus::Todo, CardStatus::Ready]
    );
    fixture.boards.link(BOARD, &agent(), second, third).expect("failed to link");
    assert_eq!(fixture.status(third), CardStatus::Todo);
    refused(fixture.boards.link(BOARD, &agent(), third, first), "would make a cycle");
    refused(fixture.boards.link(BOARD, &agent(), first, first), "would make a cycle");
    refused(fixture.complete(&agent(), second), &format!("waits for t{first}"));
    assert_eq!(fixture.complete(&agent(), first).expect("no worker has claimed it"), CardStatus::Done);
    assert_eq!(fixture.status(second), CardStatus::Ready);
    refused(fixture.complete(&agent(), first), "is already done");
    // A card that is archived keeps nothing waiting.
    fixture.boards.archive(BOARD, &agent(), second).expect("failed to archive");
    assert_eq!(fixture.status(third), CardStatus::Ready);
    let details = fixture.boards.details(BOARD, second).expect("failed to read");
    assert_eq!((details.parents[0].id, details.children), (first, vec![third]));
    let outcome = details.parents[0].outcome.as_ref();
    assert_eq!(outcome.map(|outcome| &*outcome.summary), Some("done"));
}

#[test]
fn the_most_urgent_card_of_a_worker_is_claimed_once() {
    let fixture = Fixture::new();
    let ids = [0, 5, 5].map(|priority| fixture.add(|card| card.priority = priority));
    let of_another = fixture.add(|card| card.assignee = "bob".to_owned());
    let mut claimed = Vec::new();
    while let Some(Actor::Worker { card, .. }) = fixture.claim("ann", LEASE) {
        claimed.push(card);
    }
    assert_eq!(claimed, [ids[1], ids[2], ids[0]]);
    assert_eq!(fixture.status(of_another), CardStatus::Ready);
}

#[test]
fn only_its_worker_changes_a_card_that_is_running() {
    let fixture = Fixture::new();
    let (id, other) = (fixture.add(|_| {}), fixture.add(|_| {}));
    let worker = fixture.claim("ann", LEASE).expect("it is ready");
    refused(fixture.complete(&agent(), id), "`ann` works on");
    refused(fixture.complete(&worker, other), &format!("you work on t{id}"));
    refused(fixture.boards.unblock(BOARD, &worker, other), &format!("you work on t{id}"));
    refused(fixture.boards.link(BOARD, &agent(), other, id), "is running");
    fixture.boards.comment(BOARD, &worker, other, "hello").expect("everybody can comment");
    fixture.boards.renew(BOARD, &worker, id, LEASE, Some("half")).expect("it is its own");
    assert_eq!(fixture.complete(&worker, id).expect("it is its own"), CardStatus::Done);
    assert_eq!(fixture.notes(id), ["agent created: ", "ann claimed: ", "ann heartbeat: half", "ann completed: done"]);
    refused(fixture.boards.renew(BOARD, &worker, id, LEASE, None), "your claim of");
}

#[test]
fn a_claim_that_is_not_renewed_ends_and_another_worker_gets_the_card() {
    let fixture = Fixture::new();
    let id = fixture.add(|_| {});
    let dead = fixture.claim("ann", EXPIRED).expect("it is ready");
    assert_eq!(fixture.status(id), CardStatus::Ready);
    let next = fixture.claim("ann", LEASE).expect("it is ready again");
    refused(fixture.complete(&dead, id), "your claim of t1 has ended, and `ann` works on it now");
    assert_eq!(fixture.complete(&next, id).expect("it is its own"), CardStatus::Done);
}

#[test]
fn a_card_that_several_workers_did_not_finish_is_blocked_until_it_is_unblocked() {
    let fixture = Fixture::new();
    let id = fixture.add(|_| {});
    for _ in 0..MAX_ATTEMPTS {
        fixture.claim("ann", EXPIRED).expect("it is ready");
    }
    let card = fixture.card(id);
    let reason = "the worker did not renew its claim, 3 times".to_owned();
    assert_eq!((card.status, card.block), (CardStatus::Blocked, Some((BlockKind::Transient, reason))));
    assert_eq!(fixture.claim("ann", LEASE), None);
    assert_eq!(fixture.boards.unblock(BOARD, &agent(), id).expect("it is blocked"), CardStatus::Ready);
    assert_eq!(fixture.card(id).attempts, 0);
}

#[test]
fn a_claim_lasts_at_most_the_maximum_time() {
    let fixture = Fixture::new();
    let id = fixture.add(|card| card.max_runtime = Some(1));
    let worker = fixture.claim("ann", LEASE).expect("it is ready");
    let ends = fixture.boards.renew(BOARD, &worker, id, LEASE, None).expect("it is its own");
    assert!(ends <= SystemTime::now() + Duration::from_secs(1));
    thread::sleep(Duration::from_millis(1050));
    refused(fixture.boards.renew(BOARD, &worker, id, LEASE, None), "your claim of t1 has ended");
    assert!(fixture.notes(id).contains(&"ann claim ended: the worker took longer than the maximum".to_owned()));
}

#[test]
fn work_with_a_reviewer_is_done_when_the_reviewer_accepts_it() {
    let fixture = Fixture::new();
    let id = fixture.add(|card| card.reviewer = Some("bob".to_owned()));
    let child = fixture.add(|card| card.parents = vec![id]);
    refused(fixture.complete(&agent(), id), "must be done by `ann` and reviewed by `bob`");
    let worker = fixture.claim("ann", LEASE).expect("it is ready");
    assert_eq!(fixture.complete(&worker, id).expect("it is its own"), CardStatus::Review);
    assert_eq!(fixture.status(child), CardStatus::Todo);
    assert_eq!(fixture.claim("ann", LEASE), None);
    refused(fixture.complete(&agent(), id), "reviewed by `bob`");
    let reviewer = fixture.claim("bob", LEASE).expect("it waits for a review");
    fixture.boards.request_changes(BOARD, &reviewer, id, "no tests").expect("it is in review");
    assert_eq!((fixture.status(id), fixture.card(id).outcome), (CardStatus::Ready, None));
    let worker = fixture.claim("ann", LEASE).expect("it is ready again");
    let second = outcome("with tests");
    fixture.boards.request_review(BOARD, &worker, id, &second, None).expect("it is its own");
    let reviewer = fixture.claim("bob", LEASE).expect("it waits for a review");
    assert_eq!(fixture.complete(&reviewer, id).expect("the reviewer accepts it"), CardStatus::Done);
    assert_eq!(fixture.card(id).outcome, Some(second));
    assert_eq!(fixture.status(child), CardStatus::Ready);
}

#[test]
fn a_reviewer_that_vanishes_leaves_the_card_in_review() {
    let fixture = Fixture::new();
    let id = fixture.add(|card| card.reviewer = Some("bob".to_owned()));
    let worker = fixture.claim("ann", LEASE).expect("it is ready");
    fixture.complete(&worker, id).expect("it is its own");
    for _ in 0..MAX_ATTEMPTS {
        fixture.claim("bob", EXPIRED).expect("it waits for a review");
    }
    assert_eq!(fixture.status(id), CardStatus::Blocked);
    assert_eq!(fixture.boards.unblock(BOARD, &agent(), id).expect("it is blocked"), CardStatus::Review);
}

#[test]
fn a_worker_does_not_review_itself() {
    let fixture = Fixture::new();
    let id = fixture.add(|_| {});
    let worker = fixture.claim("ann", LEASE).expect("it is ready");
    refused(fixture.boards.request_review(BOARD, &worker, id, &outcome("x"), Some("ann")), "name another reviewer");
    fixture.boards.request_review(BOARD, &worker, id, &outcome("x"), None).expect("a person reviews it");
    assert_eq!(fixture.complete(&Actor::Person, id).expect("a person can"), CardStatus::Done);
}

#[test]
fn a_block_says_what_the_card_waits_for() {
    let fixture = Fixture::new();
    let (id, other) = (fixture.add(|card| card.priority = 1), fixture.add(|_| {}));
    let block = |kind| {
        let worker = fixture.claim("ann", LEASE).expect("it is ready");
        fixture.boards.block(BOARD, &worker, id, kind, "why")
    };
    assert_eq!(block(BlockKind::NeedsInput).expect("it is its own"), CardStatus::Blocked);
    assert_eq!(fixture.boards.unblock(BOARD, &agent(), id).expect("it is blocked"), CardStatus::Ready);
    // After a transient failure, it waits before it is claimed again.
    assert_eq!(block(BlockKind::Transient).expect("it is its own"), CardStatus::Ready);
    let Some(Actor::Worker { card, .. }) = fixture.claim("ann", LEASE) else { panic!("the other is ready") };
    assert_eq!(card, other);
    assert_eq!(fixture.boards.unblock(BOARD, &agent(), id).expect("it waits"), CardStatus::Ready);
    let worker = fixture.claim("ann", LEASE).expect("it is ready");
    let dependency = || fixture.boards.block(BOARD, &worker, id, BlockKind::Dependency, "first the other");
    refused(dependency(), "waits for no other task");
    fixture.boards.link(BOARD, &worker, other, id).expect("a worker links its own card");
    assert_eq!(fixture.status(id), CardStatus::Running);
    assert_eq!(dependency().expect("it is its own"), CardStatus::Todo);
    fixture.boards.archive(BOARD, &Actor::Person, other).expect("a person can");
    assert_eq!(fixture.status(id), CardStatus::Ready);
}

#[test]
fn a_worker_lists_only_cards_that_it_added() {
    let fixture = Fixture::new();
    let id = fixture.add(|_| {});
    let worker = fixture.claim("ann", LEASE).expect("it is ready");
    let foreign = fixture.add(|_| {});
    let complete = |created: &[i64]| fixture.boards.complete(BOARD, &worker, id, &outcome("x"), created);
    refused(complete(&[foreign]), "was added by `agent`, not by you");
    refused(complete(&[99]), "unknown task t99");
    let own = NewCard { assignee: "bob".to_owned(), ..new_card() };
    let (own, _) = fixture.boards.create(BOARD, &worker, &own).expect("failed to add");
    assert_eq!(complete(&[own]).expect("it is its own"), CardStatus::Done);
}

fn new_card() -> NewCard {
    NewCard {
        title: "x".to_owned(),
        body: String::new(),
        assignee: "ann".to_owned(),
        reviewer: None,
        parents: Vec::new(),
        tenant: None,
        priority: 0,
        workspace: Workspace::Dir { path: "/x".to_owned() },
        idempotency_key: Some("key".to_owned()),
        max_runtime: None,
        max_turns: 1,
        skills: Vec::new(),
        initial_state: InitialState::Triage,
    }
}

#[test]
fn an_idempotency_key_adds_a_card_once_on_each_board() {
    let fixture = Fixture::new();
    let create = |board: &str| fixture.boards.create(board, &agent(), &new_card()).expect("failed to add");
    let (id, is_new) = create(BOARD);
    assert!(is_new);
    assert_eq!(create(BOARD), (id, false));
    assert!(create("other").1);
    assert_eq!(fixture.card(id).workspace, Workspace::Dir { path: "/x".to_owned() });
    fixture.boards.archive(BOARD, &agent(), id).expect("failed to archive");
    assert!(create(BOARD).1);
    refused(fixture.boards.details("third", id), "unknown task");
}

#[test]
fn attachments_are_bytes_with_a_name() {
    let fixture = Fixture::new();
    let id = fixture.add(|_| {});
    let attach = || fixture.boards.attach(BOARD, &agent(), id, "a.bin", "application/octet-stream", &[0, 255]);
    let attachment = attach().expect("failed to attach");
    let (found, content) = fixture.boards.attachment(BOARD, id, attachment).expect("failed to read");
    assert_eq!((&*found.name, found.size, content), ("a.bin", 2, vec![0, 255]));
    refused(fixture.boards.attachment("other", id, attachment), "has no attachment");
    for _ in 1..MAX_ATTACHMENTS {
        attach().expect("failed to attach");
    }
    refused(attach(), "20 attachments, the maximum");
}

#[test]
fn lists_are_filtered_and_limited() {
    let fixture = Fixture::new();
    let first = fixture.add(|card| card.tenant = Some("a".to_owned()));
    let second = fixture.add(|card| card.priority = 1);
    fixture.boards.archive(BOARD, &agent(), first).expect("failed to archive");
    let ids = |filter: CardFilter<'_>| -> Vec<i64> {
        fixture.boards.list(BOARD, &filter).expect("failed to read").iter().map(|card| card.id).collect()
    };
    let all = CardFilter { limit: 10, ..CardFilter::default() };
    assert_eq!(ids(all), [second]);
    assert_eq!(ids(CardFilter { include_archived: true, ..all }), [second, first]);
    assert_eq!(ids(CardFilter { include_archived: true, limit: 1, ..all }), [second]);
    assert_eq!(ids(CardFilter { status: Some(CardStatus::Archived), ..all }), [first]);
    assert_eq!(ids(CardFilter { tenant: Some("a"), include_archived: true, ..all }), [first]);
    assert_eq!(ids(CardFilter { assignee: Some("bob"), ..all }), [0; 0]);
}

#[test]
fn a_card_keeps_its_skills_and_one_of_an_earlier_version_has_none() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let path = folder.path().join("state.db");
    let boards = || Boards::new(Arc::new(Database::new(&path)));
    let card = NewCard { skills: vec!["deploy".to_owned(), "ops/check".to_owned()], ..new_card() };
    let (id, _) = boards().create(BOARD, &agent(), &card).expect("failed to add");
    assert_eq!(boards().details(BOARD, id).expect("failed to read").card.skills, card.skills);
    // As the version before this column has written it.
    let earlier = rusqlite::Connection::open(&path).expect("failed to open");
    earlier
        .execute_batch("ALTER TABLE cards DROP COLUMN skills; PRAGMA user_version = 10")
        .expect("failed to go back to the earlier format");
    drop(earlier);
    let read = boards().details(BOARD, id).expect("failed to migrate").card;
    assert_eq!((&*read.title, read.skills), ("x", Vec::new()));
}
