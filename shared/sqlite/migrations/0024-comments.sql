-- Comments of readers on versions of drops (comments/comment.ts), who may write them, and reports about them.
CREATE TABLE comments (
  id          TEXT    PRIMARY KEY,
  owner_id    TEXT    NOT NULL,
  drop_id     TEXT    NOT NULL,
  slug        TEXT    NOT NULL,
  version_id  TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  kind        TEXT    NOT NULL,
  anchor      TEXT,
  in_latest   TEXT    NOT NULL,
  author      TEXT    NOT NULL,
  text        TEXT    NOT NULL,
  state       TEXT    NOT NULL,
  replies     TEXT    NOT NULL,
  resolved_by TEXT,
  resolving   TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  updated_by  TEXT,
  other_seq   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX comments_by_owner ON comments (owner_id, seq);
CREATE INDEX comments_by_drop ON comments (drop_id, seq);
CREATE INDEX comments_by_state ON comments (drop_id, state);
CREATE INDEX comments_by_version ON comments (version_id);
CREATE INDEX comments_by_seq ON comments (seq, owner_id);
ALTER TABLE drops ADD COLUMN comments TEXT NOT NULL DEFAULT 'owner';
ALTER TABLE reports ADD COLUMN comment_id TEXT;
