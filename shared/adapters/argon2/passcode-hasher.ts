import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../../domain/errors.ts';
import { createTurns, type Turns } from '../../domain/turns.ts';
import type { PasscodeHasher } from '../../ports/passcode-hasher.ts';

/** OWASP's first choice for argon2id, which is the library's default algorithm: 19 MiB, 2 passes, 1 lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Of each kind, so that one who sets passcodes holds up nobody who enters one; two hold 38 MiB. */
const maxRunning = 1;
/** About two seconds' worth. */
const maxWaiting = 200;

/** Both methods reject with DropError `unavailable` when too many passcodes wait already. */
export function createArgon2Hasher(): PasscodeHasher {
  const hashing = createTurns(maxRunning);
  const verifying = createTurns(maxRunning);
  return {
    hash: (passcode) => inTurn(hashing, () => hash(passcode, cost)),
    verify: (encoded, passcode) => inTurn(verifying, () => verify(encoded, passcode)),
  };
}

async function inTurn<T>(turns: Turns, work: () => Promise<T>): Promise<T> {
  if (turns.waiting() >= maxWaiting) throw unavailable('Too many passcodes are being checked.');
  return turns.take(work);
}
