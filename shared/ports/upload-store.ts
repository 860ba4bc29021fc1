/** A request to publish whose document follows at a secret address. */
export interface Upload {
  /** SHA-256 of the secret, in hex. The secret itself is not stored. */
  readonly hash: string;
  /** Of the token that asked. */
  readonly tokenHash: string;
  /** JSON; the store does not read it. */
  readonly request: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

/** Uploads by the hash of their secret. */
export interface UploadStore {
  insert(upload: Upload): Promise<void>;

  /** Also one that has expired. null: unknown or removed. */
  find(hash: string): Promise<Upload | null>;

  /** Deletes all uploads that expired before that time (Unix ms). */
  removeExpiredBefore(time: number): Promise<void>;
}
