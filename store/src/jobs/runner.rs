//! The methods of the runner: it holds the lease, claims due jobs, and records the results of their runs.

use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension as _, params};
use toolc::text::without_middle;

use super::read::{JOB, job};
use super::{Job, JobRun, Jobs, MAX_OUTPUT_CHARS, MAX_RUNS, RunOutcome, save, with_stored_precision};
use crate::error::StoreError;
use crate::time::{from_milliseconds, milliseconds};

/// How long a lease is valid after it was acquired or renewed. Renew it several times in this time.
pub const LEASE: Duration = Duration::from_secs(30);

/// The output of a run whose process has ended.
const INTERRUPTED: &str = "The process of the run ended before the run. The run is not repeated.";

/// The result of acquiring the lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lease {
    /// The caller holds the lease. Open runs of earlier holders are recorded as interrupted.
    Held {
        /// The ids of the jobs of the interrupted runs.
        interrupted: Vec<i64>,
    },
    /// Another process holds the lease.
    Taken {
        /// When the lease expires, unless it is renewed.
        expires: SystemTime,
    },
}

/// The result of claiming a due job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// A run has begun. The caller must do the work now.
    Run(Box<(Job, JobRun)>),
    /// No job is due before this time.
    Nothing(Option<SystemTime>),
    /// The caller no longer holds the lease.
    Lost,
}

