-- The orders of lists besides creation, so that an account with many drops reads one page instead of all of them.
CREATE INDEX drops_by_views ON drops (owner_id, view_count DESC, created_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX drops_by_change ON drops (owner_id, updated_at DESC, created_at DESC, id) WHERE deleted_at IS NULL;
