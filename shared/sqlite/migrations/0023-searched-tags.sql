-- Searches read tags, too, and lists are sorted by title: the first line of `folded`, which has no other line breaks.
UPDATE drops SET folded = fold(title, description, metadata);
ALTER TABLE drops ADD COLUMN folded_title TEXT NOT NULL AS (substr(folded, 1, instr(folded, char(10)) - 1));
CREATE INDEX drops_by_title ON drops (owner_id, folded_title, created_at DESC, id) WHERE deleted_at IS NULL;