impl Jobs {
    /// Acquires or renews the lease for the holder `name`, which must be unique for each process.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn acquire(&self, name: &str, now: SystemTime) -> Result<Lease, StoreError> {
        self.database.write_durably(|connection| {
            let sql = "SELECT name, expires FROM job_runner";
            let holder = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, from_milliseconds(row.get(1)?)));
            if let Some((holder, expires)) = connection.query_row(sql, [], holder).optional()?
                && holder != name
                && expires > now
                // After a correction of the clock, a lease could otherwise be valid for years.
                && expires <= now + LEASE * 2
            {
                return Ok(Lease::Taken { expires });
            }
            connection.execute(
                "INSERT OR REPLACE INTO job_runner (id, name, expires) VALUES (1, ?1, ?2)",
                params![name, milliseconds(now + LEASE)],
            )?;
            let sql = "UPDATE job_runs SET ended = ?2, outcome = 'interrupted', output = ?3 \
                       WHERE outcome IS NULL AND runner <> ?1 RETURNING job";
            let mut statement = connection.prepare(sql)?;
            let interrupted = statement.query_map(params![name, milliseconds(now), INTERRUPTED], |row| row.get(0))?;
            Ok(Lease::Held { interrupted: interrupted.collect::<rusqlite::Result<_>>()? })
        })
    }

    /// Renews the lease. Returns false if the holder no longer has it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn renew(&self, name: &str, now: SystemTime) -> Result<bool, StoreError> {
        let sql = "UPDATE job_runner SET expires = ?2 WHERE name = ?1";
        let expires = milliseconds(now + LEASE);
        self.database.write(|connection| Ok(connection.execute(sql, params![name, expires])? > 0))
    }

    /// Returns whether a runner holds the lease. A runner that was killed holds it until it expires.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn has_runner(&self, now: SystemTime) -> Result<bool, StoreError> {
        let sql = "SELECT expires FROM job_runner";
        let read = |connection: &Connection| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).optional();
        let expires = self.database.read(read)?.flatten().map(from_milliseconds);
        Ok(expires.is_some_and(|expires| expires > now && expires <= now + LEASE * 2))
    }

    /// Releases the lease.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn release(&self, name: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM job_runner WHERE name = ?1";
        self.database.write(|connection| connection.execute(sql, [name]).map(drop))
    }

    /// Begins a run of the job that has been due for the longest time, or of the job with the id `only`, even if it is not due.
    ///
    /// The next time of the job is its first time after `now`. Times that have passed since the job was due are missed, and this run covers
    /// them. A job is not run while its last run has not ended.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn claim(&self, name: &str, only: Option<i64>, now: SystemTime) -> Result<Claim, StoreError> {
        let (zone, now) = (self.default_zone(), with_stored_precision(now));
        self.database.write_durably(|connection| {
            if !holds(connection, name, now)? {
                return Ok(Claim::Lost);
            }
            let idle = "NOT EXISTS (SELECT 1 FROM job_runs WHERE job = jobs.id AND outcome IS NULL)";
            let row = if let Some(id) = only {
                let sql = format!("SELECT {JOB} FROM jobs WHERE id = ?1 AND {idle}");
                connection.query_row(&sql, [id], job).optional()?
            } else {
                let sql = format!("SELECT {JOB} FROM jobs WHERE next <= ?1 AND {idle} ORDER BY next, id LIMIT 1");
                connection.query_row(&sql, [milliseconds(now)], job).optional()?
            };
            let Some(mut job) = row else {
                let sql = format!("SELECT min(next) FROM jobs WHERE next IS NOT NULL AND {idle}");
                let next: Option<i64> = connection.query_row(&sql, [], |row| row.get(0))?;
                return Ok(Claim::Nothing(next.map(from_milliseconds)));
            };
            let due = job.state.next().filter(|due| *due <= now);
            let missed = due.map_or(0, |due| job.schedule.missed(job.intervals_start, due, now, &job.zone_or(&zone)));
            job.begun = job.begun.saturating_add(1);
            // If a job runs before its time or while it is paused, its next time does not change.
            if due.is_some() || job.repeat.is_some_and(|repeat| job.begun >= repeat) {
                job.advance(now, &zone);
            }
            save(connection, &job)?;
            let due = due.unwrap_or(now);
            connection.execute(
                "INSERT INTO job_runs (job, runner, due, missed, started, output) VALUES (?1, ?2, ?3, ?4, ?5, '')",
                params![job.id, name, milliseconds(due), missed.cast_signed(), milliseconds(now)],
            )?;
            let id = connection.last_insert_rowid();
            let sql = "DELETE FROM job_runs WHERE job = ?1 AND id IN \
                       (SELECT id FROM job_runs WHERE job = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2)";
            connection.execute(sql, params![job.id, i64::try_from(MAX_RUNS).unwrap_or(i64::MAX)])?;
            let run = JobRun { id, job: job.id, due, missed, started: now, ended: None, output: String::new() };
            Ok(Claim::Run(Box::new((job, run))))
        })
    }

    /// Returns when the next job is due, or `None` if no job is active.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        let sql = "SELECT min(next) FROM jobs WHERE next IS NOT NULL \
                   AND NOT EXISTS (SELECT 1 FROM job_runs WHERE job = jobs.id AND outcome IS NULL)";
        let next =
            self.database.read(|connection| connection.query_row(sql, [], |row| row.get::<_, Option<i64>>(0)))?;
        Ok(next.flatten().map(from_milliseconds))
    }

    /// Records the outcome and the output of a run. If the output is too long, its middle is left out. Returns false if the run is no longer
    /// open, because its job was removed or another process has taken the lease.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn finish(
        &self,
        name: &str,
        run: i64,
        outcome: RunOutcome,
        output: &str,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        // Leave space for the line about the omitted characters.
        let output = without_middle(output, MAX_OUTPUT_CHARS - 100);
        let sql = "UPDATE job_runs SET ended = ?3, outcome = ?4, output = ?5 WHERE id = ?1 AND runner = ?2 AND outcome IS NULL";
        self.database.write_durably(|connection| {
            let values = params![run, name, milliseconds(now), outcome.word(), output];
            Ok(connection.execute(sql, values)? > 0)
        })
    }

    /// Returns whether a run is open.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn is_open(&self, name: &str, run: i64) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM job_runs WHERE id = ?1 AND runner = ?2 AND outcome IS NULL";
        let row = self
            .database
            .read(|connection| connection.prepare(sql)?.query_row(params![run, name], |_| Ok(())).optional())?;
        Ok(row.flatten().is_some())
    }
}

fn holds(connection: &Connection, name: &str, now: SystemTime) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM job_runner WHERE name = ?1 AND expires > ?2";
    let row = connection.prepare(sql)?.query_row(params![name, milliseconds(now)], |_| Ok(())).optional()?;
    Ok(row.is_some())
}
