import { type Code, DropError, type ErrorDetails, errorCodes } from '../../shared/domain/errors.ts';
import { anyShape, fields, named, optional, textShape, type Wire } from '../openapi/shape.ts';

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

/**
 * For a person who may not read a restricted page, or whose browser does not show who they are: in the viewer page they can sign in.
 * Programs get `not_found`.
 */
export class NoRight extends HttpError {
  /** @param url of the viewer page */
  constructor(url: string) {
    super(403, 'forbidden', `Not everybody may read this page: open it at ${url}`, { url });
  }
}

/** RFC 9110, section 15.5.6. */
export function methodNotAllowed(method: string | undefined, allowed: readonly string[]): HttpError {
  const allow = allowed.join(', ');
  const message = `${method} is not allowed for this path: use ${allow}`;
  return new HttpError(405, 'invalid_arg', message, { allow }, { Allow: allow });
}

export const codes = Object.keys(errorCodes) as Code[]; // proof: it is `keyof typeof errorCodes`

export const errorShape = named(
  'Error',
  fields(
    {
      error: fields({
        code: textShape('The kind of error, for programs.', { enum: codes }),
        message: textShape('The error in words, for people. The wording may change.'),
        details: optional(
          anyShape(
            'Depends on the code: `field` and `fields` name the wrong parts of the request, `max_length`, `max_bytes` and others are limits, `retry_after_seconds` is the time to wait, `reason` says what is `unavailable`.',
          ),
        ),
      }),
    },
    'Every answer from 400 on.',
  ),
);

export type ErrorEnvelope = Wire<typeof errorShape>;

export function presentError(error: DropError): ErrorEnvelope {
  const { code, message, details } = error;
  return { error: { code, message, details } };
}

export function statusOf(error: DropError): number {
  return error instanceof HttpError ? error.status : errorCodes[error.code][0];
}

/** What clients see of an error: only a DropError says what happened. */
export function shownError(error: unknown): DropError {
  if (error instanceof DropError) return error;
  return new DropError('internal_error', 'Something went wrong on the server');
}
