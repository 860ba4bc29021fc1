-- Everything that the stores keep; the line of jobs has a file of its own. Times are Unix milliseconds.
-- Text is cut at U+0000 when it is stored, so whatever may hold one (html, context) is a BLOB.

CREATE TABLE accounts (
  id         TEXT    NOT NULL PRIMARY KEY,
  provider   TEXT    NOT NULL,
  subject    TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  day        TEXT    NOT NULL DEFAULT '', -- the UTC date whose writes are counted
  day_count  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (provider, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  id           TEXT    NOT NULL PRIMARY KEY, -- the first 12 characters of the hash
  hash         TEXT    NOT NULL UNIQUE,
  account_id   TEXT    NOT NULL,
  label        TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

CREATE INDEX tokens_by_account ON tokens (account_id);

CREATE TABLE sign_ins (
  id                TEXT    NOT NULL PRIMARY KEY,
  code_hash         TEXT    NOT NULL UNIQUE,
  poll_hash         TEXT    NOT NULL UNIQUE,
  label             TEXT,
  requester_address TEXT    NOT NULL,
  requester_agent   TEXT    NOT NULL,
  status            TEXT    NOT NULL CHECK (status IN ('pending', 'verified', 'claimed', 'expired')),
  account_id        TEXT,
  created_at        INTEGER NOT NULL,
  expires_at        INTEGER NOT NULL
) STRICT;

CREATE INDEX sign_ins_by_end ON sign_ins (expires_at);
CREATE INDEX sign_ins_unfinished ON sign_ins (expires_at) WHERE status IN ('pending', 'verified');

-- A drop with its head version. Its list of versions, its trash and its days go with it.
CREATE TABLE drops (
  id               TEXT    NOT NULL PRIMARY KEY,
  owner_id         TEXT    NOT NULL,
  slug             TEXT    NOT NULL UNIQUE,
  title            TEXT    NOT NULL,
  description      TEXT,
  metadata         TEXT    NOT NULL, -- JSON: pairs, in the caller's order
  lock_id          TEXT,
  lock_hash        TEXT,
  latest_version   INTEGER NOT NULL,
  version_count    INTEGER NOT NULL,
  head_id          TEXT    NOT NULL,
  head_size_bytes  INTEGER NOT NULL,
  head_has_context INTEGER NOT NULL,
  head_media_type  TEXT    NOT NULL,
  head_created_at  INTEGER NOT NULL,
  view_count       INTEGER NOT NULL DEFAULT 0,
  views_batch      INTEGER NOT NULL DEFAULT 0, -- the last batch of views that was added
  place            INTEGER,                    -- among its owner's live drops, below the cap; NULL once deleted
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL,
  changed_at       INTEGER NOT NULL, -- the last visible change, deletion included
  rev              INTEGER NOT NULL DEFAULT 1,
  owed_render      INTEGER NOT NULL,
  owed_purge       INTEGER NOT NULL,
  has_trash        INTEGER NOT NULL DEFAULT 0,
  deleted_at       INTEGER,
  has_chores       INTEGER NOT NULL AS (owed_render OR owed_purge OR has_trash OR deleted_at IS NOT NULL),
  CHECK ((place IS NULL) = (deleted_at IS NOT NULL)),
  CHECK ((lock_id IS NULL) = (lock_hash IS NULL))
) STRICT;

CREATE UNIQUE INDEX drops_one_per_place ON drops (owner_id, place) WHERE deleted_at IS NULL;
CREATE INDEX drops_by_owner ON drops (owner_id, created_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX drops_with_chores ON drops (changed_at, id) WHERE has_chores;

CREATE TABLE drop_versions (
  drop_id         TEXT    NOT NULL REFERENCES drops (id) ON DELETE CASCADE,
  number          INTEGER NOT NULL,
  id              TEXT    NOT NULL UNIQUE,
  owner_id        TEXT    NOT NULL,
  size_bytes      INTEGER NOT NULL,
  has_context     INTEGER NOT NULL,
  media_type      TEXT    NOT NULL,
  created_at      INTEGER NOT NULL,
  idempotency_key TEXT, -- room for the Idempotency-Key header on POST and PUT; nothing sets it yet
  PRIMARY KEY (drop_id, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX drop_versions_by_idempotency_key ON drop_versions (owner_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

-- Ids of removed versions whose blobs are still there.
CREATE TABLE drop_trash (
  drop_id    TEXT NOT NULL REFERENCES drops (id) ON DELETE CASCADE,
  version_id TEXT NOT NULL UNIQUE,
  PRIMARY KEY (drop_id, version_id)
) STRICT, WITHOUT ROWID;

-- The metadata of live drops once more, to filter by. No foreign key: a cascade would read the whole table.
CREATE TABLE drop_metadata (
  owner_id TEXT NOT NULL,
  key      TEXT NOT NULL,
  value    TEXT NOT NULL,
  drop_id  TEXT NOT NULL,
  PRIMARY KEY (owner_id, key, value, drop_id)
) STRICT, WITHOUT ROWID;

-- Views of one drop on one UTC day.
CREATE TABLE day_views (
  drop_id     TEXT    NOT NULL REFERENCES drops (id) ON DELETE CASCADE,
  day         TEXT    NOT NULL,
  count       INTEGER NOT NULL,
  views_batch INTEGER NOT NULL,
  PRIMARY KEY (drop_id, day)
) STRICT, WITHOUT ROWID;

-- The last flush of views of each web process.
CREATE TABLE view_writers (
  writer   TEXT    NOT NULL PRIMARY KEY,
  flush    INTEGER NOT NULL,
  heard_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Views that are in no drop yet: in the open batch, or (batch 0) added since it was opened.
CREATE TABLE view_counts (
  batch   INTEGER NOT NULL,
  drop_id TEXT    NOT NULL,
  day     TEXT    NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (batch, drop_id, day)
) STRICT, WITHOUT ROWID;

-- One row: the last batch of views.
CREATE TABLE view_batch (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  number  INTEGER NOT NULL,
  is_open INTEGER NOT NULL
) STRICT;

INSERT INTO view_batch (id, number, is_open) VALUES (1, 0, 0);

-- Blobs: tables with a rowid, so that the index alone is read where only ids are wanted.
CREATE TABLE html_blobs (
  id    TEXT NOT NULL PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE context_blobs (
  id    TEXT NOT NULL PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;

-- The plan comes first, so that it is read without the bytes.
CREATE TABLE renders (
  version_id TEXT    NOT NULL PRIMARY KEY,
  renderer   INTEGER NOT NULL,
  insert_at  INTEGER NOT NULL,
  insertion  TEXT    NOT NULL,
  br         BLOB    NOT NULL,
  gzip       BLOB    NOT NULL
) STRICT;
