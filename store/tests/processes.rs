//! Several processes that write to one store at once, and processes that are killed while they write.
//!
//! `TOOLC_TRIES` sets how often: see `cargo xtask soak`.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use toolc_store::{Database, MessageKind, NewMessage, NewSession, Search, Sessions};

/// The variables that make this program a writer.
const FILE: &str = "TOOLC_STORE_FILE";
const SESSION: &str = "TOOLC_STORE_SESSION";
const COUNT: &str = "TOOLC_STORE_COUNT";

fn tries(default: usize) -> usize {
    std::env::var("TOOLC_TRIES").map_or(default, |tries| tries.parse().expect("TOOLC_TRIES is a number"))
}

fn sessions(file: &Path) -> Sessions {
    Sessions::new(Arc::new(Database::new(file)))
}

fn start(sessions: &Sessions, name: &str) -> String {
    let new = NewSession { name, source: "agent", directory: "/", api: "chat", model: "m", title: "t" };
    sessions.start(&new).expect("failed to start a session");
    name.to_owned()
}

/// Writes messages, and prints the number of each after it was written. Does nothing unless another test starts it as a process.
#[test]
fn writer() {
    let (Ok(file), Ok(session)) = (std::env::var(FILE), std::env::var(SESSION)) else { return };
    let count: usize = std::env::var(COUNT).expect("the count is set").parse().expect("a number");
    let sessions = sessions(Path::new(&file));
    for number in 0..count {
        let text = format!("message number{number} of {session}");
        let message = NewMessage {
            kind: MessageKind::User,
            text: &text,
            raw: "[]",
            api: None,
            details: "null",
            keeps_from: None,
            tokens: None,
            after: None,
            calls: &[],
        };
        sessions.append(&session, &message).expect("failed to write");
        println!("written {number}");
    }
}

/// Starts this program as a writer.
fn spawn(file: &Path, session: &str, count: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--exact", "writer", "--nocapture"]).env(FILE, file).env(SESSION, session);
    command.env(COUNT, count.to_string()).stdout(Stdio::piped());
    command.spawn().expect("failed to start a writer")
}

fn texts(sessions: &Sessions, session: &str) -> Vec<String> {
    sessions.messages(session).expect("failed to read").into_iter().map(|message| message.text).collect()
}

#[test]
fn two_processes_that_write_at_once_lose_nothing() {
    let count = tries(200);
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let file = folder.path().join("state.db");
    let sessions = sessions(&file);
    let names = ["a", "b"].map(|name| start(&sessions, name));
    let writers = names.each_ref().map(|name| spawn(&file, name, count));
    for mut writer in writers {
        let mut out = String::new();
        writer.stdout.take().expect("a pipe").read_to_string(&mut out).expect("the output is text");
        assert!(writer.wait().expect("failed to wait").success(), "{out}");
    }
    for name in &names {
        let expected: Vec<String> = (0..count).map(|number| format!("message number{number} of {name}")).collect();
        assert!(texts(&sessions, name) == expected, "messages of {name} are missing or in another order");
    }
    let last = format!("number{}", count - 1);
    assert_eq!(
        sessions.search(&Search { query: &last, limit: 10, ..Search::default() }).expect("failed to search").len(),
        2
    );
    check(&file);
}

/// A writer that is killed loses nothing that it has reported, and damages nothing.
#[test]
fn a_killed_writer_loses_nothing_that_was_written() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let file = folder.path().join("state.db");
    let sessions = sessions(&file);
    for number in 0..tries(10).min(100) {
        let name = start(&sessions, &number.to_string());
        let mut writer = spawn(&file, &name, usize::MAX);
        let mut lines = BufReader::new(writer.stdout.take().expect("a pipe")).lines();
        let is_written = |line: &std::io::Result<String>| line.as_ref().is_ok_and(|line| line.contains("written 0"));
        assert!(lines.any(|line| is_written(&line)), "the writer has written nothing");
        // The kill comes at another moment of a transaction each time.
        thread::sleep(Duration::from_micros(u64::try_from(number * 977 % 20_000).expect("it is small")));
        writer.kill().expect("failed to kill");
        writer.wait().expect("failed to wait");
        let written = 1 + lines.map_while(Result::ok).filter(|line| line.starts_with("written ")).count();

        let texts = texts(&sessions, &name);
        assert!(texts.len() >= written, "{} messages of {written}", texts.len());
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(*text, format!("message number{number} of {name}"));
        }
        check(&file);
    }
}

/// Checks the file, and that the index has the words of the messages.
fn check(file: &Path) {
    let connection = rusqlite::Connection::open(file).expect("failed to open");
    let result: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("failed to check the file");
    assert_eq!(result, "ok");
    connection
        .execute("INSERT INTO messages_index (messages_index, rank) VALUES ('integrity-check', 1)", [])
        .expect("the index does not match the messages");
}
