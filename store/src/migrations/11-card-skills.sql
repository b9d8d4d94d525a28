-- The skills with which a worker begins: a JSON array of names.
ALTER TABLE cards ADD COLUMN skills TEXT NOT NULL DEFAULT '[]';
