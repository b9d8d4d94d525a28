CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The name for people and programs.
    name TEXT NOT NULL UNIQUE,
    -- Milliseconds since 1970, as all times of these tables.
    started INTEGER NOT NULL,
    -- What has started it: chat, agent, batch.
    source TEXT NOT NULL,
    directory TEXT NOT NULL,
    -- The API whose messages it has, and the model.
    api TEXT NOT NULL,
    model TEXT NOT NULL,
    title TEXT NOT NULL
) STRICT;
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    time INTEGER NOT NULL,
    -- What people read, and what is searched.
    text TEXT NOT NULL,
    -- The messages of the API, to the letter: a JSON array.
    raw TEXT NOT NULL,
    -- Calls or results, for programs: a JSON value.
    details TEXT NOT NULL,
    -- For a summary: the first message that it leaves as it is.
    keeps_from INTEGER,
    input_tokens INTEGER,
    cached_tokens INTEGER,
    output_tokens INTEGER
) STRICT;
CREATE INDEX messages_of_session ON messages (session, id);
CREATE VIRTUAL TABLE messages_index USING fts5 (
    text, content = 'messages', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN
    INSERT INTO messages_index (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER messages_removed AFTER DELETE ON messages BEGIN
    INSERT INTO messages_index (messages_index, rowid, text) VALUES ('delete', old.id, old.text);
END;
