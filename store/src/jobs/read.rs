//! Reads jobs and their runs.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{Job, JobRun, JobState, Jobs, RunOutcome, Schedule, zones};
use crate::error::StoreError;
use crate::time::from_milliseconds;

/// The columns of a [`Job`].
pub(super) const JOB: &str = "id, name, work, schedule, created, since, state, next, repeat, begun, zone";
/// The columns of a [`JobRun`].
const RUN: &str = "id, job, due, missed, started, ended, outcome, output";

impl Jobs {
    /// Returns all jobs, the oldest first.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn list(&self) -> Result<Vec<Job>, StoreError> {
        let sql = format!("SELECT {JOB} FROM jobs ORDER BY id");
        let jobs = self.database.read(|connection| connection.prepare(&sql)?.query_map([], job)?.collect())?;
        Ok(jobs.unwrap_or_default())
    }

    /// Returns a job, or `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn get(&self, id: i64) -> Result<Option<Job>, StoreError> {
        Ok(self.database.read(|connection| find_job(connection, id))?.flatten())
    }

    /// Returns the latest runs of a job, the latest first.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn runs(&self, id: i64, limit: usize) -> Result<Vec<JobRun>, StoreError> {
        let sql = format!("SELECT {RUN} FROM job_runs WHERE job = ?1 ORDER BY id DESC LIMIT ?2");
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let result =
            self.database.read(|connection| connection.prepare(&sql)?.query_map(params![id, limit], run)?.collect())?;
        Ok(result.unwrap_or_default())
    }

    /// Returns a run, or `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn run(&self, id: i64) -> Result<Option<JobRun>, StoreError> {
        let sql = format!("SELECT {RUN} FROM job_runs WHERE id = ?1");
        let result = self.database.read(|connection| connection.query_row(&sql, [id], run).optional())?;
        Ok(result.flatten())
    }

    /// Returns the latest result of a job, or `None` if it has none.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn latest_result(&self, id: i64) -> Result<Option<JobRun>, StoreError> {
        let sql = format!("SELECT {RUN} FROM job_runs WHERE job = ?1 AND outcome = 'done' ORDER BY id DESC LIMIT 1");
        let result = self.database.read(|connection| connection.query_row(&sql, [id], run).optional())?;
        Ok(result.flatten())
    }
}

pub(super) fn find_job(connection: &Connection, id: i64) -> rusqlite::Result<Option<Job>> {
    let sql = format!("SELECT {JOB} FROM jobs WHERE id = ?1");
    connection.prepare(&sql)?.query_row([id], job).optional()
}

pub(super) fn job(row: &Row<'_>) -> rusqlite::Result<Job> {
    let (work, schedule, state): (String, String, String) = (row.get(2)?, row.get(3)?, row.get(6)?);
    let damaged = |column, error: String| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into());
    let next = row.get::<_, Option<i64>>(7)?.map(from_milliseconds);
    Ok(Job {
        id: row.get(0)?,
        name: row.get(1)?,
        work: serde_json::from_str(&work).map_err(|error| damaged(2, error.to_string()))?,
        schedule: Schedule::from_stored(&schedule)
            .ok_or_else(|| damaged(3, format!("`{schedule}` is not a schedule")))?,
        zone: match row.get::<_, Option<String>>(10)? {
            // Refuse an unknown zone: in another zone, the job would run at other times.
            Some(name) if zones::find(&name).is_none() => {
                return Err(damaged(10, format!("the time zone `{name}` of a job is unknown on this computer")));
            }
            zone => zone,
        },
        created: from_milliseconds(row.get(4)?),
        intervals_start: from_milliseconds(row.get(5)?),
        state: match (&*state, next) {
            ("active", Some(next)) => JobState::Active(next),
            ("paused", None) => JobState::Paused,
            ("done", None) => JobState::Done,
            _ => return Err(damaged(6, format!("`{state}` is not a state of a job"))),
        },
        repeat: row.get(8)?,
        begun: row.get(9)?,
    })
}

fn run(row: &Row<'_>) -> rusqlite::Result<JobRun> {
    let outcome: Option<String> = row.get(6)?;
    let ended: Option<i64> = row.get(5)?;
    let ended = match (ended, outcome) {
        (Some(ended), Some(word)) => {
            let outcome = RunOutcome::from_word(&word).ok_or_else(|| {
                rusqlite::Error::FromSqlConversionFailure(6, Type::Text, format!("`{word}` is not an outcome").into())
            })?;
            Some((from_milliseconds(ended), outcome))
        }
        _ => None,
    };
    Ok(JobRun {
        id: row.get(0)?,
        job: row.get(1)?,
        due: from_milliseconds(row.get(2)?),
        missed: row.get::<_, i64>(3)?.unsigned_abs(),
        started: from_milliseconds(row.get(4)?),
        ended,
        output: row.get(7)?,
    })
}
