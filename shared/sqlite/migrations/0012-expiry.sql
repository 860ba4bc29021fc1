-- Unix ms from which on the drop is deleted for everybody; NULL: never. Lists and counts read it from the owner's index.
ALTER TABLE drops ADD COLUMN expires_at INTEGER;

DROP INDEX drops_by_owner;
CREATE INDEX drops_by_owner ON drops (owner_id, created_at DESC, id, expires_at) WHERE deleted_at IS NULL;
CREATE INDEX drops_expiring ON drops (expires_at) WHERE deleted_at IS NULL AND expires_at IS NOT NULL;
