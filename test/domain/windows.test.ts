import { expect } from 'chai';
import { dayOf, minuteOf, windowOf } from '../../shared/domain/windows.ts';

const noon = Date.UTC(2026, 0, 31, 12, 0, 0);

describe('Windows', () => {
  it('are the same for all moments of one span, and another from its end on', () => {
    expect(minuteOf(noon).id).to.equal(minuteOf(noon + 59_999).id);
    expect(minuteOf(noon).id).to.not.equal(minuteOf(noon + 60_000).id);
    expect(minuteOf(noon).id).to.not.equal(minuteOf(noon - 1).id);
  });

  it('say in whole seconds when the next one opens: never too early, never 0', () => {
    expect(minuteOf(noon).retryAfterSeconds).to.equal(60);
    expect(minuteOf(noon + 1).retryAfterSeconds).to.equal(60);
    expect(minuteOf(noon + 1_000).retryAfterSeconds).to.equal(59);
    expect(minuteOf(noon + 59_999).retryAfterSeconds).to.equal(1);
    expect(windowOf(noon, 600_000).retryAfterSeconds).to.equal(600);
  });

  it('of a day are UTC dates', () => {
    expect(dayOf(noon)).to.deep.include({ id: '2026-01-31', retryAfterSeconds: 12 * 3_600 });
    expect(dayOf(Date.UTC(2026, 1, 1)).id).to.equal('2026-02-01');
  });
});
