-- What people told of pages. They outlive the drop, so drop_id refers to nothing.
CREATE TABLE reports (
  id         TEXT    NOT NULL PRIMARY KEY,
  drop_id    TEXT    NOT NULL,
  slug       TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  reason     TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  contact    TEXT,
  created_at INTEGER NOT NULL,
  closed_at  INTEGER
) STRICT;

CREATE INDEX reports_drop ON reports (drop_id) WHERE closed_at IS NULL;
CREATE INDEX reports_open ON reports (created_at DESC, id) WHERE closed_at IS NULL;
CREATE INDEX reports_created ON reports (created_at DESC, id);
CREATE INDEX reports_closed ON reports (closed_at) WHERE closed_at IS NOT NULL;
