-- Of a deleted account: a JSON list of the keyed hashes of its identities, which may be several.
DROP INDEX accounts_by_identity_hash;
UPDATE accounts SET identity_hash = json_array(identity_hash) WHERE identity_hash IS NOT NULL;
