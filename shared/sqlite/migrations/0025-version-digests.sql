-- SHA-256 of the HTML of a version, in hex. NULL: published before this was stored.
ALTER TABLE drop_versions ADD COLUMN sha256 TEXT;
