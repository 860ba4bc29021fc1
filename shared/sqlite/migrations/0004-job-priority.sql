-- What is due is taken by priority first (the catalogue's, 0 before 1), then by time.
ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_by_priority ON jobs (state, priority, due_at);
