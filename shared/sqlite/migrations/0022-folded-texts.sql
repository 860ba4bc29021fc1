-- Title and description as searches read them (drops/search.ts), because folding takes longer than searching.
ALTER TABLE drops ADD COLUMN folded TEXT NOT NULL DEFAULT '';
UPDATE drops SET folded = fold(title, description);
