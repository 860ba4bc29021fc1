import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { openOperators } from '../support/dashboard.ts';
import { expectErrorPage, expectTooMany } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { parsePage } from '../support/html.ts';
import { createReportScene } from '../support/report-form.ts';
import { useService, useServices } from '../support/service.ts';

const hourMs = 3_600_000;

describe('Limits of reports', () => {
  const startOwn = useServices();
  const service = useService({
    TRUST_PROXY: '1',
    REPORTS_PER_HOUR: '3',
    REPORTS_PER_DROP_PER_HOUR: '6',
    REPORTS_OPEN_PER_DROP: '5',
    REPORT_MAX_CHARACTERS: '300',
  });
  const { newReporter, publish, reportsOf, arrive } = createReportScene(service);

  it('429 after REPORTS_PER_HOUR from one address, on the form, which keeps the text', async () => {
    const reporter = newReporter();
    for (let i = 0; i < 3; i++) await arrive(await reporter.report((await publish()).slug));
    const { slug } = await publish();
    const answer = await reporter.report(slug, { text: 'written with care' });
    expectTooMany(answer, 'rate_limited', 1_770);
    expect(parsePage(answer.text).find('textarea')?.text).to.equal('written with care');
    expect(parsePage(answer.text).find('p', { id: 'fault' })?.text).to.match(/Try again in 30 minutes/);
    expect(await arrive(await newReporter().report(slug))).to.equal('Report sent');
    service.clock.advance(hourMs);
    expect(await arrive(await reporter.report(slug))).to.equal('Report sent');
  });

  it('429 quota_exceeded on the form while REPORTS_OPEN_MAX reports are open in all; operators see it, and close some', async () => {
    const own = await startOwn({
      env: { TRUST_PROXY: '1', REPORTS_OPEN_MAX: '2', REPORTS_OPEN_PER_DROP: '1' },
    });
    const [operator] = await openOperators(own);
    const scene = createReportScene(own);
    const slugs = [(await scene.publish()).slug, (await scene.publish()).slug, (await scene.publish()).slug];
    const [first = '', second = '', third = ''] = slugs;
    const send = (slug: string, text = '') => scene.newReporter().report(slug, { text });
    expect(await scene.arrive(await send(first))).to.equal('Report sent');
    const { text: list } = await operator.open('/operators');
    expect(list).to.include('1 Maximum');
    expect(list).to.not.include('the maximum');
    expect((await operator.open(`/operators/pages/${first}`)).text).to.include('maximum of 1 open reports');
    expect(await scene.arrive(await send(first)), 'of this page').to.equal('Already reported');
    expect(await scene.arrive(await send(second))).to.equal('Report sent');
    const refused = await send(third, 'written with care');
    expectTooMany(refused, 'quota_exceeded', 86_400);
    expect(parsePage(refused.text).find('textarea')?.text).to.equal('written with care');
    expect(await scene.reportsOf(third)).to.deep.equal([]);
    expect((await operator.open('/operators')).text).to.include('2 reports are open, the maximum');
    await own.services.reports.closeByPage(first, { by: 'root', reason: null });
    expect(await scene.arrive(await send(third))).to.equal('Report sent');
  });

  it('a refused form does not count', async () => {
    const reporter = newReporter();
    const { slug } = await publish();
    for (let i = 0; i < 5; i++) expect((await reporter.report(slug, { reason: '' })).status).to.equal(400);
    const foreign = { origin: 'https://evil.example' };
    const form = { id: 'Abcdefgh01234567', reason: 'phishing' };
    for (let i = 0; i < 5; i++)
      expect((await reporter.send(`/report/${slug}`, form, foreign)).status).to.equal(403);
    expect(await arrive(await reporter.report(slug))).to.equal('Report sent');
  });

  it('a page has at most REPORTS_OPEN_PER_DROP open reports; closing one allows another', async () => {
    const { slug } = await publish();
    for (let i = 0; i < 5; i++) await arrive(await newReporter().report(slug));
    service.clock.advance(hourMs);
    expect(await arrive(await newReporter().report(slug))).to.equal('Already reported');
    const kept = await reportsOf(slug);
    expect(kept).to.have.length(5);
    expect(await service.services.reports.close(kept[0]?.id ?? '', { by: 'test', reason: null })).to.equal(
      true,
    );
    expect(await arrive(await newReporter().report(slug))).to.equal('Report sent');
  });

  it('429 after REPORTS_PER_DROP_PER_HOUR for one page from all addresses', async () => {
    const { slug } = await publish();
    for (let i = 0; i < 6; i++) await arrive(await newReporter().report(slug));
    expectTooMany(await newReporter().report(slug), 'rate_limited');
    expect(await arrive(await newReporter().report((await publish()).slug))).to.equal('Report sent');
  });

  it('503 on the form if the store fails; it does not count, and the same form can be sent again', async () => {
    const gate = createGate();
    const failing = await startOwn({
      env: { TRUST_PROXY: '1', REPORTS_PER_HOUR: '1' },
      adaptEngine: (engine) => ({ ...engine, reports: gate.wrap(engine.reports, ['insert']) }),
    });
    const scene = createReportScene(failing);
    const { slug } = await scene.publish();
    const reporter = scene.newReporter();
    gate.refuse(unavailable('The database is down.', 3));
    const refused = await reporter.report(slug, { text: 'written with care' });
    expectErrorPage(refused, 503, 'unavailable');
    expect(refused.headers['retry-after']).to.equal('3');
    const form = parsePage(refused.text);
    expect(form.find('textarea')?.text).to.equal('written with care');
    gate.open();
    const id = form.find('input', { name: 'id' })?.attributes.value ?? '';
    const again = await reporter.send(`/report/${slug}`, { id, reason: 'malware' });
    expect(await scene.arrive(again)).to.equal('Report sent');
  });
});
