import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../../domain/errors.ts';
import type { PasscodeHasher } from '../../ports/passcode-hasher.ts';

/** OWASP's first choice for argon2id, which is the library's default algorithm: 19 MiB, 2 passes, 1 lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Of each kind, so that one who sets passcodes holds up nobody who enters one; two hold 38 MiB. */
const maxRunning = 1;
/** About two seconds' worth. */
const maxWaiting = 200;

/** Both methods reject with DropError `unavailable` when too many passcodes wait already. */
export function createArgon2Hasher(): PasscodeHasher {
  const hashing = createTurns(maxRunning, maxWaiting);
  const verifying = createTurns(maxRunning, maxWaiting);
  return {
    hash: (passcode) => hashing.take(() => hash(passcode, cost)),
    verify: (encoded, passcode) => verifying.take(() => verify(encoded, passcode)),
  };
}

/** Runs so many at a time, in the order of asking. */
function createTurns(running: number, waiting: number) {
  const line: (() => void)[] = [];
  let free = running;
  return {
    async take<T>(work: () => Promise<T>): Promise<T> {
      if (free > 0) free--;
      else if (line.length < waiting) await new Promise<void>((resolve) => line.push(resolve));
      else throw unavailable('Too many passcodes are being checked.');
      try {
        return await work();
      } finally {
        const next = line.shift();
        if (next) next();
        else free++;
      }
    },
  };
}
