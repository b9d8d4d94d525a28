-- The API in whose format `raw` is. NULL for messages without it, and for those of earlier versions.
ALTER TABLE messages ADD COLUMN api TEXT;
