-- Format 4. What was put away long ago can be deleted for good.

-- What was deleted: it was slept on, and is not slept on again.
CREATE TABLE gone (
    npc   INTEGER NOT NULL REFERENCES npc (key),
    id    TEXT    NOT NULL,
    known BLOB    NOT NULL CHECK (length(known) = 16),   -- fingerprint of text and at
    PRIMARY KEY (npc, id)
) STRICT, WITHOUT ROWID;

-- The latest night (its seq) that can no longer be taken back; NULL where all can.
ALTER TABLE npc ADD COLUMN purged INTEGER;
