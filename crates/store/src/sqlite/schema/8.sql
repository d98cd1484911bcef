-- Format 8. A night takes less than half of the room. What is there already stays as it is: each cell says by its kind how it
-- is written.
--   Times are numbers (twice the seconds, and one more for a date), and text in rows of earlier formats.
--   Names of forms, kinds, rules and confidence are their places in a list of words, and text where they have none.
--   Vectors may have one byte for each number instead of four.
--   Reasons of the log and the nights of a theme are packed, and JSON text in rows of earlier formats. Verbs are names.
--   In `memory` nothing is said twice: the night is NULL where its version tells it, later times where they are the first one,
--   and lists where they are empty.
-- Tables whose rows are small now have no rowid beside their key. Lines of an entry are looked for among those of its NPC: an
-- index of them would be a fifth of the log.

CREATE TABLE new_night (
    seq          INTEGER PRIMARY KEY,
    npc          INTEGER NOT NULL REFERENCES npc (key),
    version      INTEGER NOT NULL,
    base_version INTEGER NOT NULL,
    label        TEXT    NOT NULL,
    at           ANY     NOT NULL,   -- time
    run          INTEGER NOT NULL,
    changes      INTEGER NOT NULL,
    npc_tags     TEXT    NOT NULL DEFAULT '[]',   -- JSON
    UNIQUE (npc, version)
) STRICT;
INSERT INTO new_night SELECT seq, npc, version, base_version, label, at, run, changes, npc_tags FROM night;
DROP TABLE night;
ALTER TABLE new_night RENAME TO night;

CREATE TABLE new_memory (
    npc                  INTEGER NOT NULL REFERENCES npc (key),
    id                   TEXT    NOT NULL,
    known                BLOB    NOT NULL CHECK (length(known) = 16),   -- fingerprint of text and at
    version              INTEGER NOT NULL,   -- that wrote it
    night                TEXT,               -- NULL: that of the version
    -- What is remembered: written once.
    form                 ANY     NOT NULL,   -- name
    kind                 ANY     NOT NULL,   -- name
    text                 TEXT    NOT NULL,
    at                   ANY     NOT NULL,   -- time
    occurrences          INTEGER NOT NULL,
    actors               TEXT,               -- JSON; NULL: empty
    place                TEXT,
    valence              REAL,
    intensity            REAL,
    -- How it stands: later nights change it.
    last_at              ANY,                -- time; NULL: at
    importance           INTEGER NOT NULL,
    pinned               INTEGER NOT NULL,
    tags                 TEXT,               -- JSON; NULL: empty
    sources              TEXT,               -- JSON; NULL: empty
    state                TEXT    NOT NULL CHECK (state IN ('active', 'archived')),
    archived_by          ANY,                -- name
    corroborations       INTEGER NOT NULL,
    confidence           ANY     NOT NULL,   -- name
    superseded_by        TEXT,
    contested_with       TEXT,               -- JSON; NULL: empty
    last_corroborated_at ANY,                -- time
    touched_at           ANY,                -- time; NULL: at
    -- What came to mind by day. No night's doing: undo leaves it.
    recalls              INTEGER NOT NULL DEFAULT 0,
    recalled_at          ANY,                -- time
    PRIMARY KEY (npc, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_memory SELECT npc, id, known, version, night, form, kind, text, at, occurrences, actors, place, valence,
    intensity, last_at, importance, pinned, tags, sources, state, archived_by, corroborations, confidence, superseded_by,
    contested_with, last_corroborated_at, touched_at, recalls, recalled_at FROM memory;
DROP TABLE memory;
ALTER TABLE new_memory RENAME TO memory;
CREATE INDEX memory_superseded ON memory (npc, superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE new_prior (
    npc                  INTEGER NOT NULL,
    version              INTEGER NOT NULL,   -- of the night that changed it
    id                   TEXT    NOT NULL,
    last_at              ANY     NOT NULL,
    importance           INTEGER NOT NULL,
    pinned               INTEGER NOT NULL,
    tags                 TEXT    NOT NULL,
    sources              TEXT    NOT NULL,
    state                TEXT    NOT NULL,
    archived_by          ANY,
    corroborations       INTEGER NOT NULL,
    confidence           ANY     NOT NULL,
    superseded_by        TEXT,
    contested_with       TEXT    NOT NULL DEFAULT '[]',
    last_corroborated_at ANY,
    touched_at           ANY     NOT NULL,
    PRIMARY KEY (npc, version, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_prior SELECT npc, version, id, last_at, importance, pinned, tags, sources, state, archived_by, corroborations,
    confidence, superseded_by, contested_with, last_corroborated_at, touched_at FROM prior;
DROP TABLE prior;
ALTER TABLE new_prior RENAME TO prior;

CREATE TABLE new_vector (
    npc     INTEGER NOT NULL,
    id      TEXT    NOT NULL,
    version INTEGER,   -- that added it later than its memory; NULL where it came with it
    numbers BLOB    NOT NULL,
    PRIMARY KEY (npc, id),
    FOREIGN KEY (npc, id) REFERENCES memory (npc, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO new_vector SELECT npc, id, version, numbers FROM vector;
DROP TABLE vector;
ALTER TABLE new_vector RENAME TO vector;
CREATE INDEX vector_later ON vector (npc, version) WHERE version IS NOT NULL;

CREATE TABLE new_log (
    npc     INTEGER NOT NULL,
    version INTEGER NOT NULL,
    ord     INTEGER NOT NULL,
    verb    ANY     NOT NULL,   -- name
    id      TEXT    NOT NULL,
    reason  ANY     NOT NULL,
    PRIMARY KEY (npc, version, ord),
    FOREIGN KEY (npc, version) REFERENCES night (npc, version)
) STRICT, WITHOUT ROWID;
INSERT INTO new_log SELECT npc, version, ord, verb, id, reason FROM log;
DROP TABLE log;
ALTER TABLE new_log RENAME TO log;

CREATE TABLE new_theme (
    npc        INTEGER NOT NULL REFERENCES npc (key),
    id         TEXT    NOT NULL,
    seq        INTEGER NOT NULL REFERENCES night (seq),   -- of the night
    -- What the night added.
    tonight    INTEGER NOT NULL,   -- memories
    importance REAL    NOT NULL,   -- their mean
    new        INTEGER NOT NULL,   -- whether no night before saw it
    -- How it stood after.
    words      TEXT    NOT NULL,   -- JSON
    tightness  REAL    NOT NULL,
    memories   INTEGER NOT NULL,
    nights     INTEGER NOT NULL,
    first_at   ANY     NOT NULL,   -- time
    last_at    ANY     NOT NULL,   -- time
    recent     ANY     NOT NULL,   -- packed
    centre     BLOB    NOT NULL,   -- vector
    PRIMARY KEY (npc, id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO new_theme SELECT npc, id, seq, tonight, importance, new, words, tightness, memories, nights, first_at, last_at,
    recent, centre FROM theme;
DROP TABLE theme;
ALTER TABLE new_theme RENAME TO theme;
-- From the last seen on, without reading the rows; what undoing deletes.
CREATE INDEX theme_seen ON theme (npc, seq DESC, id);
