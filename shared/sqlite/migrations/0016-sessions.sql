-- Signed-in browsers, by the hash of the secret in their cookie.
CREATE TABLE sessions (
  id           TEXT    NOT NULL PRIMARY KEY,
  hash         TEXT    NOT NULL,
  account_id   TEXT    NOT NULL,
  browser      TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_account ON sessions (account_id, created_at DESC, id);
CREATE INDEX sessions_by_use ON sessions (last_used_at);
