-- What operators do: pages taken down, accounts suspended, and the log of each act, in which entries stay.
ALTER TABLE drops ADD COLUMN taken_down_at INTEGER;
ALTER TABLE drops ADD COLUMN takedown_reason TEXT
  CHECK ((taken_down_at IS NULL) = (takedown_reason IS NULL));

ALTER TABLE accounts ADD COLUMN suspended_at INTEGER;
ALTER TABLE tokens ADD COLUMN is_suspended INTEGER NOT NULL DEFAULT 0; -- as its account is: one read authenticates

CREATE INDEX accounts_by_name ON accounts (name COLLATE NOCASE);
CREATE INDEX sign_ins_by_account ON sign_ins (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE audit_log (
  id       TEXT    NOT NULL PRIMARY KEY, -- begins with the time
  at       INTEGER NOT NULL,
  by_whom  TEXT    NOT NULL,
  act      TEXT    NOT NULL,
  target   TEXT    NOT NULL,
  reason   TEXT,
  outcome  TEXT,    -- NULL: it was begun, and what came of it is not known
  ended_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_log_stays BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'entries of the audit log stay');
END;

CREATE TRIGGER audit_log_ends_once BEFORE UPDATE ON audit_log
WHEN OLD.outcome IS NOT NULL OR (NEW.id, NEW.at, NEW.by_whom, NEW.act, NEW.target, NEW.reason)
  IS NOT (OLD.id, OLD.at, OLD.by_whom, OLD.act, OLD.target, OLD.reason)
BEGIN
  SELECT RAISE(ABORT, 'an entry of the audit log gets its outcome once');
END;
