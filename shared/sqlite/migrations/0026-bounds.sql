-- What bounds the tables (SECURITY.md): counts and pages of an account's tokens come from an index, as do its approved sign-ins.
DROP INDEX tokens_by_account;
CREATE INDEX tokens_by_account ON tokens (account_id, created_at DESC, id, expires_at);
DROP INDEX sign_ins_by_account;
CREATE INDEX sign_ins_by_account ON sign_ins (account_id, status) WHERE account_id IS NOT NULL;

-- Of a deleted account: the keyed hash of its identity, so that the next account of the identity continues its counts (counts_as).
ALTER TABLE accounts ADD COLUMN identity_hash TEXT;
ALTER TABLE accounts ADD COLUMN counts_as TEXT;
CREATE INDEX accounts_by_identity_hash ON accounts (identity_hash) WHERE identity_hash IS NOT NULL;

-- Days of views are removed after two years.
CREATE INDEX day_views_by_day ON day_views (day);

-- Entries of the audit log stay, unless a sweep has noted in the same transaction up to which time it removes them.
CREATE TABLE audit_sweeps (before INTEGER NOT NULL) STRICT;
DROP TRIGGER audit_log_stays;
CREATE TRIGGER audit_log_stays BEFORE DELETE ON audit_log
WHEN OLD.at >= coalesce((SELECT max(before) FROM audit_sweeps), 0)
BEGIN
  SELECT RAISE(ABORT, 'entries of the audit log stay');
END;
