//! The store of jobs: their work, their schedules, and the results of their runs.
//!
//! Only the process that holds the [lease](Jobs::acquire) begins runs. Before a run begins, it is recorded on the disk, together with the
//! next time of its job. So a job is never run twice for the same time, even if the process is killed: the open run is recorded as
//! interrupted, and the job waits for its next time.

mod read;
mod runner;
mod schedule;
#[cfg(test)]
mod tests;
mod zones;

use std::sync::Arc;
use std::time::SystemTime;

use jiff::tz::TimeZone;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use crate::database::Database;
use crate::error::StoreError;
use crate::time::{from_milliseconds, milliseconds};
use read::find_job;
pub use runner::{Claim, LEASE, Lease};
pub use schedule::{Schedule, ScheduleError};

/// The maximum number of jobs that are not done.
pub const MAX_JOBS: usize = 50;
/// The maximum number of jobs that are done. The oldest are removed.
const MAX_DONE: i64 = 50;
/// The number of runs of a job that are kept.
pub const MAX_RUNS: usize = 20;
/// The maximum length of the output of a run, in characters.
pub const MAX_OUTPUT_CHARS: usize = 50_000;

/// The jobs in a [`Database`].
#[derive(Debug, Clone)]
pub struct Jobs {
    database: Arc<Database>,
    zone: Option<TimeZone>,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Job {
    /// The id, which is never used for another job.
    pub id: i64,
    /// A name for people.
    pub name: String,
    /// The work.
    pub work: JobWork,
    /// When the job is due.
    pub schedule: Schedule,
    /// The name of the time zone of the schedule. `None` means the time zone of the runner.
    pub zone: Option<String>,
    /// When the job was created.
    pub created: SystemTime,
    /// The time from which the intervals of the schedule are counted.
    pub intervals_start: SystemTime,
    /// Whether the job is active.
    pub state: JobState,
    /// The number of runs after which the job is done, or `None` if there is no limit.
    pub repeat: Option<u32>,
    /// The number of runs that have begun.
    pub begun: u32,
}

/// Whether a job is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// The job is due at this time.
    Active(SystemTime),
    /// The job is not due until it is resumed.
    Paused,
    /// The job is never due again.
    Done,
}

/// What a job does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobWork {
    /// The task for the model.
    pub prompt: Option<String>,
    /// A command line, whose output the model gets.
    pub script: Option<String>,
    /// Whether the output of the script is the result, without a model.
    pub no_agent: bool,
    /// The requested toolsets. If empty, the job has the toolsets of the conversation that made it.
    pub toolsets: Vec<String>,
    /// The tools of the job: at most the tools of the conversation that made it.
    pub tools: Vec<String>,
    /// The working directory.
    pub directory: String,
    /// The kind of environment in which its tools act.
    pub environment: String,
    /// Whether results are written to a file, instead of the terminal of the runner.
    pub to_file: bool,
    /// The jobs whose latest results the model gets.
    pub context_from: Vec<i64>,
    /// The skills with which the model begins.
    pub skills: Vec<String>,
    /// The conversation that made the job, or an empty text if a person made it.
    pub session: String,
}

/// A job to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob<'a> {
    /// A name for people.
    pub name: &'a str,
    /// The work.
    pub work: &'a JobWork,
    /// When the job is due.
    pub schedule: &'a Schedule,
    /// The number of runs after which the job is done.
    pub repeat: Option<u32>,
}

/// A run of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobRun {
    /// The id, which is never used for another run.
    pub id: i64,
    /// The id of the job.
    pub job: i64,
    /// The time at which the job was due.
    pub due: SystemTime,
    /// The number of later times at which the job was due and did not run, because this run stands for them.
    pub missed: u64,
    /// When the run began.
    pub started: SystemTime,
    /// The end of the run and its outcome, or `None` while it runs.
    pub ended: Option<(SystemTime, RunOutcome)>,
    /// The result or the error message.
    pub output: String,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOutcome {
    /// The run has a result.
    Done,
    /// The run failed. The output is the reason.
    Failed,
    /// The run took too long.
    TimedOut,
    /// The process of the runner ended, or lost the lease. The run is not repeated.
    Interrupted,
}

