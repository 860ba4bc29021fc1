-- Share cards: the last one drawn of each drop. They are drawn again when one is missing.
CREATE TABLE cards (
  drop_id TEXT NOT NULL PRIMARY KEY,
  digest  TEXT NOT NULL, -- of what the card shows
  png     BLOB NOT NULL
) STRICT;
