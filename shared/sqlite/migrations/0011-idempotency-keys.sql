-- Writes with an Idempotency-Key, in a table of their own: a record exists before its drop or version does.
CREATE TABLE idempotency_keys (
  account_id   TEXT    NOT NULL,
  key          TEXT    NOT NULL,
  hash         TEXT    NOT NULL,
  drop_id      TEXT    NOT NULL,
  slug         TEXT    NOT NULL,
  version_id   TEXT    NOT NULL,
  lease        TEXT    NOT NULL,
  leased_until INTEGER NOT NULL,
  is_done      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_creation ON idempotency_keys (created_at);

DROP INDEX drop_versions_by_idempotency_key;
ALTER TABLE drop_versions DROP COLUMN idempotency_key;
