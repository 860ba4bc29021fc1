import { type Code, DropError, type ErrorDetails } from '../../shared/domain/errors.ts';
import { anything, fields, named, optional, text, type Wire } from '../openapi/shape.ts';

/** An error with a status other than that of its code in `errorCodes` (405, 413, 415 …), or with headers of its own. */
export class HttpError extends DropError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: Code,
    message: string,
    details?: ErrorDetails,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message, details);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }
}

/** RFC 9110, section 15.5.6. */
export function methodNotAllowed(method: string | undefined, allowed: readonly string[]): HttpError {
  const allow = allowed.join(', ');
  const message = `${method} is not allowed for this path: use ${allow}`;
  return new HttpError(405, 'invalid_arg', message, { allow }, { Allow: allow });
}

/** The status of each code, unless an `HttpError` has its own, and its meaning, as Markdown for the API reference. */
export const errorCodes: Readonly<Record<Code, readonly [status: number, meaning: string]>> = {
  unauthorized: [401, 'The request has no bearer token. On `/api/me` also: the token is not valid.'],
  invalid_token: [401, 'The bearer token is malformed, unknown or revoked.'],
  token_required: [400, 'The poll has no `token`.'],
  forbidden: [
    403,
    'The account is suspended, the page was taken down, or a web page of another origin sent the request.',
  ],
  not_found: [404, 'There is no such drop, version or token, or it belongs to another account.'],
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
  rate_limited: [429, 'Too many requests of this kind in this minute.'],
  daily_quota_exceeded: [429, 'The account has used up the writes of this UTC day.'],
  quota_exceeded: [429, 'The account has the maximum number of drops.'],
  idempotency_key_reused: [422, 'The `Idempotency-Key` was used for another request in the last 24 hours.'],
  idempotency_key_in_use: [
    409,
    'An earlier request with the same `Idempotency-Key`, or to the same upload address, is still running.',
  ],
  upload_used: [409, 'The upload address was used for another document.'],
  internal_error: [500, 'The service failed.'],
  unavailable: [503, 'A part of the service is down or overloaded, or the request took too long.'],
};

export const codes = Object.keys(errorCodes) as Code[]; // proof: the keys of a Record<Code, …>

export const errorShape = named(
  'Error',
  fields(
    {
      error: fields({
        code: text('The kind of error, for programs.', { enum: codes }),
        message: text('The error in words, for people. The wording may change.'),
        details: optional(
          anything(
            'Depends on the code: `field` and `fields` name the wrong parts of the request, `max_length`, `max_bytes` and others are limits, `retry_after_seconds` is the time to wait, `reason` says what is `unavailable`.',
          ),
        ),
      }),
    },
    'Every answer from 400 on.',
  ),
);

export type ErrorEnvelope = Wire<typeof errorShape>;

/** The envelope of every 4xx and 5xx (spec section 7). */
export function presentError(error: DropError): ErrorEnvelope {
  const { code, message, details } = error;
  return { error: details === undefined ? { code, message } : { code, message, details } };
}

/** Of the answer with this error. */
export function statusOf(error: DropError): number {
  return error instanceof HttpError ? error.status : errorCodes[error.code][0];
}

/** What clients see of an error: only a DropError says what happened. */
export function shownError(error: unknown): DropError {
  if (error instanceof DropError) return error;
  return new DropError('internal_error', 'Something went wrong on the server');
}
