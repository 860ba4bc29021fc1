-- The texts of comments stand in tables of their own, so that marks, states and lists do not touch them; indexes of threads have
-- state, order and sizes. comment_totals: the bytes of all texts of an account.
DROP INDEX comments_by_owner;
DROP INDEX comments_by_drop;
DROP INDEX comments_by_state;
DROP INDEX comments_by_version;
DROP INDEX comments_by_seq;
ALTER TABLE comments RENAME TO whole_comments;

CREATE TABLE comments (
  id          TEXT    PRIMARY KEY,
  owner_id    TEXT    NOT NULL,
  drop_id     TEXT    NOT NULL,
  slug        TEXT    NOT NULL,
  version_id  TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  kind        TEXT    NOT NULL,
  in_latest   TEXT    NOT NULL,
  author      TEXT    NOT NULL,
  author_key  TEXT    GENERATED ALWAYS AS (coalesce(author ->> 'accountId', author ->> 'guest')) VIRTUAL,
  state       TEXT    NOT NULL,
  resolved_by TEXT,
  seq         INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  updated_by  TEXT,
  other_seq   INTEGER NOT NULL,
  bytes       INTEGER NOT NULL,
  texts       INTEGER NOT NULL,
  anchor      TEXT,
  resolving   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE comment_texts (
  comment_id TEXT PRIMARY KEY,
  text       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE comment_replies (
  comment_id TEXT    NOT NULL,
  n          INTEGER NOT NULL,
  id         TEXT    NOT NULL,
  author     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  text       TEXT    NOT NULL,
  PRIMARY KEY (comment_id, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE comment_totals (
  owner_id TEXT    PRIMARY KEY,
  bytes    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO comment_texts SELECT id, text FROM whole_comments;
INSERT INTO comment_replies
  SELECT whole_comments.id, reply.key, reply.value ->> 'id', reply.value -> 'author', reply.value ->> 'createdAt', reply.value ->> 'text'
  FROM whole_comments, json_each(replies) AS reply;
INSERT INTO comments (id, owner_id, drop_id, slug, version_id, version, kind, in_latest, author, state, resolved_by, seq,
    created_at, updated_at, updated_by, other_seq, bytes, texts, anchor, resolving)
  SELECT id, owner_id, drop_id, slug, version_id, version, kind, in_latest, author, state, resolved_by, seq,
    created_at, updated_at, updated_by, other_seq,
    octet_length(text) + (SELECT coalesce(sum(octet_length(value ->> 'text')), 0) FROM json_each(replies))
      + (SELECT coalesce(sum(octet_length(value ->> 'reply')), 0) FROM json_each(resolving)),
    1 + json_array_length(replies) + (SELECT count(value ->> 'reply') FROM json_each(resolving)),
    anchor, resolving
  FROM whole_comments;
INSERT INTO comment_totals SELECT owner_id, sum(bytes) FROM comments GROUP BY owner_id;
DROP TABLE whole_comments;

CREATE UNIQUE INDEX comments_by_owner ON comments (owner_id, seq);
CREATE INDEX comments_of_owner ON comments (owner_id, state, seq, bytes, texts);
CREATE INDEX comments_of_drop ON comments (drop_id, state, seq, bytes, texts);
CREATE INDEX comments_of_author ON comments (drop_id, author_key, state, seq, bytes, texts);
CREATE INDEX comments_marked ON comments (drop_id) WHERE resolving <> '[]';
CREATE INDEX comments_by_version ON comments (version_id, bytes);
CREATE INDEX comments_by_seq ON comments (seq, owner_id);

CREATE TRIGGER comments_inserted AFTER INSERT ON comments BEGIN
  INSERT INTO comment_totals VALUES (new.owner_id, new.bytes)
    ON CONFLICT (owner_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER comments_resized AFTER UPDATE OF bytes ON comments BEGIN
  UPDATE comment_totals SET bytes = bytes + new.bytes - old.bytes WHERE owner_id = new.owner_id;
END;
CREATE TRIGGER comments_deleted AFTER DELETE ON comments BEGIN
  DELETE FROM comment_texts WHERE comment_id = old.id;
  DELETE FROM comment_replies WHERE comment_id = old.id;
  UPDATE comment_totals SET bytes = bytes - old.bytes WHERE owner_id = old.owner_id;
  DELETE FROM comment_totals WHERE owner_id = old.owner_id AND bytes = 0;
END;
