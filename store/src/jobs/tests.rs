use super::*;
use crate::Database;
use jiff::Timestamp;
use std::time::Duration;

fn time(text: &str) -> SystemTime {
    text.parse::<Timestamp>().expect("it is a time").into()
}

struct Fixture {
    jobs: Jobs,
    folder: tempfile::TempDir,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let jobs = Jobs::new(Arc::new(Database::new(folder.path().join("state.db")))).in_zone(TimeZone::UTC);
    Fixture { jobs, folder }
}

impl Fixture {
    fn add(&self, schedule: &str, repeat: Option<u32>, now: SystemTime) -> Job {
        let schedule = self.jobs.parse(schedule, now).expect("it is a schedule");
        let work = JobWork { prompt: Some("Look.".to_owned()), tools: vec!["todo".to_owned()], ..JobWork::default() };
        let new = NewJob { name: "a job", work: &work, schedule: &schedule, repeat };
        self.jobs.add(&new, now).expect("failed to add").expect("there is room")
    }

    fn acquire(&self, name: &str, now: SystemTime) -> Lease {
        self.jobs.acquire(name, now).expect("failed to acquire")
    }

    fn claim(&self, name: &str, now: SystemTime) -> Option<(Job, JobRun)> {
        match self.jobs.claim(name, None, now).expect("failed to claim") {
            Claim::Run(claimed) => Some(*claimed),
            Claim::Nothing(_) => None,
            Claim::Lost => panic!("the lease is lost"),
        }
    }

    fn finish(&self, name: &str, run: &JobRun, now: SystemTime) -> bool {
        self.jobs.finish(name, run.id, RunOutcome::Done, "ok", now).expect("failed to finish")
    }
}

const MINUTE: Duration = Duration::from_mins(1);

#[test]
fn a_job_is_read_as_it_was_written_also_by_another_process() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    let job = fixture.add("0 9 * * *", Some(3), now);
    let other = Jobs::new(Arc::new(Database::new(fixture.folder.path().join("state.db"))));
    assert_eq!(other.get(job.id).expect("failed to read"), Some(job.clone()));
    assert_eq!(other.list().expect("failed to read"), std::slice::from_ref(&job));
    assert_eq!(job.state, JobState::Active(time("2026-03-02T09:00:00Z")));
    let (shown, changed) = other
        .change(job.id, |job| {
            job.state = JobState::Paused;
            job.name.clone()
        })
        .expect("failed to change")
        .expect("it exists");
    assert_eq!((&*shown, changed.state), ("a job", JobState::Paused));
    assert_eq!(fixture.jobs.get(job.id).expect("failed to read"), Some(changed));
    assert!(other.remove(job.id).expect("failed to remove") && !other.remove(job.id).expect("failed to remove"));
    assert_eq!(other.change(job.id, |_| ()).expect("failed to change"), None);
}

#[test]
fn a_schedule_can_name_its_time_zone() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    for (text, zone, due) in [
        ("CRON_TZ=Asia/Tokyo 0 9 * * *", "Asia/Tokyo", "2026-03-02T00:00:00Z"),
        ("  TZ=America/New_York @daily", "America/New_York", "2026-03-02T05:00:00Z"),
        ("CRON_TZ='Europe/Berlin' 2026-03-05T09:00", "Europe/Berlin", "2026-03-05T08:00:00Z"),
        ("TZ=UTC every 30m", "UTC", "2026-03-01T12:30:00Z"),
    ] {
        let (jobs, rest) = fixture.jobs.in_zone_of(text).expect("the zone is known");
        let schedule = jobs.parse(rest, now).expect("it is a schedule");
        let new = NewJob { name: text, work: &JobWork::default(), schedule: &schedule, repeat: None };
        let job = jobs.add(&new, now).expect("failed to add").expect("there is room");
        assert_eq!((job.zone.as_deref(), job.state.next()), (Some(zone), Some(time(due))), "{text}");
    }
    for (text, message) in [
        ("CRON_TZ=Nowhere/Bad 0 9 * * *", "`Nowhere/Bad` is not a known time zone"),
        ("CRON_TZ= 0 9 * * *", "`` is not a known time zone"),
    ] {
        let error = fixture.jobs.in_zone_of(text).map(drop).expect_err("it is refused").to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    let (jobs, rest) = fixture.jobs.in_zone_of("CRON_TZ=UTC").expect("the zone is known");
    assert!(jobs.parse(rest, now).is_err());
}

