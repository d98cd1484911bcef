-- Format 7. A store can be rewound to a save point, and forward again.

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
