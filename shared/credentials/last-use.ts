import type { Clock } from '../domain/clock.ts';
import type { Log } from '../log/log.ts';

/** The use of a credential is recorded at most once in this time. */
const recordUseEveryMs = 60_000;

/** Records uses without delaying the request. @returns a function that returns the last use: the credential's, or now */
export function createUseRecorder(
  { clock, log }: { clock: Clock; log: Log },
  what: 'token' | 'session',
  touch: (id: string, now: number, ifUsedBefore: number) => Promise<void>,
) {
  /** Ids of credentials whose use is being recorded. */
  const recording = new Set<string>();

  return ({ id, lastUsedAt }: { id: string; lastUsedAt: number | null }): number => {
    const now = clock.now();
    const ifUsedBefore = now - recordUseEveryMs + 1;
    if (lastUsedAt !== null && lastUsedAt >= ifUsedBefore) return lastUsedAt;
    if (!recording.has(id)) {
      recording.add(id);
      touch(id, now, ifUsedBefore)
        .catch((err: unknown) =>
          log.warn({ err, [`${what}Id`]: id }, `Recording the use of a ${what} failed`),
        )
        .finally(() => recording.delete(id));
    }
    return now;
  };
}
