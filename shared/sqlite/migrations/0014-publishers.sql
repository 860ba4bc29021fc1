-- With what a version was published: kind (token or session), id and label at that time. NULL: before this was stored.
ALTER TABLE drop_versions ADD COLUMN publisher_kind TEXT;
ALTER TABLE drop_versions ADD COLUMN publisher_id TEXT;
ALTER TABLE drop_versions ADD COLUMN publisher_label TEXT;
