-- The ways by which accounts sign in, and what their providers said the last time.
CREATE TABLE identities (
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT,
  groups TEXT NOT NULL,
  refresh_token TEXT,
  checked_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (provider, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_account ON identities (account_id, created_at);
CREATE INDEX identities_check ON identities (checked_at) WHERE refresh_token IS NOT NULL;
