-- What is known about each call of a conversation, and of its helpers and scripts.
CREATE TABLE calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    -- The id of the call in the API. A call inside another one has a name made from both.
    call TEXT NOT NULL,
    -- The id of the call that it is inside of, such as the one that has run its script.
    inside TEXT,
    -- The own name of the tool.
    tool TEXT NOT NULL,
    began INTEGER NOT NULL,
    -- Everything else, for programs: a JSON value.
    details TEXT NOT NULL
) STRICT;
CREATE INDEX calls_of_session ON calls (session, id);
CREATE INDEX calls_by_name ON calls (call);
