-- Format 5. Two active entries can be contested: each names the other. What is archived names none.
ALTER TABLE memory ADD COLUMN contested_with TEXT NOT NULL DEFAULT '[]';
ALTER TABLE prior ADD COLUMN contested_with TEXT NOT NULL DEFAULT '[]';
