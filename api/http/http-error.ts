import { type Code, DropError, type ErrorDetails } from '../../shared/domain/errors.ts';
import { anything, fields, named, optional, text, type Wire } from '../openapi/shape.ts';

/** An error with a status other than that of its code in `statuses` (405, 413, 415 …), or with headers of its own. */
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

/** The status of each code. An `HttpError` has its own. */
export const statuses: Readonly<Record<Code, number>> = {
  unauthorized: 401,
  invalid_token: 401,
  token_required: 400,
  forbidden: 403,
  not_found: 404,
  version_not_found: 404,
  invalid_slug: 400,
  invalid_json: 400,
  invalid_arg: 400,
  html_required: 400,
  html_too_large: 400,
  title_required: 400,
  title_too_long: 400,
  description_too_long: 400,
  context_too_large: 400,
  passcode_required: 400,
  passcode_too_short: 400,
  metadata_only_on_patch: 400,
  last_version_cannot_be_deleted: 409,
  version_limit_reached: 429,
  version_conflict: 412,
  rate_limited: 429,
  daily_quota_exceeded: 429,
  quota_exceeded: 429,
  idempotency_key_reused: 422,
  idempotency_key_in_use: 409,
  upload_used: 409,
  internal_error: 500,
  unavailable: 503,
};

export const codes = Object.keys(statuses) as Code[]; // proof: the keys of a Record<Code, …>

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

/** What clients see of an error: only a DropError says what happened. */
export function shownError(error: unknown): DropError {
  if (error instanceof DropError) return error;
  return new DropError('internal_error', 'Something went wrong on the server');
}
