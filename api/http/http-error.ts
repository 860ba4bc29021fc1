import { type Code, DropError, type ErrorDetails } from '../../shared/domain/errors.ts';

/**
 * A fault of the exchange itself, which only HTTP has: its status is not the one that its code has elsewhere
 * (405, 413, 415 …), and it may ask for headers.
 */
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
  const message = `${method} is not for this path: use ${allow}.`;
  return new HttpError(405, 'invalid_arg', message, { allow }, { Allow: allow });
}
