import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../shared/adapters/memory/rate-limiter.ts';
import { minuteOf, windowOf } from '../../shared/domain/windows.ts';
import { later, start } from '../contract/records.ts';

describe('The rate limiter of one process', () => {
  const minute = minuteOf(start);
  const hour = windowOf(start, 3_600_000);

  async function takeEach(limiter: ReturnType<typeof createMemoryRateLimiter>, count: number, name: string) {
    for (let n = 0; n < count; n++) await limiter.take(`${name} ${n}`, 1, minute);
  }

  it('keeps a bounded number of keys, of all windows together: beyond it those with the lowest counts go', async () => {
    const limiter = createMemoryRateLimiter(100);
    for (const key of ['once', 'twice', 'twice']) await limiter.take(key, 2, hour);
    await takeEach(limiter, 98, 'other');
    expect(await limiter.take('once', 1, hour), 'there is room').to.equal(false);
    await takeEach(limiter, 1_000, 'another');
    expect(await limiter.take('once', 1, hour)).to.equal(true);
    expect(await limiter.take('twice', 2, hour)).to.equal(false);
  });

  it('forgets a key only where half of the keys that it keeps have counts as high', async () => {
    const limiter = createMemoryRateLimiter(100);
    const countTo = async (key: string, count: number) => {
      for (let n = 0; n < count; n++) await limiter.take(key, 10, minute);
    };
    await countTo('drop', 10);
    for (let n = 0; n < 300; n++) await countTo(`flood ${n}`, 9);
    expect(await limiter.take('drop', 10, minute)).to.equal(false);
    for (let n = 0; n < 300; n++) await countTo(`larger flood ${n}`, 10);
    expect(await limiter.take('drop', 10, minute)).to.equal(true);
  });

  it('keeps no key for what it refuses, nor for what is given back', async () => {
    const limiter = createMemoryRateLimiter(100);
    await limiter.take('kept', 1, minute);
    for (let n = 0; n < 300; n++) {
      await limiter.take(`refused ${n}`, 0, minute);
      await limiter.take(`given back ${n}`, 1, minute);
      await limiter.giveBack(`given back ${n}`, minute);
      await limiter.giveBack(`never taken ${n}`, minute);
    }
    expect(await limiter.take('kept', 1, minute)).to.equal(false);
  });

  it('keeps the keys of the newest window and of the one before it, for each length of window', async () => {
    const limiter = createMemoryRateLimiter();
    const [first, second, third] = [minute, minuteOf(later), minuteOf(later + 60_000)];
    await limiter.take('k', 1, hour);
    for (const window of [first, second]) await limiter.take('k', 1, window);
    expect(await limiter.take('k', 1, first), 'before').to.equal(false);
    await limiter.take('k', 1, third);
    expect(await limiter.take('k', 1, second), 'before').to.equal(false);
    await limiter.giveBack('another', first);
    expect(await limiter.take('k', 1, third), 'newest').to.equal(false);
    expect(await limiter.take('k', 1, hour)).to.equal(false);
    expect(await limiter.take('k', 1, first), 'over').to.equal(true);
  });
});
