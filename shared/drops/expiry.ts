import { DropError } from '../domain/errors.ts';
import { dayMs } from '../domain/time-windows.ts';

/** Ten years: a later time is a mistake of units, such as microseconds. */
const maxExpiryMs = 3_653 * dayMs;

/** Not part of reading the request: the answer to a repeated request must not depend on when it is repeated. */
export function checkExpiry(expiresAt: number | null | undefined, now: number): void {
  if (expiresAt == null || (expiresAt > now && expiresAt <= now + maxExpiryMs)) return;
  const message = `expires_at must be in the future and at most 10 years ahead, in Unix milliseconds (got ${expiresAt}; now it is ${now})`;
  throw new DropError('invalid_arg', message, {
    field: 'expires_at',
    fields: [{ field: 'expires_at', code: 'invalid_arg', message }],
  });
}
