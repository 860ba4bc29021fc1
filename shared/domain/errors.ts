/** Code → HTTP status (an `HttpError` may have its own) and meaning as Markdown. Spec section 7 and docs/decisions/. */
export const errorCodes = {
  unauthorized: [401, 'The request has no bearer token. On `/api/me` also: the token is not valid.'],
  invalid_token: [401, 'The bearer token is malformed, unknown or revoked.'],
  token_required: [400, 'The poll has no `token`.'],
  forbidden: [
    403,
    'The account is suspended, the token lacks `details.scope`, the page was taken down, somebody else wrote the comment, or a web page of another origin sent the request.',
  ],
  not_found: [404, 'There is no such drop, version, comment or token, or it belongs to another account.'],
  version_not_found: [404, 'The public page has no version with that number.'],
  invalid_slug: [400, 'The slug in the path is too long or has characters that slugs never have.'],
  invalid_json: [
    400,
    'The body is not JSON in UTF-8, is nested too deep or has too many members (400), or its type or encoding is not supported (415).',
  ],
  invalid_arg: [400, 'Another field, parameter or header is wrong: see `details.field`.'],
  html_required: [400, '`html` is missing or empty.'],
  html_too_large: [400, '`html`, or the body as a whole, has too many bytes.'],
  title_required: [400, '`title` is missing or blank.'],
  title_too_long: [400, '`title` has too many characters.'],
  description_too_long: [400, '`description` has too many characters.'],
  context_too_large: [400, '`context` has too many bytes.'],
  passcode_required: [400, '`passcode` is missing or not a string (400), or the page is locked (403).'],
  passcode_too_short: [400, '`passcode` has too few characters.'],
  metadata_only_on_patch: [400, 'The PATCH has `html`. Use PUT to publish a new version.'],
  last_version_cannot_be_deleted: [409, 'The drop has only this version. Delete the drop instead.'],
  version_limit_reached: [429, 'The drop has the maximum number of versions.'],
  version_conflict: [412, 'The drop does not match `If-Match`: `details.etag` is its ETag now.'],
  rate_limited: [429, 'Too many requests of this kind: repeat after `Retry-After`.'],
  daily_quota_exceeded: [429, 'The account has used up the writes of this UTC day.'],
  quota_exceeded: [429, 'Too many drops, tokens, comments or texts: the message says what to delete.'],
  idempotency_key_reused: [422, 'The `Idempotency-Key` was used for another request in the last 24 hours.'],
  idempotency_key_in_use: [
    409,
    'An earlier request with the same `Idempotency-Key`, or to the same upload address, is still running.',
  ],
  upload_used: [409, 'The upload address was used for another document.'],
  internal_error: [500, 'The service failed.'],
  unavailable: [503, 'A part of the service is down or overloaded, or the request took too long.'],
} as const satisfies Readonly<Record<string, readonly [status: number, meaning: string]>>;

export type Code = keyof typeof errorCodes;

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

/** The only error that clients see. Every other one is logged, and the client gets `internal_error`. */
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

/** @param what as in `drop`. The same error whether it does not exist or belongs to another account: clients cannot tell which */
export function notFound(what: string): DropError {
  return new DropError('not_found', `No such ${what}`);
}

/** On a public page; in the API it is `notFound('version')`. */
export function versionNotFound(): DropError {
  return new DropError('version_not_found', 'This page does not have this version.');
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

/** Whether the database did not answer in time. */
export function isLate(error: unknown): boolean {
  return error instanceof DropError && error.details?.reason === 'database_slow';
}

/** @see DropError.isReported */
export function isReported(error: unknown): boolean {
  return error instanceof DropError && error.isReported;
}

/**
 * A part that the request needs is down or overloaded. @param seconds how long the client should wait before it retries
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
