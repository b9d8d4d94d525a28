//! Several processes that change and run the jobs of one store at once, and runners that are killed.
//!
//! `TOOLC_TRIES` sets how often: see `cargo xtask soak`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use toolc_store::{
    Claim, Database, Job, JobState, JobWork, Jobs, LEASE, Lease, MAX_RUNS, NewJob, RunOutcome, Schedule, StoreError,
};

/// The variables that make this program a writer or a runner.
const FILE: &str = "TOOLC_JOBS_FILE";
const ROLE: &str = "TOOLC_JOBS_ROLE";
const NUMBER: &str = "TOOLC_JOBS_NUMBER";

const MINUTE: Duration = Duration::from_mins(1);

fn tries(default: usize) -> usize {
    std::env::var("TOOLC_TRIES").map_or(default, |tries| tries.parse().expect("TOOLC_TRIES is a number"))
}

fn jobs(file: &Path) -> Jobs {
    Jobs::new(Arc::new(Database::new(file)))
}

fn add(jobs: &Jobs, name: &str, schedule: &Schedule, now: SystemTime) -> Job {
    let new = NewJob { name, work: &JobWork::default(), schedule, repeat: None };
    jobs.add(&new, now).expect("failed to add").expect("there is room")
}

/// Is a writer or a runner. Does nothing unless another test starts it as a process.
#[test]
fn process() {
    let variable = |name: &str| std::env::var(name).ok();
    let (Some(file), Some(role)) = (variable(FILE), variable(ROLE)) else { return };
    let number: u32 = variable(NUMBER).expect("the number is set").parse().expect("a number");
    let jobs = jobs(Path::new(&file));
    match &*role {
        "runner" => run(&jobs, number).expect("the store works"),
        name => write(&jobs, name, number),
    }
}

/// Counts up the prompt of its own job, makes and removes other jobs, and prints each number after it was written.
fn write(jobs: &Jobs, name: &str, count: u32) {
    let own = jobs.list().expect("failed to read").into_iter().find(|job| job.name == name).expect("it has a job").id;
    for number in 0..count {
        let change = |job: &mut Job| {
            let before: u32 = job.work.prompt.as_deref().map_or(0, |text| text.parse().expect("a number"));
            job.work.prompt = Some((before + 1).to_string());
        };
        jobs.change(own, change).expect("failed to change").expect("it exists");
        println!("written {number}");
        if number % 100 == 0 {
            let other = add(jobs, "other", &Schedule::Every(MINUTE), SystemTime::now());
            assert!(jobs.remove(other.id).expect("failed to remove"));
        }
    }
}

/// Runs jobs until it is killed. It takes the lease of the process with the number before, by a clock that is ahead.
fn run(jobs: &Jobs, number: u32) -> Result<(), StoreError> {
    let name = format!("runner {number}");
    let now = || SystemTime::now() + (LEASE + MINUTE) * number;
    match jobs.acquire(&name, now())? {
        Lease::Held { interrupted } => println!("interrupted {}", interrupted.len()),
        Lease::Taken { .. } => panic!("the lease of a dead process is valid"),
    }
    loop {
        assert!(jobs.renew(&name, now())?, "the lease is lost");
        match jobs.claim(&name, None, now())? {
            Claim::Run(claimed) => {
                let (job, run) = *claimed;
                println!("begun {} {}", run.id, job.id);
                jobs.finish(&name, run.id, RunOutcome::Done, "ok", now())?;
                println!("ended {}", run.id);
            }
            Claim::Nothing(_) => {
                println!("idle");
                thread::sleep(Duration::from_millis(1));
            }
            Claim::Lost => panic!("the lease is lost"),
        }
    }
}

/// Starts this program in a role.
fn spawn(file: &Path, role: &str, number: u32) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--exact", "process", "--nocapture"]).env(FILE, file).env(ROLE, role);
    command.env(NUMBER, number.to_string()).stdout(Stdio::piped());
    command.spawn().expect("failed to start a process")
}

