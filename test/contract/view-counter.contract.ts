import { expect } from 'chai';
import type { ViewBatch, ViewCount } from '../../shared/ports/view-counter.ts';
import { inParallel, later, start } from './records.ts';
import { type OpenViewCounter, useStores } from './stores.ts';

const day = '2026-01-31';
const nextDay = '2026-02-01';

function sorted(batch: ViewBatch | null): ViewCount[] | undefined {
  return batch?.counts
    .map(({ dropId, day, count }) => ({ dropId, day, count }))
    .sort((a, b) => (`${a.dropId}${a.day}` < `${b.dropId}${b.day}` ? -1 : 1));
}

/** What any engine must do for ViewCounter. */
export function describeViewCounterContract(engine: string, openStores: OpenViewCounter): void {
  describe(`ViewCounter (${engine})`, () => {
    const stores = useStores(openStores);

    function add(count: number, flush: number, writer = 'w1', now = start): Promise<void> {
      return stores().views.add(writer, flush, [{ dropId: 'd1', day, count }], now);
    }

    async function open(now = start): Promise<ViewBatch> {
      const batch = await stores().views.openBatch(now);
      if (batch === null) throw new Error('There is no batch');
      return batch;
    }

    it('has no batch where nothing was counted', async () => {
      expect(await stores().views.openBatch(start)).to.equal(null);
      await stores().views.add('w1', 1, [], start);
      expect(await stores().views.openBatch(start)).to.equal(null);
    });

    it('sums what was added, for each drop and day', async () => {
      const { views } = stores();
      await views.add(
        'w1',
        1,
        [
          { dropId: 'd1', day, count: 2 },
          { dropId: 'd2', day, count: 5 },
        ],
        start,
      );
      await views.add('w2', 1, [{ dropId: 'd1', day, count: 3 }], start);
      await views.add('w1', 2, [{ dropId: 'd1', day: nextDay, count: 1 }], start);
      expect(sorted(await open())).to.deep.equal([
        { dropId: 'd1', day, count: 5 },
        { dropId: 'd1', day: nextDay, count: 1 },
        { dropId: 'd2', day, count: 5 },
      ]);
    });

    it('counts a flush once, however often it comes', async () => {
      await inParallel(10, () => add(2, 1));
      await add(4, 2);
      await add(2, 1);
      expect(sorted(await open())).to.deep.equal([{ dropId: 'd1', day, count: 6 }]);
    });

    it('counts a repeated flush once even after its batch was closed', async () => {
      await add(2, 1);
      await stores().views.closeBatch((await open()).number);
      await add(2, 1);
      expect(await stores().views.openBatch(later)).to.equal(null);
    });

    it('counts the same flush number of different writers', async () => {
      await inParallel(10, (i) => add(1, 1, `w${i}`));
      expect(sorted(await open())).to.deep.equal([{ dropId: 'd1', day, count: 10 }]);
    });

    it('loses none of many flushes at once, batches opened meanwhile', async () => {
      const { views } = stores();
      let total = 0;
      const writing = inParallel(100, (i) => add(1, 1, `w${i}`));
      const collect = async () => {
        const batch = await views.openBatch(start);
        for (const { count } of batch?.counts ?? []) total += count;
        if (batch !== null) await views.closeBatch(batch.number);
      };
      for (let i = 0; i < 5; i++) await collect();
      await writing;
      await collect();
      expect(total).to.equal(100);
      expect(await views.openBatch(start)).to.equal(null);
    });

    it('numbers a batch by the clock', async () => {
      await add(1, 1);
      expect((await open(later)).number).to.equal(later);
    });

    it('numbers a batch above the last one, whatever the clock says', async () => {
      await add(1, 1);
      const first = await open(later);
      await stores().views.closeBatch(first.number);
      await add(1, 2);
      const second = await open(start);
      expect(second.number).to.equal(first.number + 1);
    });

    it('gives the same batch until it is closed, and keeps what comes meanwhile for the next', async () => {
      await add(1, 1);
      const first = await open(start);
      await add(10, 2);
      const again = await open(later);
      expect(again.number).to.equal(first.number);
      expect(sorted(again)).to.deep.equal(sorted(first));
      await stores().views.closeBatch(first.number);
      expect(sorted(await open(later))).to.deep.equal([{ dropId: 'd1', day, count: 10 }]);
    });

    it('gives 20 jobs at once the same batch', async () => {
      await add(7, 1);
      const batches = await inParallel(20, (i) => open(start + i));
      expect(new Set(batches.map(({ number }) => number)).size).to.equal(1);
      for (const batch of batches) expect(sorted(batch)).to.deep.equal([{ dropId: 'd1', day, count: 7 }]);
    });

    it('closes only the open batch of that number, and repeats do nothing', async () => {
      const { views } = stores();
      await add(1, 1);
      const first = await open();
      await views.closeBatch(first.number + 1);
      expect((await open()).number).to.equal(first.number);
      await views.closeBatch(first.number);
      await add(2, 2);
      const second = await open();
      await views.closeBatch(first.number);
      expect(sorted(await open())).to.deep.equal(sorted(second));
      await views.closeBatch(second.number);
      await views.closeBatch(second.number);
      expect(await views.openBatch(later)).to.equal(null);
    });

    it('forgets writers that were silent, and no others', async () => {
      const { views } = stores();
      await add(1, 5, 'silent', start);
      await add(1, 5, 'heard', later);
      await views.forgetWriters(later);
      await add(1, 5, 'silent', later);
      await add(1, 5, 'heard', later);
      expect(sorted(await open())).to.deep.equal([{ dropId: 'd1', day, count: 3 }]);
    });
  });
}
