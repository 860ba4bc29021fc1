-- What waits for an owner: open threads that a reader has changed last, and the highest seq that the owner has looked at.
ALTER TABLE accounts ADD COLUMN comments_seen INTEGER NOT NULL DEFAULT 0;
CREATE INDEX comments_news ON comments (owner_id, seq, drop_id) WHERE state = 'open' AND updated_by IS NULL;