#[test]
fn a_job_keeps_its_time_zone_wherever_it_is_read_and_run() {
    let fixture = fixture();
    let file = || Arc::new(Database::new(fixture.folder.path().join("state.db")));
    let of = |zone: &str| Jobs::new(file()).in_zone(TimeZone::get(zone).expect("the zone is known"));
    let (berlin, now) = (of("Europe/Berlin"), time("2026-03-01T12:00:00Z"));
    let schedule = berlin.parse("0 9 * * *", now).expect("it is a schedule");
    let new = NewJob { name: "a job", work: &JobWork::default(), schedule: &schedule, repeat: None };
    let job = berlin.add(&new, now).expect("failed to add").expect("there is room");
    assert_eq!((job.zone.as_deref(), job.state.next()), (Some("Europe/Berlin"), Some(time("2026-03-02T08:00:00Z"))));
    // A runner, and a person who resumes it, are elsewhere.
    let tokyo = of("Asia/Tokyo");
    assert_eq!(tokyo.time_of(&job, time("2026-03-02T08:00:00Z")), "2026-03-02T09:00:00+01:00");
    let due = time("2026-03-02T08:00:00Z");
    tokyo.acquire("a", due).expect("failed to acquire");
    let Claim::Run(claimed) = tokyo.claim("a", None, due).expect("failed to claim") else { panic!("it is due") };
    assert_eq!(claimed.0.state.next(), Some(time("2026-03-03T08:00:00Z")));
    let zone = tokyo.zone().expect("it is known");
    let resumed = tokyo.change(job.id, |job| job.activate(due, &zone)).expect("failed to change").expect("it exists");
    assert_eq!(resumed.1.state.next(), Some(time("2026-03-03T08:00:00Z")));
    // A job of an earlier version means the zone of the runner.
    let connection = rusqlite::Connection::open(fixture.folder.path().join("state.db")).expect("failed to open");
    connection.execute("UPDATE jobs SET zone = NULL", []).expect("failed to change");
    let resumed = tokyo.change(job.id, |job| job.activate(due, &zone)).expect("failed to change").expect("it exists");
    assert_eq!(resumed.1.state.next(), Some(time("2026-03-03T00:00:00Z")));
    connection.execute("UPDATE jobs SET zone = 'Nowhere/Bad'", []).expect("failed to change");
    let error = tokyo.list().expect_err("the zone is unknown").to_string();
    assert!(error.contains("the time zone `Nowhere/Bad` of a job is unknown on this computer"), "{error}");
}

#[test]
fn a_store_without_a_file_is_empty_and_stays_so() {
    let fixture = fixture();
    assert_eq!(fixture.jobs.list().expect("failed to read"), []);
    assert_eq!(fixture.jobs.get(1).expect("failed to read"), None);
    assert!(!fixture.jobs.remove(1).expect("failed to remove"));
    assert_eq!(fixture.jobs.change(1, |_| ()).expect("failed to change"), None);
    assert!(!fixture.folder.path().join("state.db").exists());
}

#[test]
fn the_number_of_jobs_is_limited_and_old_jobs_that_are_done_are_removed() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    let first = fixture.add("every 1h", None, now);
    for _ in 1..MAX_JOBS {
        fixture.add("every 1h", None, now);
    }
    let schedule = Schedule::Every(MINUTE);
    let new = NewJob { name: "more", work: &JobWork::default(), schedule: &schedule, repeat: None };
    assert_eq!(fixture.jobs.add(&new, now).expect("failed to add"), None);
    fixture.jobs.change(first.id, |job| job.state = JobState::Paused).expect("failed to change");
    assert_eq!(fixture.jobs.add(&new, now).expect("failed to add"), None);
    fixture.jobs.change(first.id, |job| job.state = JobState::Done).expect("failed to change");
    assert!(fixture.jobs.add(&new, now).expect("failed to add").is_some());
    // Each job makes room for the next one.
    for _ in 0..MAX_DONE + 10 {
        let last = fixture.jobs.list().expect("failed to read").pop().expect("there are jobs");
        fixture.jobs.change(last.id, |job| job.state = JobState::Done).expect("failed to change");
        fixture.add("every 1h", None, now);
    }
    let jobs = fixture.jobs.list().expect("failed to read");
    assert_eq!(jobs.len(), MAX_JOBS + usize::try_from(MAX_DONE).expect("it is small"));
    assert!(!jobs.iter().any(|job| job.id == first.id));
}

