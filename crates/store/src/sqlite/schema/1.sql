-- Format 1. Times are numbers (twice the seconds, and one more for a date), lists and reasons are JSON, vectors are packed.
-- Tables with a key of several columns have no rowid beside it, but for those whose rows are large.

-- What is true of the store as a whole: one row.
CREATE TABLE store (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    model    TEXT,              -- of the vectors; NULL while there is none
    last_run INTEGER NOT NULL   -- the highest number a run was ever given
) STRICT;
INSERT INTO store VALUES (1, NULL, 0);

-- The NPCs with at least one night.
CREATE TABLE npc (
    key     INTEGER PRIMARY KEY,
    name    TEXT    NOT NULL UNIQUE,
    version INTEGER NOT NULL,   -- in force
    purged  INTEGER             -- the latest night (its seq) that can no longer be taken back; NULL where all can
) STRICT;

-- The nights that are applied, in the order they were. A version is the fingerprint of a night and of what it
-- was planned against: it names the night, and says nothing of order.
CREATE TABLE night (
    seq          INTEGER PRIMARY KEY,
    npc          INTEGER NOT NULL REFERENCES npc (key),
    version      INTEGER NOT NULL,
    base_version INTEGER NOT NULL,
    label        TEXT    NOT NULL,
    at           INTEGER NOT NULL,   -- time
    run          INTEGER NOT NULL,
    changes      INTEGER NOT NULL,
    npc_tags     TEXT    NOT NULL,   -- JSON: they choose the NPC's profile
    UNIQUE (npc, version)
) STRICT;

-- Everything an NPC ever slept on, one NPC beside the other and in order of id. Vectors stand apart, so that
-- listing and looking up read little. The fingerprint stands first, so that all of an NPC's are read without the
-- texts. (An index of them was measured: 2 to 4 ms less for 30,000 rows, for a second tree to write.)
CREATE TABLE memory (
    npc                  INTEGER NOT NULL REFERENCES npc (key),
    id                   TEXT    NOT NULL,
    known                BLOB    NOT NULL CHECK (length(known) = 16),   -- fingerprint of text and at
    version              INTEGER NOT NULL,   -- that wrote it
    night                TEXT    NOT NULL,
    -- What is remembered: written once.
    form                 TEXT    NOT NULL,
    kind                 TEXT    NOT NULL,
    text                 TEXT    NOT NULL,
    at                   INTEGER NOT NULL,   -- time
    occurrences          INTEGER NOT NULL,
    actors               TEXT    NOT NULL,   -- JSON
    place                TEXT,
    valence              REAL,
    intensity            REAL,
    sketch               BLOB CHECK (length(sketch) > 0),   -- signs of the embedding, of what was archived on its first night
    -- How it stands: later nights change it.
    last_at              INTEGER NOT NULL,   -- time
    importance           INTEGER NOT NULL,
    pinned               INTEGER NOT NULL,
    tags                 TEXT    NOT NULL,   -- JSON
    sources              TEXT    NOT NULL,   -- JSON
    state                TEXT    NOT NULL CHECK (state IN ('active', 'archived')),
    archived_by          TEXT,
    corroborations       INTEGER NOT NULL,
    confidence           TEXT    NOT NULL CHECK (confidence IN ('normal', 'high')),
    superseded_by        TEXT,
    contested_with       TEXT    NOT NULL,   -- JSON: each names the other; what is archived names none
    ended                TEXT    NOT NULL,   -- JSON: positions that it states and that no longer hold
    last_corroborated_at INTEGER,            -- time
    touched_at           INTEGER NOT NULL,   -- time
    -- Recalls by day. No night's doing: undo leaves them.
    recalls              INTEGER NOT NULL DEFAULT 0,
    recalled_at          INTEGER,            -- time
    PRIMARY KEY (npc, id)
) STRICT, WITHOUT ROWID;
-- What a memory is the successor of. Few have one.
CREATE INDEX memory_superseded ON memory (npc, superseded_by) WHERE superseded_by IS NOT NULL;

