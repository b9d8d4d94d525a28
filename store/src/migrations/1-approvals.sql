CREATE TABLE approvals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- What identifies the command. The other columns repeat a part of it, for people.
    key TEXT NOT NULL UNIQUE,
    tool TEXT NOT NULL,
    environment TEXT NOT NULL,
    directory TEXT NOT NULL,
    line TEXT NOT NULL,
    -- Seconds since 1970.
    added INTEGER NOT NULL
) STRICT;
