-- When the account was deleted. Its identity is ('deleted', id) then, so that its owner can sign in to a new account.
ALTER TABLE accounts ADD COLUMN deleted_at INTEGER;

CREATE INDEX accounts_deleted ON accounts (deleted_at) WHERE deleted_at IS NOT NULL;
