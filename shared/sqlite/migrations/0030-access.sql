-- Who may read a drop: people is a JSON list of texts.
ALTER TABLE drops ADD COLUMN access TEXT NOT NULL DEFAULT 'link';
ALTER TABLE drops ADD COLUMN people TEXT;
-- Of a new drop of the account; NULL: as the service has it.
ALTER TABLE accounts ADD COLUMN default_access TEXT;
-- The drops on which a person, a domain or a group stands.
CREATE TABLE drop_people (
  person TEXT NOT NULL,
  drop_id TEXT NOT NULL,
  PRIMARY KEY (person, drop_id)
) STRICT, WITHOUT ROWID;
