-- Who asks the owner of a drop to be named.
CREATE TABLE access_requests (
  drop_id TEXT NOT NULL,
  slug TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  declined_at INTEGER,
  PRIMARY KEY (drop_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_requests_owner ON access_requests (owner_id, created_at) WHERE declined_at IS NULL;
CREATE INDEX access_requests_account ON access_requests (account_id);
