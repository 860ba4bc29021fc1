-- What a token may do, what a program asks for, and by which provider a session was made (null: an earlier release).
ALTER TABLE tokens ADD COLUMN scope TEXT NOT NULL DEFAULT 'all';
ALTER TABLE sign_ins ADD COLUMN scope TEXT NOT NULL DEFAULT 'all';
ALTER TABLE sessions ADD COLUMN provider TEXT;
