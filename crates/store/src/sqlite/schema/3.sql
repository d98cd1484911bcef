-- Format 3. What came to mind by day. No night's doing: undo leaves it.
ALTER TABLE memory ADD COLUMN recalls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN recalled_at TEXT;

-- The themes that nights saw: a row for each theme and night, with how the theme stood after it. Rows are only added;
-- undoing a night deletes its own. A table with a rowid, because rows this large belong into leaves only.
CREATE TABLE theme (
    npc        INTEGER NOT NULL REFERENCES npc (key),
    id         TEXT    NOT NULL,
    seq        INTEGER NOT NULL REFERENCES night (seq),   -- of the night
    -- What the night added.
    tonight    INTEGER NOT NULL,   -- memories
    importance REAL    NOT NULL,   -- their mean
    new        INTEGER NOT NULL,   -- whether no night before saw it
    -- How it stood after.
    words      TEXT    NOT NULL,   -- JSON
    centre     BLOB    NOT NULL,   -- little-endian f32
    tightness  REAL    NOT NULL,
    memories   INTEGER NOT NULL,
    nights     INTEGER NOT NULL,
    first_at   TEXT    NOT NULL,
    last_at    TEXT    NOT NULL,
    recent     TEXT    NOT NULL,   -- JSON
    PRIMARY KEY (npc, id, seq)
) STRICT;
-- From the last seen on, without reading the rows; what undoing deletes.
CREATE INDEX theme_seen ON theme (npc, seq DESC, id);
