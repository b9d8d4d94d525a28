CREATE TABLE jobs (
    -- An id is never used again.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    -- What to do: a JSON value.
    work TEXT NOT NULL,
    schedule TEXT NOT NULL,
    -- Milliseconds since 1970, as all times of these tables.
    created INTEGER NOT NULL,
    -- The time from which an interval counts.
    since INTEGER NOT NULL,
    -- `active`, `paused` or `done`.
    state TEXT NOT NULL,
    -- When it is due. Only an active job has it.
    next INTEGER,
    -- The number of times that it runs, if that is limited, and the number of runs that have begun.
    repeat INTEGER,
    begun INTEGER NOT NULL,
    CHECK ((state = 'active') = (next IS NOT NULL))
) STRICT;
CREATE INDEX jobs_due ON jobs (next) WHERE next IS NOT NULL;
CREATE TABLE job_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    runner TEXT NOT NULL,
    due INTEGER NOT NULL,
    -- The number of times since then at which the job was also due, for which this run stands.
    missed INTEGER NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER,
    -- While it runs, there is none.
    outcome TEXT,
    output TEXT NOT NULL,
    CHECK ((ended IS NULL) = (outcome IS NULL))
) STRICT;
CREATE INDEX runs_of_job ON job_runs (job, id);
-- A job runs at most once at a time.
CREATE UNIQUE INDEX open_runs ON job_runs (job) WHERE outcome IS NULL;
-- The one process that may begin runs.
CREATE TABLE job_runner (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    expires INTEGER NOT NULL
) STRICT;
