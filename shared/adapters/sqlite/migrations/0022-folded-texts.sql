-- Title and description as searches read them (domain/search.ts), because folding takes longer than searching.
ALTER TABLE drops ADD COLUMN folded TEXT NOT NULL DEFAULT '';
UPDATE drops SET folded = fold(title, description);