-- How a memory stood before a night changed it: what undo puts back.
CREATE TABLE prior (
    npc                  INTEGER NOT NULL,
    version              INTEGER NOT NULL,   -- of the night that changed it
    id                   TEXT    NOT NULL,
    last_at              INTEGER NOT NULL,
    importance           INTEGER NOT NULL,
    pinned               INTEGER NOT NULL,
    tags                 TEXT    NOT NULL,
    sources              TEXT    NOT NULL,
    state                TEXT    NOT NULL,
    archived_by          TEXT,
    corroborations       INTEGER NOT NULL,
    confidence           TEXT    NOT NULL,
    superseded_by        TEXT,
    contested_with       TEXT    NOT NULL,
    ended                TEXT    NOT NULL,
    last_corroborated_at INTEGER,
    touched_at           INTEGER NOT NULL,
    PRIMARY KEY (npc, version, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector (
    npc     INTEGER NOT NULL,
    id      TEXT    NOT NULL,
    version INTEGER,   -- that added it later than its memory, as when it was restored; NULL where it came with it
    numbers BLOB    NOT NULL,
    PRIMARY KEY (npc, id),
    FOREIGN KEY (npc, id) REFERENCES memory (npc, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX vector_later ON vector (npc, version) WHERE version IS NOT NULL;

-- DERIVED_FROM. A source may be something the game knows and the store does not.
CREATE TABLE edge (
    npc     INTEGER NOT NULL,
    derived TEXT    NOT NULL,
    source  TEXT    NOT NULL,
    version INTEGER NOT NULL,   -- that drew it
    PRIMARY KEY (npc, derived, source),
    FOREIGN KEY (npc, derived) REFERENCES memory (npc, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_from ON edge (npc, source);

-- The edges that a night removed: what undo puts back.
CREATE TABLE prior_edge (
    npc     INTEGER NOT NULL,
    version INTEGER NOT NULL,   -- of the night that removed it
    derived TEXT    NOT NULL,
    source  TEXT    NOT NULL,
    drawn   INTEGER NOT NULL,   -- the version that drew it
    PRIMARY KEY (npc, version, derived, source)
) STRICT, WITHOUT ROWID;

-- What each night did, change by change. Lines of an entry are looked for among those of its NPC: an index of them would
-- be a fifth of the log.
CREATE TABLE log (
    npc     INTEGER NOT NULL,
    version INTEGER NOT NULL,
    ord     INTEGER NOT NULL,
    verb    TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    reason  TEXT    NOT NULL,   -- JSON
    PRIMARY KEY (npc, version, ord),
    FOREIGN KEY (npc, version) REFERENCES night (npc, version)
) STRICT, WITHOUT ROWID;

-- The themes that nights saw: a row for each theme and night, with how the theme stood after it. Rows are only added;
-- undoing a night deletes its own. A table with a rowid, because rows this large would overflow the pages of a key.
CREATE TABLE theme (
    npc        INTEGER NOT NULL REFERENCES npc (key),
    id         TEXT    NOT NULL,
    seq        INTEGER NOT NULL REFERENCES night (seq),   -- of the night
    -- What the night added.
    members    TEXT    NOT NULL,   -- ids, JSON
    importance REAL    NOT NULL,   -- their mean
    new        INTEGER NOT NULL,   -- whether no night before saw it
    -- How it stood after.
    words      TEXT    NOT NULL,   -- JSON
    memories   INTEGER NOT NULL,
    nights     INTEGER NOT NULL,
    first_at   INTEGER NOT NULL,   -- time
    last_at    INTEGER NOT NULL,   -- time
    recent     TEXT    NOT NULL,   -- JSON
    centre     BLOB    NOT NULL,
    PRIMARY KEY (npc, id, seq)
) STRICT;
-- From the last seen on, without reading the rows; what undoing deletes.
CREATE INDEX theme_seen ON theme (npc, seq DESC, id);

-- What was deleted: it was slept on, and is not slept on again.
CREATE TABLE gone (
    npc   INTEGER NOT NULL REFERENCES npc (key),
    id    TEXT    NOT NULL,
    known BLOB    NOT NULL CHECK (length(known) = 16),   -- fingerprint of text and at
    PRIMARY KEY (npc, id)
) STRICT, WITHOUT ROWID;

-- Nights that a rewind has shelved: not in force, with everything that carries them out again. NPCs are named, for one
-- that has no night in force has no key.
CREATE TABLE shelved (
    npc          TEXT    NOT NULL,
    version      INTEGER NOT NULL,
    base_version INTEGER NOT NULL,
    night        TEXT    NOT NULL,   -- JSON
    PRIMARY KEY (npc, version)
) STRICT;

-- The states that a game saved.
CREATE TABLE save_point (
    name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The version of each NPC at a save point; one without a night then has none.
CREATE TABLE saved_version (
    save_point TEXT    NOT NULL REFERENCES save_point (name) ON DELETE CASCADE,
    npc        TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    PRIMARY KEY (save_point, npc)
) STRICT, WITHOUT ROWID;
