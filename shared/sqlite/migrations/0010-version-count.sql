-- Nothing reads it: versions are counted where their number matters.
ALTER TABLE drops DROP COLUMN version_count;
