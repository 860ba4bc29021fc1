import { type RecordOf, record, sha256, text, time } from '../domain/record.ts';

const uploadFields = {
  /** SHA-256 of the secret, in hex. The secret itself is not stored. */
  hash: sha256(),
  /** The hash of the token that asked. */
  tokenHash: sha256(),
  /** JSON; the store does not read it. */
  request: text(),
  expiresAt: time(),
};

/** A request to publish whose document follows at a secret address. */
export const uploadRecord = record('uploads', uploadFields, ['hash']);

export type Upload = RecordOf<typeof uploadRecord>;

/** Uploads by the hash of their secret. */
export interface UploadStore {
  insert(upload: Upload): Promise<void>;

  /** Also one that has expired. null: unknown or removed. */
  find(hash: string): Promise<Upload | null>;

  /** Deletes all uploads that expired before that time (Unix ms). */
  removeExpiredBefore(time: number): Promise<void>;
}
