import { isReported } from '../domain/errors.ts';
import type { Log } from '../ports/log.ts';

/**
 * A log for which a line about an error that another part reports is of level debug. With a full disk each request, job and
 * flush fails: the database then writes one line a minute, and the log has no stacks beside it.
 */
export function lowerReported(log: Log): Log {
  const isLow = (fields: object) => 'err' in fields && isReported(fields.err);
  return {
    debug: log.debug,
    info: log.info,
    warn: (fields, message) => (isLow(fields) ? log.debug(fields, message) : log.warn(fields, message)),
    error: (fields, message) => (isLow(fields) ? log.debug(fields, message) : log.error(fields, message)),
  };
}
