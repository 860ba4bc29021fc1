import { expect } from 'chai';
import { minuteMs, type TimeWindow, timeWindowOf } from '../../shared/domain/time-windows.ts';
import { MemoryRateLimiter } from '../../shared/limits/memory.ts';
import { countsOf, expectReserved } from '../contract/rate-limiter.contract.ts';
import { later, start } from '../contract/records.ts';
import { useEach } from '../support/between.ts';

describe('RateLimiter in memory', () => {
  const minute = timeWindowOf(start, minuteMs);
  const nextMinute = timeWindowOf(later, minuteMs);
  const thirdMinute = timeWindowOf(later + minuteMs, minuteMs);
  const hour = timeWindowOf(start, 3_600_000);
  const limiter = useEach(() => new MemoryRateLimiter(100));

  const count = (key: string, limit: number, window: TimeWindow | undefined = minute) =>
    countsOf(limiter, limit, key, window);

  it('above the maximum of keys, deletes those with the lowest counts, of all windows', async () => {
    for (const key of ['once', 'twice', 'twice']) await count(key, 2, hour).take();
    for (let n = 0; n < 98; n++) await count(`other ${n}`, 1).take();
    expect(await count('once', 1, hour).take(), 'no key was deleted').to.equal(false);
    for (let n = 0; n < 1_000; n++) await count(`another ${n}`, 1).take();
    expect(await count('once', 1, hour).take()).to.equal(true);
    expect(await count('twice', 2, hour).take()).to.equal(false);
  });

  it('deletes a high count only if half of the maximum of keys have counts as high', async () => {
    await count('drop', 10).takeMany(10);
    for (let n = 0; n < 300; n++) await count(`flood ${n}`, 10).takeMany(9);
    expect(await count('drop', 10).take()).to.equal(false);
    for (let n = 0; n < 300; n++) await count(`larger flood ${n}`, 10).takeMany(10);
    expect(await count('drop', 10).take()).to.equal(true);
  });

  it('keeps no key of a refused call, and no key with a count of 0', async () => {
    await count('kept', 1).take();
    for (let n = 0; n < 300; n++) {
      await count(`refused ${n}`, 0).take();
      await expectReserved(await count(`given back ${n}`, 1).reserve()).settle(false);
    }
    expect(await count('kept', 1).take()).to.equal(false);
  });

  it('keeps the newest two windows of each length', async () => {
    for (const window of [hour, minute, nextMinute]) await count('k', 1, window).take();
    expect(await count('k', 1, minute).take(), 'the window before').to.equal(false);
    await count('k', 1, thirdMinute).take();
    for (const window of [nextMinute, thirdMinute, hour])
      expect(await count('k', 1, window).take()).to.equal(false);
    expect(await count('k', 1, minute).take(), 'deleted').to.equal(true);
  });
});
