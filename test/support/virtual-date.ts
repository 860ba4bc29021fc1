import { createTestClock, type TestClock } from './clock.ts';

export interface VirtualDate extends TestClock {
  /** `Date.now` tells the real time again. */
  restore(): void;
}

/**
 * Lets `Date.now` stand until it is moved, for code of others that takes the time from there. Timers stay real, and
 * so does `new Date()`. One at a time.
 */
export function startVirtualDate(): VirtualDate {
  if (Date.now !== realNow) throw new Error('The date is virtual already');
  const clock = createTestClock(realNow());
  Date.now = clock.now;
  return {
    ...clock,
    restore() {
      Date.now = realNow;
    },
  };
}

/**
 * Lets `Date.now` tell the clock's time for as long as a service works by that clock; of several the newest's.
 * @returns ends it
 */
export function followClock(clock: TestClock): () => void {
  followed.push(clock);
  Date.now = clock.now;
  return () => {
    followed.splice(followed.indexOf(clock), 1);
    Date.now = followed.at(-1)?.now ?? realNow;
  };
}

const realNow = Date.now;
const followed: TestClock[] = [];
