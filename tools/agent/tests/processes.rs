//! Several processes that write to the same notes, and processes that are killed while they write.
//!
//! `TOOLC_TRIES` sets how often: see `cargo xtask soak`.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use toolc_agent::{FileMemory, MemoryStore as _, MemoryTarget};

/// The variables that make this program a writer.
const FOLDER: &str = "TOOLC_MEMORY_FOLDER";
const NAME: &str = "TOOLC_MEMORY_NAME";
const COUNT: &str = "TOOLC_MEMORY_COUNT";

fn tries(default: usize) -> usize {
    std::env::var("TOOLC_TRIES").map_or(default, |tries| tries.parse().expect("TOOLC_TRIES is a number"))
}

/// Counts up the writer's own entry, and prints each number after it was written. Does nothing unless another test starts it as a process.
#[test]
fn writer() {
    let (Ok(folder), Ok(name)) = (std::env::var(FOLDER), std::env::var(NAME)) else { return };
    let count: usize = std::env::var(COUNT).expect("the count is set").parse().expect("a number");
    let memory = FileMemory::new(folder);
    for _ in 0..count {
        let mut written = 0;
        let change = &mut |mut entries: Vec<String>| {
            let of_name = |entry: &&mut String| entry.starts_with(&format!("{name} "));
            match entries.iter_mut().find(of_name) {
                Some(entry) => {
                    written = number(entry) + 1;
                    *entry = format!("{name} {written}");
                }
                None => entries.push(format!("{name} 0")),
            }
            Ok(entries)
        };
        memory.change(MemoryTarget::Memory, change).expect("failed to write");
        println!("written {written}");
    }
}

fn number(entry: &str) -> usize {
    entry.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("an entry ends with a number")
}

/// Starts this program as a writer.
fn spawn(folder: &Path, name: &str, count: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--exact", "writer", "--nocapture"]).env(FOLDER, folder).env(NAME, name);
    command.env(COUNT, count.to_string()).stdout(Stdio::piped());
    command.spawn().expect("failed to start a writer")
}

#[test]
fn two_processes_that_write_at_once_lose_nothing() {
    let count = tries(200);
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let writers = ["a", "b"].map(|name| spawn(folder.path(), name, count));
    for mut writer in writers {
        let mut out = String::new();
        writer.stdout.take().expect("a pipe").read_to_string(&mut out).expect("the output is text");
        assert!(writer.wait().expect("failed to wait").success(), "{out}");
    }
    let mut entries = FileMemory::new(folder.path()).entries(MemoryTarget::Memory).expect("failed to read");
    entries.sort();
    let last = count - 1;
    assert_eq!(entries, [format!("a {last}"), format!("b {last}")]);
}

/// A writer that is killed loses nothing that it has reported, damages nothing, and holds no lock.
#[test]
fn a_killed_writer_loses_nothing_that_was_written() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let memory = FileMemory::new(folder.path());
    let mut other = spawn(folder.path(), "other", usize::MAX);
    // Its output is read, so that it never waits for the pipe.
    let mut lines = BufReader::new(other.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.contains("written "))), "the writer has written nothing");
    let of_other =
        thread::spawn(move || 1 + lines.map_while(Result::ok).filter(|line| line.contains("written ")).count());
    let mut last = None;
    for kill in 0..tries(10).min(100) {
        let mut writer = spawn(folder.path(), "killed", usize::MAX);
        let mut lines = BufReader::new(writer.stdout.take().expect("a pipe")).lines();
        assert!(lines.any(|line| line.is_ok_and(|line| line.contains("written "))), "the writer has written nothing");
        // The kill comes at another moment of a change each time.
        thread::sleep(Duration::from_micros(u64::try_from(kill * 977 % 20_000).expect("it is small")));
        writer.kill().expect("failed to kill");
        writer.wait().expect("failed to wait");
        let reported = lines.map_while(Result::ok).filter(|line| line.contains("written ")).last();
        let entries = memory.entries(MemoryTarget::Memory).expect("failed to read");
        assert_eq!(entries.len(), 2, "{entries:?}");
        let kept = entries.iter().find(|entry| entry.starts_with("killed ")).map(|entry| number(entry));
        assert!(kept > last, "{kept:?} {last:?}");
        assert!(kept >= reported.as_deref().map(number), "{kept:?} {reported:?}");
        last = kept;
    }
    other.kill().expect("failed to kill");
    other.wait().expect("failed to wait");
    let written = of_other.join().expect("it counts");
    let entries = memory.entries(MemoryTarget::Memory).expect("failed to read");
    let kept = entries.iter().find(|entry| entry.starts_with("other ")).map(|entry| number(entry) + 1);
    assert!(kept >= Some(written), "{kept:?} {written}");
}
