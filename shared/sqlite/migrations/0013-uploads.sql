-- Requests to publish whose document follows at a secret address. JSON escapes U+0000, so `request` may be TEXT.
CREATE TABLE uploads (
  hash       TEXT    NOT NULL PRIMARY KEY,
  token_hash TEXT    NOT NULL,
  request    TEXT    NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX uploads_by_end ON uploads (expires_at);
