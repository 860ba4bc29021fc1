-- The line of jobs. A finished job has no row.
CREATE TABLE jobs (
  id       INTEGER PRIMARY KEY,
  name     TEXT    NOT NULL,
  key      TEXT    NOT NULL, -- jobs of one key stand for each other
  payload  TEXT    NOT NULL, -- JSON
  state    TEXT    NOT NULL CHECK (state IN ('waiting', 'active', 'failed')),
  due_at   INTEGER NOT NULL, -- waiting: not before; active: when its lease ends; failed: when it may be removed
  holder   TEXT,             -- active: which process runs it
  attempts INTEGER NOT NULL DEFAULT 0, -- how often its handler was called
  crashes  INTEGER NOT NULL DEFAULT 0, -- how many of these calls ended with their process
  error    TEXT              -- failed: why
) STRICT;

CREATE UNIQUE INDEX jobs_one_waiting_per_key ON jobs (key) WHERE state = 'waiting';
CREATE UNIQUE INDEX jobs_one_active_per_key ON jobs (key) WHERE state = 'active';
CREATE UNIQUE INDEX jobs_one_failed_per_key ON jobs (key) WHERE state = 'failed';
CREATE INDEX jobs_by_due ON jobs (state, due_at);

-- When each scheduled job is next asked for.
CREATE TABLE job_schedules (
  name    TEXT    NOT NULL PRIMARY KEY,
  next_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
