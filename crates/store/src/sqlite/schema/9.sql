-- Format 9. A position that an entry states can end while the rest of it stays.
ALTER TABLE memory ADD COLUMN ended TEXT;   -- JSON; NULL: empty
ALTER TABLE prior ADD COLUMN ended TEXT;    -- JSON; NULL: empty
