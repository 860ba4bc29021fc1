-- A rendered page and context is one row, never replaced. Pages rendered so far are rendered again when they are next read.
DROP TABLE renders;
DROP TABLE artefacts;
DROP INDEX day_views_by_day;

-- The bytes come last, so that the other columns are read without them. With a rowid, so that ids are read from the index.
CREATE TABLE artefacts (
  version_id TEXT    NOT NULL,
  renderer   INTEGER NOT NULL,
  head       TEXT    NOT NULL, -- JSON: plan, length and digest by content encoding, length of the context
  br         BLOB    NOT NULL,
  gzip       BLOB    NOT NULL,
  context    BLOB,             -- markup in UTF-8
  PRIMARY KEY (version_id, renderer)
) STRICT;
