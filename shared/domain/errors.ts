/** Every machine-readable code an answer can carry: spec section 7, and the two for the server's own failures. */
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
  | 'rate_limited'
  | 'daily_quota_exceeded'
  | 'quota_exceeded'
  | 'internal_error'
  | 'unavailable';

/** What `error.details` may hold: limits, field names, seconds to wait. Field names are the wire's (snake_case). */
export type ErrorDetails = Readonly<Record<string, unknown>>;

interface DropErrorOptions extends ErrorOptions {
  /** @see isDown */
  readonly isDown?: boolean;
}

/**
 * The one error that callers are meant to see. The domain and the services know codes; only `api` knows statuses.
 * Anything else that is thrown is the server's own failure and is shown to nobody.
 */
export class DropError extends Error {
  readonly code: Code;
  readonly details: ErrorDetails | undefined;
  readonly isDown: boolean;

  /** @param options its `cause` is logged and shown to nobody */
  constructor(code: Code, message: string, details?: ErrorDetails, options?: DropErrorOptions) {
    super(message, options);
    this.name = 'DropError';
    this.code = code;
    this.details = details;
    this.isDown = options?.isDown ?? false;
  }
}

/** What a suspended account is told that wants to change something. */
export function suspended(): DropError {
  return new DropError('forbidden', 'This account is suspended: it can read, and change nothing.');
}

/** A drop, version or token that is not there, or is somebody else's: the two are told apart nowhere. */
export function notFound(
  what: 'drop' | 'version' | 'token' | 'page' | 'path' | 'account' | 'report',
): DropError {
  return new DropError('not_found', `No such ${what}.`);
}

/** Whether it says that a part is away or overloaded, and nothing else. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DropError && error.code === 'unavailable';
}

/** Whether it says that the database gave no answer at all. One that is late, busy or overloaded is not down. */
export function isDown(error: unknown): boolean {
  return error instanceof DropError && error.isDown;
}

/**
 * A part that the request needs is away or overloaded.
 * @param seconds when a retry is worth it
 * @param options its `cause` is what that part said: logged, and shown to nobody
 */
export function unavailable(message: string, seconds = 1, options?: DropErrorOptions): DropError {
  return new DropError('unavailable', message, { retry_after_seconds: seconds }, options);
}
