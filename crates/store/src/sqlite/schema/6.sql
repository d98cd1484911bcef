-- Format 6. A night keeps the tags of its NPC, which choose its profile.
ALTER TABLE night ADD COLUMN npc_tags TEXT NOT NULL DEFAULT '[]';   -- JSON
