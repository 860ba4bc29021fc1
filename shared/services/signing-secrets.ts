import { type Config, setSigningSecrets } from '../config/config.ts';
import { randomBase62 } from '../domain/ids.ts';
import { acceptedAt, retiredAt, type SigningSecret } from '../domain/signing-secret.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { SecretStore } from '../ports/secret-store.ts';
import { waitAtMost } from '../util/wait-at-most.ts';
import { createThrottledWarning } from './throttled-warning.ts';

const secretLength = 43; // base62: 256 bits

/** Each process looks this often whether there is a new one. */
const readAgainMs = 30_000;
/** The same where one is missed; anybody can make up names of such. */
const readMissedMs = 1_000;
/** A new one signs only when every process must have read it, however late it was and whatever its clock says. */
const announcedMs = 120_000;
/** Requests wait no longer for a look; it goes on. */
const lookMs = 1_000;
/** Each more is one more under which a code may have been kept. */
const keptAtMost = 20;

export type SigningSecrets = ReturnType<typeof createSigningSecrets>;

export type Rotation =
  | { readonly outcome: 'added'; readonly signsFrom: number }
  | { readonly outcome: 'one_is_waiting'; readonly signsFrom: number }
  | { readonly outcome: 'too_many' };

/** The secrets that sign cookies and grants: those of the settings, else those that are kept with the data. */
export function createSigningSecrets(deps: {
  store: SecretStore;
  clock: Clock;
  log: Log;
  config: Pick<
    Config,
    'SIGNING_SECRET' | 'SIGNING_SECRETS_ACCEPTED' | 'UNLOCK_SECONDS' | 'GRANT_SECONDS' | 'SIGN_IN_TTL_SECONDS'
  >;
}) {
  const { store, clock, log, config } = deps;
  const set = setSigningSecrets(config);
  const longestMs = 1_000 * Math.max(config.UNLOCK_SECONDS, config.GRANT_SECONDS, config.SIGN_IN_TTL_SECONDS);
  const warnOfNoLook = createThrottledWarning({ clock, log }, 'the signing secrets could not be read again');
  const list = () => store.listSigning(randomBase62(secretLength));

  let known: readonly SigningSecret[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let waited: Promise<void> | null = null;

  async function read(): Promise<void> {
    readAt = clock.now();
    known = await list();
  }

  /**
   * One look at a time, that all who ask wait for together. Where it fails, those that are known serve on, and the
   * next look is as far away as any.
   */
  function readAgain(): Promise<void> {
    if (waited !== null) return waited;
    const reading = read()
      .catch((err: unknown) => warnOfNoLook({ err }))
      .finally(() => {
        waited = null;
      });
    waited = waitAtMost(lookMs, reading);
    return waited;
  }

  return {
    /** @throws what the store throws: without any secret there is nothing to begin with */
    async open(): Promise<void> {
      if (set === null) await read();
    },

    /**
     * Those that are accepted now, the one that signs first.
     * @param isMissed something names one that is not among them: another process, whose clock is ahead or which has
     * looked sooner, may sign with it already
     */
    async accepted(isMissed = false): Promise<readonly string[]> {
      if (set !== null) return set;
      const age = Math.abs(clock.now() - readAt);
      const isOld = waited !== null || age >= (isMissed ? readMissedMs : readAgainMs);
      if (isOld) await readAgain();
      return acceptedAt(known, clock.now(), longestMs).map(({ value }) => value);
    },

    /**
     * Adds a new one, that signs when all processes know it; what older ones have signed stays good for its time.
     * @param atOnce it signs now, and all others are void: for secrets that somebody else has seen
     */
    async rotate({ atOnce = false } = {}): Promise<Rotation> {
      const now = clock.now();
      const others = await list();
      const waiting = others.find(({ signsFrom }) => signsFrom > now);
      if (!atOnce && waiting !== undefined)
        return { outcome: 'one_is_waiting', signsFrom: waiting.signsFrom };
      if (!atOnce && others.length >= keptAtMost) return { outcome: 'too_many' };
      const signsFrom = await add(atOnce ? now : now + announcedMs);
      if (atOnce) await store.removeSigning(others.map((other) => other.signsFrom));
      return { outcome: 'added', signsFrom };
    },

    /** Removes those of which nothing can be good any more. */
    async forgetRetired(): Promise<void> {
      if (set !== null) return;
      const retired = retiredAt(await list(), clock.now(), longestMs);
      if (retired.length === 0) return;
      await store.removeSigning(retired.map(({ signsFrom }) => signsFrom));
      log.info({ secrets: retired.length }, 'removed signing secrets that nothing needs any more');
    },
  };

  /** @returns from when on it signs */
  async function add(earliest: number): Promise<number> {
    for (let signsFrom = earliest; ; signsFrom++) {
      const secret = { value: randomBase62(secretLength), signsFrom };
      if ((await store.addSigning(secret)) === 'added') return signsFrom;
    }
  }
}
