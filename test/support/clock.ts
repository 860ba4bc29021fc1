import type { Clock } from '../../shared/domain/clock.ts';

export interface TestClock extends Clock {
  advance(ms: number): void;
  set(now: number): void;
}

/** A clock that stands until it is moved. @param start Unix ms */
export function createTestClock(start = Date.UTC(2026, 0, 15, 12, 30, 30)): TestClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
    set(to) {
      now = to;
    },
  };
}

export interface VirtualDate extends TestClock {
  /** `Date.now` is real again. */
  restore(): void;
}

/** Stops `Date.now`, for libraries that read it, until it is moved. Timers and `new Date()` stay real. One at a time. */
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

/** `Date.now` follows the clock, or the newest of several. @returns ends it */
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
