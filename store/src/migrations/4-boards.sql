CREATE TABLE cards (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    board TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    assignee TEXT NOT NULL,
    -- Who accepts the work. Without one, whoever works on the card completes it.
    reviewer TEXT,
    tenant TEXT,
    priority INTEGER NOT NULL,
    -- Where to work: a JSON value.
    workspace TEXT NOT NULL,
    idempotency_key TEXT,
    -- Seconds.
    max_runtime INTEGER,
    max_turns INTEGER NOT NULL,
    author TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Why the card is blocked, or what kept its last worker from completing it.
    block_kind TEXT,
    block_reason TEXT,
    -- A ready card is not claimed before this time. Milliseconds since 1970, as all times of these tables.
    ready_at INTEGER NOT NULL DEFAULT 0,
    -- The number of claims since a person or an agent last changed the status.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- Who works on the card: the name of the worker, and the claim, which is unique.
    worker TEXT,
    claim TEXT UNIQUE,
    claimed INTEGER,
    claim_ends INTEGER,
    -- What the work has led to: a JSON value.
    outcome TEXT,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
) STRICT;
CREATE INDEX cards_of_board ON cards (board, status, priority DESC, id);
CREATE UNIQUE INDEX cards_by_key ON cards (board, idempotency_key) WHERE idempotency_key IS NOT NULL AND status <> 'archived';
CREATE INDEX cards_by_claim ON cards (claim_ends) WHERE claim IS NOT NULL;
CREATE TABLE card_links (
    parent INTEGER NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    child INTEGER NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    PRIMARY KEY (parent, child)
) STRICT, WITHOUT ROWID;
CREATE INDEX card_links_by_child ON card_links (child, parent);
CREATE TABLE card_notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    card INTEGER NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    time INTEGER NOT NULL,
    author TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX card_notes_of_card ON card_notes (card, id);
CREATE TABLE card_attachments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    card INTEGER NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    time INTEGER NOT NULL,
    author TEXT NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE INDEX card_attachments_of_card ON card_attachments (card, id);
