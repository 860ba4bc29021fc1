import { expect } from 'chai';
import type { NewReport } from '../../shared/ports/report-store.ts';
import { aReport, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const cap = 3;
const openOnly = { withClosed: false, limit: 100 };
const all = { withClosed: true, limit: 100 };

/** What any engine must do for ReportStore. */
export function describeReportStoreContract(engine: string, openStores: OpenStores): void {
  describe(`ReportStore (${engine})`, () => {
    const stores = useStores(openStores);

    async function insert(changes: Partial<NewReport> = {}): Promise<NewReport> {
      const report = aReport(changes);
      expect(await stores().reports.insert(report, cap)).to.equal('inserted');
      return report;
    }

    async function listIds(options = openOnly): Promise<string[]> {
      return (await stores().reports.list(options)).map(({ id }) => id);
    }

    it('finds a report whole, with and without a contact and a text', async () => {
      const { reports } = stores();
      for (const report of [await insert(), await insert({ contact: null, text: '' })]) {
        expect(await reports.find(report.id)).to.deep.equal({ ...report, closedAt: null });
      }
      expect(await reports.find('unknown')).to.equal(null);
    });

    it('knows a report by its id, and leaves it as it came first', async () => {
      const { reports } = stores();
      const first = await insert();
      const again = aReport({ id: first.id, dropId: 'd2', text: 'changed' });
      expect(await reports.insert(again, cap)).to.equal('known');
      expect(await reports.find(first.id)).to.deep.equal({ ...first, closedAt: null });
      expect(await reports.count(all)).to.equal(1);
    });

    it('keeps as many open reports of a drop as the cap says, and knows those when it is full', async () => {
      const { reports } = stores();
      const kept = [await insert(), await insert(), await insert()];
      expect(await reports.insert(aReport(), cap)).to.equal('full');
      for (const report of kept) expect(await reports.insert(report, cap)).to.equal('known');
      expect(await listIds()).to.have.members(kept.map(({ id }) => id));
      await insert({ dropId: 'd2' });
    });

    it('of 20 reports of a drop at once, exactly the cap is kept', async () => {
      const { reports } = stores();
      const outcomes = await inParallel(20, () => reports.insert(aReport(), cap));
      expect(outcomes.filter((outcome) => outcome === 'inserted')).to.have.length(cap);
      expect(outcomes.filter((outcome) => outcome === 'full')).to.have.length(20 - cap);
      expect(await reports.count({ withClosed: true })).to.equal(cap);
    });

    it('of one report sent 10 times at once, one is kept', async () => {
      const { reports } = stores();
      const report = aReport();
      const outcomes = await inParallel(10, () => reports.insert(report, cap));
      expect(outcomes.sort()).to.deep.equal(['inserted', ...Array(9).fill('known')]);
    });

    it('closes an open report once, which makes room for another', async () => {
      const { reports } = stores();
      const [first] = [await insert(), await insert(), await insert()];
      expect(await reports.close(first.id, later)).to.equal(true);
      expect(await reports.close(first.id, later + 1)).to.equal(false);
      expect(await reports.close('unknown', later)).to.equal(false);
      expect(await reports.find(first.id)).to.deep.equal({ ...first, closedAt: later });
      expect(await reports.insert(first, cap), 'a closed one is known too').to.equal('known');
      await insert();
      expect(await reports.insert(aReport(), cap)).to.equal('full');
    });

    it('a cap that was lowered since takes none until there is room below it', async () => {
      const { reports } = stores();
      const kept = [await insert(), await insert(), await insert()];
      for (const { id } of kept.slice(0, 2)) {
        expect(await reports.insert(aReport(), 1)).to.equal('full');
        await reports.close(id, later);
      }
      expect(await reports.insert(aReport(), 1)).to.equal('full');
      await reports.close(kept[2]?.id ?? '', later);
      expect(await reports.insert(aReport(), 1)).to.equal('inserted');
    });

    it('lists and counts the newest first: the open ones, or all', async () => {
      const { reports } = stores();
      const oldest = await insert({ id: 'c'.repeat(16), createdAt: start - 1 });
      const tie = await insert({ id: 'b'.repeat(16) });
      const other = await insert({ id: 'a'.repeat(16), dropId: 'd2' });
      const newest = await insert({ id: 'd'.repeat(16), dropId: 'd2', createdAt: start + 1 });
      await reports.close(tie.id, later);
      expect(await listIds()).to.deep.equal([newest.id, other.id, oldest.id]);
      expect(await listIds({ ...openOnly, limit: 2 })).to.deep.equal([newest.id, other.id]);
      expect(await listIds(all)).to.deep.equal([newest.id, other.id, tie.id, oldest.id]);
      expect(await listIds({ ...all, limit: 1 })).to.deep.equal([newest.id]);
      expect(await reports.count(openOnly)).to.equal(3);
      expect(await reports.count(all)).to.equal(4);
    });

    it('removes what was closed before the moment, and no open one however old', async () => {
      const { reports } = stores();
      const [old, kept, open] = [await insert(), await insert(), await insert({ createdAt: 0 })];
      await reports.close(old.id, later);
      await reports.close(kept.id, later + 1);
      await reports.removeClosedBefore(later);
      expect(await reports.count(all)).to.equal(3);
      for (let i = 0; i < 2; i++) await reports.removeClosedBefore(later + 1);
      expect(await listIds(all)).to.have.members([kept.id, open.id]);
    });
  });
}
