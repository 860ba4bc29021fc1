import { expect } from 'chai';

/**
 * Milliseconds that no answer takes that has a bound of ours, even on a busy machine: drivers and the system wait for 30 s, and a
 * request for comments for 25 s.
 */
export const inTimeMs = 20_000;

/** The driver of MongoDB looks for its server every 10 s by default. */
export const backInTimeMs = 9_000;

/** The result of a call that settles without waiting for a timer or another process. */
export async function atOnce<T>(call: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  call.then(settle, settle);
  for (let turn = 0; turn < 50 && !isSettled; turn++) await new Promise(setImmediate);
  expect(isSettled, 'settled at once').to.equal(true);
  return call;
}
