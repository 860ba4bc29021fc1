import { expect } from 'chai';
import type { NewReport, ReportQuery } from '../../shared/reports/report-store.ts';
import { lazily } from '../support/between.ts';
import { aReport, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const cap = 3;
const openOnly: ReportQuery = { withClosed: false, slug: null, before: null, limit: 100 };
const all: ReportQuery = { ...openOnly, withClosed: true };

/** What any engine must do for ReportStore. */
export function describeReportStoreContract(engine: string, openStores: OpenStores): void {
  describe(`ReportStore (${engine})`, () => {
    const stores = useStores(openStores);
    const reports = lazily(() => stores().reports);

    async function insert(changes: Partial<NewReport> = {}): Promise<NewReport> {
      const report = aReport(changes);
      expect(await stores().reports.insert(report, cap, 100_000)).to.equal('inserted');
      return report;
    }

    async function listIds(options = openOnly): Promise<string[]> {
      return (await stores().reports.list(options)).map(({ id }) => id);
    }

    it('finds a report with all fields, with and without a contact and a text', async () => {
      for (const report of [await insert(), await insert({ contact: null, text: '' })]) {
        expect(await reports.find(report.id)).to.deep.equal({ ...report, closedAt: null });
      }
      expect(await reports.find('unknown')).to.equal(null);
    });

    it('a repeat with the same id is known, and changes nothing', async () => {
      const first = await insert();
      const again = aReport({ id: first.id, dropId: 'd2', text: 'changed' });
      expect(await reports.insert(again, cap, 100_000)).to.equal('known');
      expect(await reports.find(first.id)).to.deep.equal({ ...first, closedAt: null });
      expect(await listIds(all)).to.deep.equal([first.id]);
    });

    it('stores as many open reports of a drop as the cap allows; a repeat is known even then', async () => {
      const kept = [await insert(), await insert(), await insert()];
      expect(await reports.insert(aReport(), cap, 100_000)).to.equal('full');
      for (const report of kept) expect(await reports.insert(report, cap, 100_000)).to.equal('known');
      expect(await listIds()).to.have.members(kept.map(({ id }) => id));
      await insert({ dropId: 'd2' });
    });

    it('stores as many open reports in all as the cap of all allows; closing one makes room', async () => {
      const kept = [await insert({ dropId: 'd1' }), await insert({ dropId: 'd2' })];
      expect(await reports.insert(aReport({ dropId: 'd3' }), cap, 2)).to.equal('all_full');
      for (const report of kept) expect(await reports.insert(report, cap, 2)).to.equal('known');
      expect([await reports.countOpen(9), await reports.countOpen(1)]).to.deep.equal([2, 1]);
      await reports.close(kept[0]?.id ?? '', later);
      expect(await reports.countOpen(9)).to.equal(1);
      expect(await reports.insert(aReport({ dropId: 'd3' }), cap, 2)).to.equal('inserted');
      expect(await listIds()).to.have.length(2);
    });

    it('stores exactly the cap of 20 parallel reports of a drop', async () => {
      const outcomes = await inParallel(20, () => reports.insert(aReport(), cap, 100_000));
      expect(outcomes.filter((outcome) => outcome === 'inserted')).to.have.length(cap);
      expect(outcomes.filter((outcome) => outcome === 'full')).to.have.length(20 - cap);
      expect(await listIds(all)).to.have.length(cap);
    });

    it('stores one report if it is sent 10 times in parallel', async () => {
      const report = aReport();
      const outcomes = await inParallel(10, () => reports.insert(report, cap, 100_000));
      expect(outcomes.sort()).to.deep.equal(['inserted', ...Array(9).fill('known')]);
    });

    it('closes an open report once, which makes room for another', async () => {
      const first = await insert();
      await insert();
      await insert();
      expect(await reports.close(first.id, later)).to.equal(true);
      expect(await reports.close(first.id, later + 1)).to.equal(false);
      expect(await reports.close('unknown', later)).to.equal(false);
      expect(await reports.find(first.id)).to.deep.equal({ ...first, closedAt: later });
      expect(await reports.insert(first, cap, 100_000), 'a closed one is known too').to.equal('known');
      await insert();
      expect(await reports.insert(aReport(), cap, 100_000)).to.equal('full');
    });

    it('a lowered cap refuses reports until there is room below it', async () => {
      const kept = [await insert(), await insert(), await insert()];
      for (const { id } of kept.slice(0, 2)) {
        expect(await reports.insert(aReport(), 1, 100_000)).to.equal('full');
        await reports.close(id, later);
      }
      expect(await reports.insert(aReport(), 1, 100_000)).to.equal('full');
      await reports.close(kept[2]?.id ?? '', later);
      expect(await reports.insert(aReport(), 1, 100_000)).to.equal('inserted');
    });

    it('lists the newest first: the open ones, or all', async () => {
      const oldest = await insert({ id: 'c'.repeat(16), createdAt: start - 1 });
      const tie = await insert({ id: 'b'.repeat(16) });
      const other = await insert({ id: 'a'.repeat(16), dropId: 'd2' });
      const newest = await insert({ id: 'd'.repeat(16), dropId: 'd2', createdAt: start + 1 });
      await reports.close(tie.id, later);
      expect(await listIds()).to.deep.equal([newest.id, other.id, oldest.id]);
      expect(await listIds({ ...openOnly, limit: 2 })).to.deep.equal([newest.id, other.id]);
      expect(await listIds(all)).to.deep.equal([newest.id, other.id, tie.id, oldest.id]);
      expect(await listIds({ ...all, limit: 1 })).to.deep.equal([newest.id]);
    });

    it('continues after a report, even if it was removed; reports of equal times are listed once each', async () => {
      const kept: NewReport[] = [];
      for (const [id, createdAt] of [
        ['d', start + 1],
        ['a', start],
        ['b', start],
        ['c', start],
        ['e', start - 1],
      ] as const) {
        kept.push(await insert({ id: id.repeat(16), dropId: id, createdAt }));
      }
      const ids = kept.map(({ id }) => id);
      for (const query of [openOnly, all]) {
        for (const [n, before] of kept.entries()) {
          expect(await listIds({ ...query, before }), before.id).to.deep.equal(ids.slice(n + 1));
          expect(await listIds({ ...query, before, limit: 1 })).to.deep.equal(ids.slice(n + 1, n + 2));
        }
      }
      const [first, , before] = kept;
      if (first === undefined || before === undefined) throw new Error('there are five');
      for (const { id } of [first, before]) await reports.close(id, later);
      expect(await listIds({ ...openOnly, before }), 'closed').to.deep.equal(ids.slice(3));
      expect(await listIds({ ...all, before }), 'closed').to.deep.equal(ids.slice(3));
      await reports.removeClosedBefore(later + 1);
      expect(await listIds({ ...openOnly, before }), 'removed').to.deep.equal(ids.slice(3));
    });

    it('lists those of one page', async () => {
      const x = await insert({ slug: 'x', createdAt: start });
      const y = await insert({ slug: 'x', createdAt: start + 2 });
      const z = await insert({ slug: 'x', createdAt: start + 4 });
      await insert({ slug: 'X', dropId: 'd2', createdAt: start + 1 });
      await insert({ slug: 'xx', dropId: 'd3', createdAt: start + 3 });
      await reports.close(y.id, later);
      expect(await listIds({ ...openOnly, slug: 'x' })).to.deep.equal([z.id, x.id]);
      expect(await listIds({ ...all, slug: 'x' })).to.deep.equal([z.id, y.id, x.id]);
      expect(await listIds({ ...openOnly, slug: 'x', before: z })).to.deep.equal([x.id]);
      expect(await listIds({ ...all, slug: 'x', before: z, limit: 1 })).to.deep.equal([y.id]);
      expect(await listIds({ ...all, slug: 'none' })).to.deep.equal([]);
    });

    it('counts the open reports of each page by reason, the most reported page first', async () => {
      expect(await reports.listPages(10)).to.deep.equal({ pages: [], others: 0 });
      for (const [slug, reason, createdAt] of [
        ['p', 'other', start + 5],
        ['p', 'phishing', start + 2],
        ['p', 'malware', start + 9],
        ['p', 'phishing', start + 3],
        ['q', 'other', start + 7],
        ['r', 'other', start + 8],
        ['s', 'other', start + 8],
      ] as const) {
        await insert({ slug, dropId: String(createdAt), reason, createdAt });
      }
      const closed = await insert({ slug: 'q', dropId: 'q' });
      await reports.close(closed.id, later);
      const reasons = [
        ['phishing', 2],
        ['malware', 1],
        ['other', 1],
      ];
      const first = { slug: 'p', open: 4, first: start + 2, newest: start + 9, reasons };
      expect(await reports.listPages(1)).to.deep.equal({ pages: [first], others: 3 });
      const { pages, others } = await reports.listPages(4);
      expect(pages.map(({ slug }) => slug)).to.deep.equal(['p', 'r', 's', 'q']);
      expect(others).to.equal(0);
    });

    it('closes the open reports of a page, and no others', async () => {
      const one = await insert();
      await insert();
      await insert();
      const other = await insert({ slug: 'other', dropId: 'd2' });
      await reports.close(one.id, later);
      expect(await reports.closeByPage('abc', later + 1)).to.equal(2);
      expect(await reports.closeByPage('abc', later + 2)).to.equal(0);
      expect(await reports.closeByPage('none', later)).to.equal(0);
      const times = (await reports.list({ ...all, slug: 'abc' })).map(({ closedAt }) => closedAt);
      expect(times.sort()).to.deep.equal([later, later + 1, later + 1]);
      expect(await listIds()).to.deep.equal([other.id]);
      for (let i = 0; i < cap; i++) await insert();
      expect(await reports.insert(aReport(), cap, 100_000), 'room for as many').to.equal('full');
    });

    it('parallel calls of closeByPage count each report once', async () => {
      for (let i = 0; i < cap; i++) await insert();
      const counts = await inParallel(5, () => reports.closeByPage('abc', later));
      expect(counts.reduce((sum, count) => sum + count)).to.equal(cap);
      expect(await listIds()).to.deep.equal([]);
    });

    it('removes reports closed before the given time, and no open ones', async () => {
      const old = await insert();
      const kept = await insert();
      const open = await insert({ createdAt: 0 });
      await reports.close(old.id, later);
      await reports.close(kept.id, later + 1);
      await reports.removeClosedBefore(later);
      expect(await listIds(all)).to.have.length(3);
      for (let i = 0; i < 2; i++) await reports.removeClosedBefore(later + 1);
      expect(await listIds(all)).to.have.members([kept.id, open.id]);
    });
  });
}
