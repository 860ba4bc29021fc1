import { expect } from 'chai';
import { dayOf, minuteMs, windowOf } from '../../shared/domain/windows.ts';

const noon = Date.UTC(2026, 0, 31, 12, 0, 0);
const minuteOf = (now: number) => windowOf(now, minuteMs);

describe('Windows', () => {
  it('have one id for all moments of a span', () => {
    expect(minuteOf(noon).id).to.equal(minuteOf(noon + 59_999).id);
    expect(minuteOf(noon).id).to.not.equal(minuteOf(noon + 60_000).id);
    expect(minuteOf(noon).id).to.not.equal(minuteOf(noon - 1).id);
  });

  it('say in whole seconds when the next one opens: never too early, never 0', () => {
    for (const [afterMs, seconds] of [
      [0, 60],
      [1, 60],
      [1_000, 59],
      [59_999, 1],
    ] as const)
      expect(minuteOf(noon + afterMs).retryAfterSeconds).to.equal(seconds);
    expect(windowOf(noon, 600_000).retryAfterSeconds).to.equal(600);
  });

  it('of a day are UTC dates', () => {
    expect(dayOf(noon)).to.deep.include({ id: '2026-01-31', retryAfterSeconds: 12 * 3_600 });
    expect(dayOf(Date.UTC(2026, 1, 1)).id).to.equal('2026-02-01');
  });
});
