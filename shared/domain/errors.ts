/**
 * Every code of spec section 7, `internal_error` and `unavailable` for failures of the service, and codes that only requests
 * with newer headers get (docs/decisions.md).
 */
export type Code =
  | 'unauthorized'
  | 'invalid_token'
  | 'token_required'
  | 'forbidden'
  | 'not_found'
  | 'version_not_found'
  | 'invalid_slug'
  | 'invalid_json'
  | 'invalid_arg'
  | 'html_required'
  | 'html_too_large'
  | 'title_required'
  | 'title_too_long'
  | 'description_too_long'
  | 'context_too_large'
  | 'passcode_required'
  | 'passcode_too_short'
  | 'metadata_only_on_patch'
  | 'last_version_cannot_be_deleted'
  | 'version_limit_reached'
  | 'version_conflict'
  | 'rate_limited'
  | 'daily_quota_exceeded'
  | 'quota_exceeded'
  | 'idempotency_key_reused'
  | 'idempotency_key_in_use'
  | 'upload_used'
  | 'internal_error'
  | 'unavailable';

/** Limits, field names, seconds to wait. Field names are those of the wire (snake_case). */
export type ErrorDetails = Readonly<Record<string, unknown>>;

interface DropErrorOptions extends ErrorOptions {
  readonly isDown?: boolean;
  readonly isReported?: boolean;
}

/** Why the service is `unavailable`, for programs that watch it. Some temporary states have no reason of their own. */
export type UnavailableReason =
  | 'disk_full'
  | 'disk_failed'
  | 'database_read_only'
  | 'database_unreachable'
  | 'database_slow'
  | 'store_is_newer';

/**
 * The only error that clients see. Domain and services know codes, only `api` knows HTTP statuses. Every other error is
 * a failure of the service: it is logged, and the client gets `internal_error`.
 */
export class DropError extends Error {
  readonly code: Code;
  readonly details: ErrorDetails | undefined;
  /** Whether the database did not answer at all. Late, busy or overloaded is not down. */
  readonly isDown: boolean;
  /** Whether the part that failed logs the failure itself, once a minute: other lines about it are of level debug. */
  readonly isReported: boolean;

  /** @param options `cause` is logged, and clients do not see it */
  constructor(code: Code, message: string, details?: ErrorDetails, options?: DropErrorOptions) {
    super(message, options);
    this.name = 'DropError';
    this.code = code;
    this.details = details;
    this.isDown = options?.isDown ?? false;
    this.isReported = options?.isReported ?? false;
  }
}

export function suspended(): DropError {
  return new DropError(
    'forbidden',
    'This account is suspended: it can read and revoke its tokens, but not change anything else',
  );
}

/** The same error whether the thing does not exist or belongs to another account, so that clients cannot tell which. */
export function notFound(
  what: 'drop' | 'version' | 'token' | 'page' | 'path' | 'account' | 'report' | 'upload',
): DropError {
  return new DropError('not_found', `No such ${what}`);
}

/** For `catch`: what was read does not exist, or not any more. */
export function nullIfNotFound(error: unknown): null {
  if (error instanceof DropError && error.code === 'not_found') return null;
  throw error;
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof DropError && error.code === 'unavailable';
}

/** @see DropError.isDown */
export function isDown(error: unknown): boolean {
  return error instanceof DropError && error.isDown;
}

/** @see DropError.isReported */
export function isReported(error: unknown): boolean {
  return error instanceof DropError && error.isReported;
}

/**
 * A part that the request needs is down or overloaded.
 * @param seconds how long the client should wait before it retries
 * @param options `cause` is logged, and clients do not see it; they see `reason`
 */
export function unavailable(
  message: string,
  seconds = 1,
  { reason, ...options }: DropErrorOptions & { readonly reason?: UnavailableReason } = {},
): DropError {
  const details = { retry_after_seconds: seconds, ...(reason !== undefined && { reason }) };
  return new DropError('unavailable', message, details, options);
}

/** A newer release has changed the form of the stored data while this process ran. */
export function storeIsNewer(): DropError {
  const message =
    'The stored data have the form of a newer release: this process must be replaced by one of that release.';
  return unavailable(message, 10, { reason: 'store_is_newer' });
}
