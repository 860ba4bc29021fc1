-- Unix ms from which on the token is invalid; NULL: it does not expire.
ALTER TABLE tokens ADD COLUMN expires_at INTEGER;

CREATE INDEX tokens_by_end ON tokens (expires_at) WHERE expires_at IS NOT NULL;