#[test]
fn missed_times_are_one_run_and_the_next_one_is_in_the_future() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    let job = fixture.add("every 30m", None, now);
    let early = now + 29 * MINUTE;
    fixture.acquire("a", early);
    assert_eq!(fixture.jobs.claim("a", None, early).expect("failed to claim"), Claim::Nothing(Some(now + 30 * MINUTE)));
    let later = now + 125 * MINUTE;
    fixture.acquire("a", later);
    let (claimed, run) = fixture.claim("a", later).expect("it is due");
    assert_eq!((claimed.id, run.due, run.missed), (job.id, now + 30 * MINUTE, 3));
    assert_eq!((claimed.state, claimed.begun), (JobState::Active(now + 150 * MINUTE), 1));
    // It is due again while it runs.
    let still = now + 200 * MINUTE;
    fixture.acquire("a", still);
    assert_eq!(fixture.claim("a", still), None);
    assert!(fixture.finish("a", &run, still));
    let (_, second) = fixture.claim("a", still).expect("it is due");
    assert_eq!((second.due, second.missed), (now + 150 * MINUTE, 1));
    assert_eq!(fixture.jobs.runs(job.id, 10).expect("failed to read").len(), 2);
}

#[test]
fn a_job_with_a_repeat_and_a_job_with_a_single_time_are_done_after_their_last_run() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    let (twice, once) = (fixture.add("every 1h", Some(2), now), fixture.add("in 90m", None, now));
    let mut runs = Vec::new();
    for hour in 1..10 {
        let now = now + hour * 60 * MINUTE;
        fixture.acquire("a", now);
        while let Some((job, run)) = fixture.claim("a", now) {
            fixture.finish("a", &run, now);
            runs.push((hour, job.id));
        }
    }
    assert_eq!(runs, [(1, twice.id), (2, once.id), (2, twice.id)]);
    for job in fixture.jobs.list().expect("failed to read") {
        assert_eq!(job.state, JobState::Done, "{job:?}");
    }
}

#[test]
fn one_holder_at_a_time_begins_runs() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    fixture.add("in 1m", None, now);
    assert_eq!(fixture.acquire("a", now), Lease::Held { interrupted: vec![] });
    assert_eq!(fixture.acquire("b", now + LEASE / 2), Lease::Taken { expires: now + LEASE });
    assert!(fixture.jobs.renew("a", now + LEASE / 2).expect("failed to renew"));
    assert!(!fixture.jobs.renew("b", now).expect("failed to renew"));
    assert_eq!(fixture.acquire("b", now + LEASE), Lease::Taken { expires: now + LEASE * 3 / 2 });
    assert_eq!(fixture.jobs.claim("b", None, now).expect("failed to claim"), Claim::Lost);
    // The holder was asleep, or was killed.
    let later = now + 2 * MINUTE;
    assert_eq!(fixture.jobs.claim("a", None, later).expect("failed to claim"), Claim::Lost);
    assert_eq!(fixture.acquire("b", later), Lease::Held { interrupted: vec![] });
    assert!(!fixture.jobs.renew("a", later).expect("failed to renew"));
    assert!(fixture.claim("b", later).is_some());
    fixture.jobs.release("a").expect("failed to release");
    assert!(matches!(fixture.acquire("a", later), Lease::Taken { .. }));
    fixture.jobs.release("b").expect("failed to release");
    assert_eq!(fixture.acquire("a", later), Lease::Held { interrupted: vec![1] });
}

#[test]
fn a_runner_is_known_until_its_lease_ends() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    let has_runner = |now| fixture.jobs.has_runner(now).expect("failed to read");
    assert!(!has_runner(now));
    fixture.acquire("a", now);
    assert!(has_runner(now) && !has_runner(now + LEASE));
    assert!(!has_runner(now - LEASE * 2), "a lease from the future is not valid");
    fixture.jobs.release("a").expect("failed to release");
    assert!(!has_runner(now));
}

#[test]
fn a_lease_from_the_future_is_not_valid() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    fixture.acquire("a", time("2030-03-01T12:00:00Z"));
    assert_eq!(fixture.acquire("b", now), Lease::Held { interrupted: vec![] });
}

