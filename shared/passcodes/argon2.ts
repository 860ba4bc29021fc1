import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../domain/errors.ts';
import { FairQueue } from '../util/fair-queue.ts';
import type { PasscodeHasher } from './passcode-hasher.ts';

/** OWASP's recommendation for argon2id, the library's default algorithm: 19 MiB, 2 passes, 1 lane. */
const recommended = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Apart from the passcodes that are entered, so that setting passcodes delays no viewer. */
const maxHashing = 1;
/** About two seconds of work. */
const maxWaiting = 200;

/** The library computes in libuv's threads. @param cost for tests: less than it is otherwise */
export function createArgon2Hasher(cost = recommended): PasscodeHasher {
  const turns = new FairQueue(maxHashing, maxWaiting);
  return {
    async hash(passcode, account) {
      const done = await turns.run([account], () => hash(passcode, cost));
      if (done === undefined) throw unavailable('Too many passcodes are being set: try again.');
      return done;
    },
    verify: (encoded, passcode) => verify(encoded, passcode),
  };
}
