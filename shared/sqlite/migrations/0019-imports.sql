-- The import of an archive that has begun and not ended. While there is a row, the service does not start.
CREATE TABLE imports (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  archive_id TEXT    NOT NULL,
  begun_at   INTEGER NOT NULL
) STRICT;
