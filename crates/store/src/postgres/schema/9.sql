-- Format 9, as of the SQLite store.
ALTER TABLE memory ADD COLUMN ended text;   -- JSON; NULL: empty
ALTER TABLE prior ADD COLUMN ended text;    -- JSON; NULL: empty
