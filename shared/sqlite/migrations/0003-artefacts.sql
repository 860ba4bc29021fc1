-- Rendered pages in two parts: what is told of a page, and the bytes of its compressed forms under names of their own,
-- so that those of a page that is made again can be read for a while. Pages made so far are made again.
DROP TABLE renders;
UPDATE drops SET owed_render = 1 WHERE deleted_at IS NULL;

CREATE TABLE renders (
  version_id  TEXT    NOT NULL PRIMARY KEY,
  drop_id     TEXT    NOT NULL,
  renderer    INTEGER NOT NULL,
  insert_at   INTEGER NOT NULL,
  insertion   TEXT    NOT NULL,
  facts       TEXT    NOT NULL, -- JSON: of each form its length and digest
  br          TEXT    NOT NULL, -- names of artefacts
  gzip        TEXT    NOT NULL,
  is_squeezed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX renders_by_renderer ON renders (renderer, version_id);

-- With a rowid, so that the indexes alone are read where no bytes are wanted.
CREATE TABLE artefacts (
  id          TEXT    NOT NULL PRIMARY KEY,
  version_id  TEXT    NOT NULL,
  replaced_at INTEGER, -- NULL: it is its page's
  bytes       BLOB    NOT NULL
) STRICT;

CREATE INDEX artefacts_by_version ON artefacts (version_id);
CREATE INDEX artefacts_replaced ON artefacts (replaced_at) WHERE replaced_at IS NOT NULL;

-- Which drops were viewed on a day: those are rendered again first.
CREATE INDEX day_views_by_day ON day_views (day, drop_id);