/// Two writers, while a runner runs jobs.
#[test]
fn processes_that_write_at_once_lose_nothing() {
    let count = u32::try_from(tries(200)).expect("it is small");
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let file = folder.path().join("state.db");
    let jobs = jobs(&file);
    let names = ["a", "b"];
    let start = SystemTime::now();
    let own = names.map(|name| add(&jobs, name, &Schedule::Every(Duration::from_hours(1)), start).id);
    // Always due: the clock of the runner is ahead by many minutes.
    let busy = add(&jobs, "busy", &Schedule::Every(MINUTE), start - 10 * MINUTE).id;
    let mut runner = spawn(&file, "runner", 1);
    // The runner works before the writers begin. Its pipe is read to the end, so that it never waits.
    let mut lines = BufReader::new(runner.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.contains("begun "))), "the runner begins nothing");
    let rest = thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    let writers = names.map(|name| spawn(&file, name, count));
    for mut writer in writers {
        let mut out = String::new();
        writer.stdout.take().expect("a pipe").read_to_string(&mut out).expect("the output is text");
        assert!(writer.wait().expect("failed to wait").success(), "{out}");
        assert_eq!(
            out.lines().filter(|line| line.contains("written ")).count(),
            usize::try_from(count).expect("it is small")
        );
    }
    runner.kill().expect("failed to kill");
    runner.wait().expect("failed to wait");
    rest.join().expect("the reader of the pipe panicked");
    let prompts = own.map(|id| jobs.get(id).expect("failed to read").expect("it exists").work.prompt);
    assert_eq!(prompts, [count, count].map(|count| Some(count.to_string())));
    assert!(jobs.get(busy).expect("failed to read").expect("it exists").begun > 0);
    assert_eq!(jobs.list().expect("failed to read").len(), 3);
    check(&file);
}

/// Each runner is killed at another moment, and the next one goes on.
#[test]
fn no_job_is_begun_twice_or_forgotten_if_runners_are_killed() {
    const BATCH: u64 = 20;
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let file = folder.path().join("state.db");
    let jobs = jobs(&file);
    let (mut begun, mut interrupted) = (BTreeSet::new(), 0);
    let kills = u32::try_from(tries(10).min(100)).expect("it is small");
    for number in 1..=kills {
        // Single times, and an interval that is due again for each runner.
        let due = SystemTime::now() + (LEASE + MINUTE) * (number - 1);
        let once = Schedule::Once(due + Duration::from_secs(1));
        let added: Vec<i64> = (0..BATCH).map(|_| add(&jobs, "once", &once, due).id).collect();
        let every = add(&jobs, "every", &Schedule::Every(MINUTE), due - MINUTE).id;
        let mut runner = spawn(&file, "runner", number);
        let mut lines = BufReader::new(runner.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let mut output = vec![lines.find(|line| line.contains("interrupted ")).expect("it holds the lease")];
        // Before, within and between its first runs.
        thread::sleep(Duration::from_micros(u64::from(number) * 2_411 % 40_000));
        runner.kill().expect("failed to kill");
        runner.wait().expect("failed to wait");
        output.extend(lines);
        // The next runner does the rest.
        let mut rest = spawn(&file, "runner", number + 1);
        let mut lines = BufReader::new(rest.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        output.extend(lines.by_ref().take_while(|line| line != "idle"));
        rest.kill().expect("failed to kill");
        rest.wait().expect("failed to wait");
        output.extend(lines);

        for line in &output {
            // The program that runs the tests may print before it.
            if let Some((_, ids)) = line.split_once("begun ") {
                assert!(begun.insert(ids.to_owned()), "a run was begun twice: {line}");
            }
        }
        for id in added.iter().chain([&every]) {
            let job = jobs.get(*id).expect("failed to read").expect("it exists");
            let runs = jobs.runs(*id, MAX_RUNS).expect("failed to read");
            let dues: BTreeMap<SystemTime, i64> = runs.iter().map(|run| (run.due, run.id)).collect();
            assert_eq!(dues.len(), runs.len(), "a time was run twice: {runs:?}");
            assert_eq!(usize::try_from(job.begun).expect("it is small"), runs.len());
            for run in &runs {
                // The second runner may have been killed within a run of the interval.
                let is_open = run.ended.is_none() && *id == every;
                let reported = output.iter().any(|line| line.ends_with(&format!("ended {}", run.id)));
                match run.ended {
                    Some((_, RunOutcome::Done)) => {}
                    Some((_, RunOutcome::Interrupted)) => interrupted += 1,
                    _ => assert!(is_open, "{run:?}"),
                }
                assert!(!reported || matches!(run.ended, Some((_, RunOutcome::Done))), "a result is lost: {run:?}");
            }
            if *id == every {
                assert!(!runs.is_empty(), "the job was forgotten");
            } else {
                assert_eq!((job.state, runs.len()), (JobState::Done, 1), "the job was forgotten: {runs:?}");
            }
            jobs.remove(*id).expect("failed to remove");
        }
        check(&file);
    }
    println!("{interrupted} runs were interrupted by {kills} kills");
}

fn check(file: &Path) {
    let connection = rusqlite::Connection::open(file).expect("failed to open");
    let text = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0));
    assert_eq!(text("PRAGMA integrity_check").expect("failed to check the file"), "ok");
    assert!(text("SELECT CAST(rowid AS TEXT) FROM pragma_foreign_key_check").is_err(), "a run has no job");
}
