-- What requests to models have cost, for each conversation and day. Conversations that are not recorded count, too.
CREATE TABLE spending (
    -- The date on this machine: 2026-03-01.
    day TEXT NOT NULL,
    -- The name of the conversation.
    session TEXT NOT NULL,
    -- In the currency of the prices.
    cost REAL NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (day, session)
) STRICT;
CREATE INDEX spending_of_session ON spending (session);
