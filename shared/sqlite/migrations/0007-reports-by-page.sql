-- Reports of one page, and what open ones are about, page by page: the latter is read from the index alone, which
-- needs closed_at in it though it is always NULL there.
CREATE INDEX reports_page ON reports (slug, created_at DESC, id);
CREATE INDEX reports_open_page ON reports (slug, created_at DESC, id, reason, closed_at) WHERE closed_at IS NULL;