impl RunOutcome {
    const ALL: [Self; 4] = [Self::Done, Self::Failed, Self::TimedOut, Self::Interrupted];

    /// Returns the word for the outcome: `done`, `failed`, `timed_out` or `interrupted`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Interrupted => "interrupted",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

impl JobState {
    /// Returns the word for the state: `active`, `paused` or `done`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active(_) => "active",
            Self::Paused => "paused",
            Self::Done => "done",
        }
    }

    /// Returns when the job is due.
    pub const fn next(self) -> Option<SystemTime> {
        match self {
            Self::Active(next) => Some(next),
            Self::Paused | Self::Done => None,
        }
    }
}

impl Job {
    /// Makes the job active: it is due at its next time after `now`. If it has no further time or has reached its number of runs, it is
    /// done. `zone` is used if the job has no time zone.
    pub fn activate(&mut self, now: SystemTime, zone: &TimeZone) {
        self.intervals_start = now;
        self.advance(now, zone);
    }

    /// Sets the state to the first due time after `now`, or to done.
    fn advance(&mut self, now: SystemTime, zone: &TimeZone) {
        let is_complete = self.repeat.is_some_and(|repeat| self.begun >= repeat);
        let next = self.schedule.next(self.intervals_start, now, &self.zone_or(zone)).filter(|_| !is_complete);
        self.state = next.map_or(JobState::Done, JobState::Active);
    }

    /// Returns the time zone of the job, or `zone` if it has none. The name of the zone is always known, because a job with an unknown one
    /// cannot be read.
    fn zone_or(&self, zone: &TimeZone) -> TimeZone {
        self.zone.as_deref().and_then(zones::find).unwrap_or_else(|| zone.clone())
    }
}

impl Jobs {
    /// Returns the jobs in a database. New schedules use this computer's time zone: `TZ`, or the system's.
    pub fn new(database: Arc<Database>) -> Self {
        Self { database, zone: None }
    }

    /// Sets another time zone.
    #[must_use]
    pub fn in_zone(self, zone: TimeZone) -> Self {
        Self { zone: Some(zone), ..self }
    }

    /// Returns the time zone of this computer.
    ///
    /// # Errors
    /// Returns an error if the variable `TZ` does not name a time zone.
    pub fn zone(&self) -> Result<TimeZone, ScheduleError> {
        self.zone.clone().map_or_else(zones::system_zone, Ok)
    }

    /// Returns the name of this computer's time zone, which new jobs keep. `None` if no name identifies it.
    pub fn zone_name(&self) -> Option<String> {
        self.zone().ok().and_then(|zone| zones::name(&zone))
    }

    /// Returns the time zone of jobs without a time zone. A wrong `TZ` is refused when a schedule is read and when a runner starts.
    fn default_zone(&self) -> TimeZone {
        self.zone().unwrap_or(TimeZone::UTC)
    }

