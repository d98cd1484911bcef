-- Format 3. What came to mind by day. No night's doing: undo leaves it.
ALTER TABLE memory ADD COLUMN recalls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN recalled_at TEXT;
