import { type Code, DropError, type ErrorDetails } from '../shared/domain/errors.ts';

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
