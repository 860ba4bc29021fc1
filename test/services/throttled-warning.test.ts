import { expect } from 'chai';
import { createThrottledWarning } from '../../shared/services/throttled-warning.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('A throttled warning', () => {
  it('is logged at once, then at most once a minute with the number of calls', () => {
    const clock = createTestClock();
    const log = createRecordingLog();
    const warn = createThrottledWarning({ clock, log }, 'it is away');
    for (let second = 0; second < 125; second++) {
      for (let n = 0; n < 10; n++) warn({ second });
      clock.advance(1_000);
    }
    expect(log.lines).to.deep.equal([
      { level: 'warn', message: 'it is away', fields: { second: 0, count: 1 } },
      { level: 'warn', message: 'it is away', fields: { second: 60, count: 600 } },
      { level: 'warn', message: 'it is away', fields: { second: 120, count: 600 } },
    ]);
  });

  it('is not silenced by a clock that is set back', () => {
    const clock = createTestClock();
    const log = createRecordingLog();
    const warn = createThrottledWarning({ clock, log }, 'it is away');
    warn({});
    clock.advance(-3_600_000);
    warn({});
    expect(log.lines).to.have.length(2);
  });
});
