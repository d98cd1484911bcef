-- Format 1. Times are text in the form the game writes them; lists are JSON arrays.

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
    version INTEGER NOT NULL   -- in force
) STRICT;

-- The nights that are applied, in the order they were. A version is the fingerprint of a night and of what it
-- was planned against: it names the night, and says nothing of order.
CREATE TABLE night (
    seq          INTEGER PRIMARY KEY,
    npc          INTEGER NOT NULL REFERENCES npc (key),
    version      INTEGER NOT NULL,
    base_version INTEGER NOT NULL,
    label        TEXT    NOT NULL,
    at           TEXT    NOT NULL,
    run          INTEGER NOT NULL,
    changes      INTEGER NOT NULL,
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
    at                   TEXT    NOT NULL,
    occurrences          INTEGER NOT NULL,
    actors               TEXT    NOT NULL,
    place                TEXT,
    valence              REAL,
    intensity            REAL,
    -- How it stands: later nights change it.
    last_at              TEXT    NOT NULL,
    importance           INTEGER NOT NULL,
    pinned               INTEGER NOT NULL,
    tags                 TEXT    NOT NULL,
    sources              TEXT    NOT NULL,
    state                TEXT    NOT NULL CHECK (state IN ('active', 'archived')),
    archived_by          TEXT,
    corroborations       INTEGER NOT NULL,
    confidence           TEXT    NOT NULL CHECK (confidence IN ('normal', 'high')),
    superseded_by        TEXT,
    last_corroborated_at TEXT,
    touched_at           TEXT    NOT NULL,
    PRIMARY KEY (npc, id)
) STRICT, WITHOUT ROWID;

-- How a memory stood before a night changed it: what undo puts back.
CREATE TABLE prior (
    npc                  INTEGER NOT NULL,
    version              INTEGER NOT NULL,   -- of the night that changed it
    id                   TEXT    NOT NULL,
    last_at              TEXT    NOT NULL,
    importance           INTEGER NOT NULL,
    pinned               INTEGER NOT NULL,
    tags                 TEXT    NOT NULL,
    sources              TEXT    NOT NULL,
    state                TEXT    NOT NULL,
    archived_by          TEXT,
    corroborations       INTEGER NOT NULL,
    confidence           TEXT    NOT NULL,
    superseded_by        TEXT,
    last_corroborated_at TEXT,
    touched_at           TEXT    NOT NULL,
    PRIMARY KEY (npc, version, id)
) STRICT, WITHOUT ROWID;

-- Embeddings as little-endian f32, appended in the order they come. A table with a rowid, because rows this
-- large belong into leaves only.
CREATE TABLE vector (
    npc     INTEGER NOT NULL,
    id      TEXT    NOT NULL,
    numbers BLOB    NOT NULL,
    PRIMARY KEY (npc, id),
    FOREIGN KEY (npc, id) REFERENCES memory (npc, id) ON DELETE CASCADE
) STRICT;

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

-- What each night did, change by change.
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
CREATE INDEX log_of ON log (npc, id);