#[test]
fn a_run_of_a_dead_process_is_interrupted_and_not_repeated() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    let (once, hourly) = (fixture.add("in 1h", None, now), fixture.add("every 1h", None, now));
    let due = now + 60 * MINUTE;
    fixture.acquire("a", due);
    let runs = [fixture.claim("a", due), fixture.claim("a", due)].map(|claimed| claimed.expect("both are due").1);
    assert_eq!(fixture.claim("a", due), None);
    let later = due + 5 * MINUTE;
    assert_eq!(fixture.acquire("b", later), Lease::Held { interrupted: vec![once.id, hourly.id] });
    assert_eq!(fixture.claim("b", later), None);
    for run in &runs {
        // What the old process would write comes too late.
        assert!(!fixture.finish("a", run, later));
        assert!(!fixture.jobs.is_open("a", run.id).expect("failed to read"));
        let run = fixture.jobs.run(run.id).expect("failed to read").expect("it is kept");
        assert_eq!(run.ended, Some((later, RunOutcome::Interrupted)));
        assert!(run.output.contains("is not repeated"), "{}", run.output);
    }
    let state = |id| fixture.jobs.get(id).expect("failed to read").expect("it exists").state;
    assert_eq!((state(once.id), state(hourly.id)), (JobState::Done, JobState::Active(now + 120 * MINUTE)));
}

#[test]
fn a_job_runs_before_its_time_if_a_person_wants_it() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    let job = fixture.add("every 1h", None, now);
    fixture.acquire("a", now);
    let claim = |only| fixture.jobs.claim("a", Some(only), now).expect("failed to claim");
    let Claim::Run(claimed) = claim(job.id) else { panic!("it runs") };
    assert_eq!((claimed.0.state, claimed.1.due), (JobState::Active(now + 60 * MINUTE), now));
    assert!(matches!(claim(job.id), Claim::Nothing(_)), "it runs once at a time");
    fixture.finish("a", &claimed.1, now);
    fixture.jobs.change(job.id, |job| job.state = JobState::Paused).expect("failed to change");
    let Claim::Run(claimed) = claim(job.id) else { panic!("it runs") };
    assert_eq!(claimed.0.state, JobState::Paused);
    assert!(matches!(claim(job.id + 1), Claim::Nothing(_)));
}

#[test]
fn a_removed_job_ends_its_run_and_old_runs_and_long_outputs_are_cut() {
    let fixture = fixture();
    let now = time("2026-03-01T12:00:00Z");
    let job = fixture.add("every 1m", None, now);
    let mut last = now;
    for _ in 0..MAX_RUNS + 5 {
        last += MINUTE;
        fixture.acquire("a", last);
        let (_, run) = fixture.claim("a", last).expect("it is due");
        fixture.jobs.finish("a", run.id, RunOutcome::Done, &"é".repeat(MAX_OUTPUT_CHARS + 1), last).expect("failed");
    }
    let runs = fixture.jobs.runs(job.id, usize::MAX).expect("failed to read");
    assert_eq!(runs.len(), MAX_RUNS);
    assert!(runs.iter().all(|run| run.output.chars().count() <= MAX_OUTPUT_CHARS));
    assert!(runs[0].output.contains("[101 characters are left out]"), "{}", runs[0].output.len());
    let result = fixture.jobs.latest_result(job.id).expect("failed to read");
    assert_eq!(result.as_ref(), runs.first());
    last += MINUTE;
    fixture.acquire("a", last);
    let (_, run) = fixture.claim("a", last).expect("it is due");
    assert!(fixture.jobs.is_open("a", run.id).expect("failed to read"));
    assert!(fixture.jobs.remove(job.id).expect("failed to remove"));
    assert!(!fixture.jobs.is_open("a", run.id).expect("failed to read"));
    assert!(!fixture.finish("a", &run, last));
}

#[test]
fn a_job_that_this_program_cannot_read_is_an_error_and_stays() {
    let fixture = fixture();
    let job = fixture.add("every 1m", None, time("2026-03-01T12:00:00Z"));
    let file = fixture.folder.path().join("state.db");
    let connection = rusqlite::Connection::open(file).expect("failed to open");
    connection.execute("UPDATE jobs SET schedule = 'now and then'", []).expect("failed to damage");
    let error = fixture.jobs.get(job.id).expect_err("it is damaged").to_string();
    assert!(error.contains("`now and then` is not a schedule"), "{error}");
    assert!(fixture.jobs.change(job.id, |job| job.state = JobState::Done).is_err());
    let state: String = connection.query_row("SELECT state FROM jobs", [], |row| row.get(0)).expect("failed to read");
    assert_eq!(state, "active");
}
