import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../../domain/errors.ts';
import type { PasscodeHasher } from '../../ports/passcode-hasher.ts';
import { createFairQueue, type FairQueue } from '../../util/fair-queue.ts';

/** OWASP's recommendation for argon2id, the library's default algorithm: 19 MiB, 2 passes, 1 lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** At a time of each kind, so that setting passcodes delays no viewer who enters one. Two take 38 MiB. */
const maxRunning = 1;
/** About two seconds of work. */
const maxWaiting = 200;

/** The library computes in libuv's threads. */
export function createArgon2Hasher(): PasscodeHasher {
  const hashing = createFairQueue(maxRunning, maxWaiting);
  const verifying = createFairQueue(maxRunning, maxWaiting);
  return {
    hash: (passcode, account) => queued(hashing, [account], () => hash(passcode, cost)),
    verify: (encoded, passcode, { drop, network }) =>
      queued(verifying, [`drop ${drop}`, `network ${network}`], () => verify(encoded, passcode)),
  };
}

async function queued<T>(queue: FairQueue, keys: readonly string[], work: () => Promise<T>): Promise<T> {
  const done = await queue.run(keys, async () => ({ result: await work() }));
  if (done === undefined) throw unavailable('Too many passcodes are being checked: try again.');
  return done.result;
}
