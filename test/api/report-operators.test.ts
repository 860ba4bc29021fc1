import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import type { Report } from '../../shared/domain/report.ts';
import type { ReportStore } from '../../shared/ports/report-store.ts';
import { rejectionOf } from '../support/rejection.ts';
import { createReportScene } from '../support/report-form.ts';
import { startService, type TestService } from '../support/service.ts';

const operator = { by: 'ann', reason: 'nothing wrong with it' };

/**
 * However many the service asks for, two are answered or closed at a time.
 * @param isAway asked before any are closed
 */
function inSmallBatches(reports: ReportStore, isAway: () => Promise<boolean>): ReportStore {
  return {
    ...reports,
    listOpenByPage: (after, limit) => reports.listOpenByPage(after, Math.min(limit, 2)),
    async closeOfPage(slug, now, limit) {
      if (await isAway()) throw unavailable('The database is away.');
      return reports.closeOfPage(slug, now, Math.min(limit, 2));
    },
  };
}

describe('Reports, as those who run the service see them', () => {
  let service: TestService;
  let scene: ReturnType<typeof createReportScene>;
  let isAway: () => Promise<boolean>;

  beforeEach(async () => {
    isAway = async () => false;
    service = await startService({
      env: { TRUST_PROXY: '1' },
      adaptEngine: (engine) => ({ ...engine, reports: inSmallBatches(engine.reports, () => isAway()) }),
    });
    scene = createReportScene(service);
  });
  afterEach(() => service.stop());

  /** A page that so many people report. */
  async function publishReported(count: number): Promise<string> {
    const { slug } = await scene.publish();
    for (let i = 0; i < count; i++) await scene.arrive(await scene.newReporter().report(slug));
    return slug;
  }

  const listAll = (reports = service.services.reports) => reports.list({ withClosed: true }, 100);

  it('a page is found by how often it was reported, whatever came after it', async () => {
    const { reports } = service.services;
    const early = service.clock.now();
    const often = await publishReported(5);
    service.clock.advance(60_000);
    const junk = [await publishReported(2), await publishReported(3)];
    const { pages, others } = await reports.listPages(1);
    const expected = { slug: often, open: 5, first: early, newest: early, reasons: [['phishing', 5]] };
    expect({ pages, others }).to.deep.equal({ pages: [expected], others: 2 });
    const all = (await reports.listPages(10)).pages.map(({ slug, open }) => [slug, open]);
    expect(all).to.deep.equal([
      [often, 5],
      [junk[1], 3],
      [junk[0], 2],
    ]);
  });

  it('all are reached page by page, and those of one page alone', async () => {
    const { reports } = service.services;
    const [slug] = [await publishReported(3), await publishReported(2)];
    const all = await listAll();
    const reached: Report[] = [];
    for (let page = [...all]; page.length > 0; ) {
      const before = reached.at(-1)?.id;
      page = await reports.list({ withClosed: false, ...(before !== undefined && { before }) }, 2);
      reached.push(...page);
    }
    expect(reached).to.deep.equal(all).and.to.have.length(5);
    expect(await reports.list({ withClosed: false, slug }, 100)).to.deep.equal(
      all.filter((report) => report.slug === slug),
    );
    const lost = await rejectionOf(reports.list({ withClosed: false, before: 'nosuch' }, 2));
    expect(lost).to.include({ code: 'not_found' });
  });

  it('all open ones of a page are closed together, which may be repeated; each time is in the log', async () => {
    const { reports, audit } = service.services;
    const [slug, other] = [await publishReported(5), await publishReported(1)];
    const one = (await scene.reportsOf(slug))[0]?.id ?? '';
    await reports.close(one, operator);
    service.clock.advance(1);
    expect(await reports.closePage(slug, operator)).to.equal(4);
    expect(await reports.closePage(slug, operator)).to.equal(0);
    const times = (await scene.reportsOf(slug)).map(({ id, closedAt }) => [id === one, closedAt]);
    const now = service.clock.now();
    expect(times).to.have.deep.members([[true, now - 1], ...Array(4).fill([false, now])]);
    expect((await reports.list({ withClosed: false }, 10)).map((report) => report.slug)).to.deep.equal([
      other,
    ]);
    const acts = (await audit.list(null, 2)).map(({ act, target, outcome }) => [act, target, outcome]);
    expect(acts).to.have.deep.members([
      ['close-reports', slug, 'none was open'],
      ['close-reports', slug, 'closed: 4'],
    ]);
    expect(await scene.arrive(await scene.newReporter().report(slug)), 'and has room').to.equal(
      'Report sent',
    );
  });

  it('the entry stands before any is closed; cut short between two batches, repeating it closes the rest', async () => {
    const { reports, audit } = service.services;
    const slug = await publishReported(5);
    const seen: [open: number, outcome: string | null | undefined][] = [];
    isAway = async () => {
      const open = await reports.list({ withClosed: false }, 10);
      seen.push([open.length, (await audit.list(null, 1))[0]?.outcome]);
      return seen.length === 2;
    };
    expect(await rejectionOf(reports.closePage(slug, operator))).to.include({ code: 'unavailable' });
    expect((await audit.list(null, 1))[0]?.outcome).to.equal('not known: The database is away.');
    service.clock.advance(1); // of entries of one time either may be listed first
    expect(await reports.closePage(slug, operator)).to.equal(3);
    expect(seen).to.deep.equal([
      [5, null],
      [3, null],
      [3, null],
      [1, null],
      [0, null],
    ]);
  });
});