    /// Reads the time zone that a schedule begins with, as in `CRON_TZ=Europe/Berlin 0 9 * * *`. Returns these jobs in that zone, and the
    /// rest of the schedule. Without a zone, both are as before.
    ///
    /// # Errors
    /// Returns an error if the zone is unknown.
    pub fn in_zone_of<'s>(&self, schedule: &'s str) -> Result<(Self, &'s str), ScheduleError> {
        let database = Arc::clone(&self.database);
        let named = ["CRON_TZ=", "TZ="].into_iter().find_map(|prefix| schedule.trim_start().strip_prefix(prefix));
        let Some(named) = named else { return Ok((Self { database, zone: self.zone.clone() }, schedule)) };
        let (name, rest) = named.split_once(char::is_whitespace).unwrap_or((named, ""));
        let zone = zones::find(name.trim_matches(['"', '\''])).ok_or_else(|| zones::unknown(name))?;
        Ok((Self { database, zone: Some(zone) }, rest))
    }

    /// Reads a schedule, as [`Schedule::parse`] says.
    ///
    /// # Errors
    /// Returns an error that says what was expected.
    pub fn parse(&self, schedule: &str, now: SystemTime) -> Result<Schedule, ScheduleError> {
        Schedule::parse(schedule, now, &self.zone()?)
    }

    /// Returns a time as text, in the time zone of a job: `2026-03-01T09:00:00+01:00`.
    pub fn time_of(&self, job: &Job, time: SystemTime) -> String {
        schedule::zoned_text(time, &job.zone_or(&self.default_zone()))
    }

    /// Returns a time as text, in the time zone of this computer.
    pub fn time_text(&self, time: SystemTime) -> String {
        schedule::zoned_text(time, &self.default_zone())
    }

    /// Adds a job. Returns `None` if [`MAX_JOBS`] jobs are not done.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn add(&self, job: &NewJob<'_>, now: SystemTime) -> Result<Option<Job>, StoreError> {
        let zone = self.default_zone();
        self.database.write_durably(|connection| {
            let sql = "SELECT count(*) FROM jobs WHERE state <> 'done'";
            let count: i64 = connection.query_row(sql, [], |row| row.get(0))?;
            if usize::try_from(count).is_ok_and(|count| count >= MAX_JOBS) {
                return Ok(None);
            }
            let mut job = Job {
                id: 0,
                name: job.name.to_owned(),
                work: job.work.clone(),
                schedule: job.schedule.clone(),
                zone: zones::name(&zone),
                created: now,
                intervals_start: now,
                state: JobState::Done,
                repeat: job.repeat,
                begun: 0,
            };
            job.activate(now, &zone);
            connection.execute(
                "INSERT INTO jobs (name, work, schedule, created, since, state, next, repeat, begun) \
                 VALUES ('', '{}', '', ?1, ?1, 'done', NULL, NULL, 0)",
                [milliseconds(now)],
            )?;
            job.id = connection.last_insert_rowid();
            save(connection, &job)?;
            let sql = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state = 'done' ORDER BY id DESC LIMIT -1 OFFSET ?1)";
            connection.execute(sql, [MAX_DONE])?;
            Ok(Some(job))
        })
    }

    /// Changes a job. Returns the result of `change` and the changed job, or `None` if the job does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn change<T>(&self, id: i64, change: impl FnOnce(&mut Job) -> T) -> Result<Option<(T, Job)>, StoreError> {
        if self.database.read(|_| Ok(()))?.is_none() {
            return Ok(None);
        }
        self.database.write_durably(|connection| {
            let Some(before) = find_job(connection, id)? else { return Ok(None) };
            let mut job = before.clone();
            let result = change(&mut job);
            if job != before {
                save(connection, &job)?;
            }
            Ok(Some((result, job)))
        })
    }

    /// Removes a job with its runs. Returns whether it existed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn remove(&self, id: i64) -> Result<bool, StoreError> {
        // Do not create a file only to remove something from it.
        if self.database.read(|_| Ok(()))?.is_none() {
            return Ok(false);
        }
        self.database.write_durably(|connection| Ok(connection.execute("DELETE FROM jobs WHERE id = ?1", [id])? > 0))
    }
}

fn save(connection: &Connection, job: &Job) -> rusqlite::Result<()> {
    let sql = "UPDATE jobs SET name = ?2, work = ?3, schedule = ?4, since = ?5, state = ?6, next = ?7, repeat = ?8, begun = ?9, \
               zone = ?10 WHERE id = ?1";
    let work =
        serde_json::to_string(&job.work).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let next = job.state.next().map(milliseconds);
    connection.prepare(sql)?.execute(params![
        job.id,
        job.name,
        work,
        job.schedule.to_string(),
        milliseconds(job.intervals_start),
        job.state.word(),
        next,
        job.repeat,
        job.begun,
        job.zone,
    ])?;
    Ok(())
}

/// Returns a time with the precision of stored times.
fn with_stored_precision(time: SystemTime) -> SystemTime {
    from_milliseconds(milliseconds(time))
}
