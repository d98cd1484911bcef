-- Format 2. Older entries become one, and what was put away comes back.

-- What was archived without a vector gets one when it comes back.
ALTER TABLE vector ADD COLUMN version INTEGER;   -- that added it later than its memory; NULL where it came with it
CREATE INDEX vector_later ON vector (npc, version) WHERE version IS NOT NULL;

-- The edges that a night removed: what undo puts back.
CREATE TABLE prior_edge (
    npc     INTEGER NOT NULL,
    version INTEGER NOT NULL,   -- of the night that removed it
    derived TEXT    NOT NULL,
    source  TEXT    NOT NULL,
    drawn   INTEGER NOT NULL,   -- the version that drew it
    PRIMARY KEY (npc, version, derived, source)
) STRICT, WITHOUT ROWID;

-- What a memory is the successor of. Few have one.
CREATE INDEX memory_superseded ON memory (npc, superseded_by) WHERE superseded_by IS NOT NULL;
