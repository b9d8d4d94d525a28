-- The name of the time zone whose clock the schedule of a job means. Without it, that of the runner.
ALTER TABLE jobs ADD COLUMN zone TEXT;
