import { expect } from 'chai';
import type { Report } from '../../shared/reports/report.ts';
import { rejectionOf } from '../support/rejection.ts';
import { createReportScene } from '../support/report-form.ts';
import { startService, type TestService } from '../support/service.ts';

const operator = { by: 'ann', reason: 'nothing wrong with it' };

describe('Reports, as the operators see them', () => {
  let service: TestService;
  let scene: ReturnType<typeof createReportScene>;

  beforeEach(async () => {
    service = await startService({ env: { TRUST_PROXY: '1' } });
    scene = createReportScene(service);
  });
  afterEach(() => service.stop());

  /** A page that `count` viewers report. */
  async function publishReported(count: number): Promise<string> {
    const { slug } = await scene.publish();
    for (let i = 0; i < count; i++) await scene.arrive(await scene.newReporter().report(slug));
    return slug;
  }

  const listAll = (reports = service.services.reports) => reports.list({ withClosed: true }, 100);

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
    expect(await reports.closeByPage(slug, operator)).to.equal(4);
    expect(await reports.closeByPage(slug, operator)).to.equal(0);
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
});
