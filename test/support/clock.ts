import type { Clock } from '../../shared/ports/clock.ts';

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
