import { isReported, isUnavailable } from '../domain/errors.ts';
import { messageOf } from '../util/error-texts.ts';
import type { Log } from './log.ts';

const onceInMs = 60_000;
/** An error whose text differs each time must not fill the memory. */
const maxCauses = 500;

/** One message with one error. */
interface Cause {
  readonly write: (fields: object) => void;
  writtenAt: number;
  /** Since the last line. */
  count: number;
  last: object;
}

export interface ThrottledLog extends Log {
  /** Writes the counts of minutes that are over; with `all` also of those that are not. */
  report(options?: { all: boolean }): void;
}

/**
 * Writes one line a minute for each message and `err` or `cause`: the first at once, then the last with the `count` since. An
 * outage (`unavailable`) is the text of its `cause`, its stack at debug only; so is what its part reports (`isReported`).
 */
export function throttleFailures(log: Log, now: () => number): ThrottledLog {
  const causes = new Map<string, Cause>();

  function writeCount(cause: Cause): void {
    cause.write({ ...cause.last, count: cause.count });
    cause.writtenAt = now();
    cause.count = 0;
  }

  function add(key: string, fields: object, write: Cause['write']): void {
    const known = causes.get(key);
    if (known === undefined) {
      forgetOldest();
      causes.set(key, { write, writtenAt: now(), count: 0, last: fields });
      write(fields);
      return;
    }
    known.count += 1;
    known.last = fields;
    if (isOver(known)) writeCount(known);
  }

  /** A clock that is set back must not silence a cause. */
  const isOver = ({ writtenAt }: Cause) => Math.abs(now() - writtenAt) >= onceInMs;

  function forgetOldest(): void {
    const [oldest] = causes;
    if (oldest === undefined || causes.size < maxCauses) return;
    const [key, cause] = oldest;
    if (cause.count > 0) writeCount(cause);
    causes.delete(key);
  }

  const throttled =
    (level: 'warn' | 'error'): Log['warn'] =>
    (fields, message) => {
      const { err, cause }: { err?: unknown; cause?: unknown } = fields;
      const isOutage = isUnavailable(err);
      if (isOutage) log.debug(fields, message);
      if (isReported(err)) return;
      const key = [level, message, isOutage ? messageOf(err) : identityOf(err ?? cause)].join('\n');
      add(key, isOutage ? withoutStack(fields, err) : fields, (shown) => log[level](shown, message));
    };

  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: throttled('warn'),
    error: throttled('error'),

    report({ all } = { all: false }) {
      for (const [key, cause] of causes) {
        if (!all && !isOver(cause)) continue;
        if (cause.count > 0) writeCount(cause);
        else causes.delete(key);
      }
    },
  };
}

/** What the error says and where it was thrown. */
function identityOf(err: unknown): string {
  if (!(err instanceof Error)) return JSON.stringify(err) ?? '';
  const [frame = ''] = /^ +at .*/m.exec(err.stack ?? '') ?? [];
  return `${err.name}: ${err.message}${frame}`;
}

/** The texts of the error and its causes as `cause`, in place of `err`. */
function withoutStack({ err: _, ...fields }: { err?: unknown }, err: unknown): object {
  const texts = new Set<string>();
  for (let at = err; at !== undefined; at = at instanceof Error ? at.cause : undefined)
    texts.add(messageOf(at).replace(/\.$/, ''));
  return { ...fields, cause: [...texts].join(': ') };
}
