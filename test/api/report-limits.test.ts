import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { expectErrorPage, expectTooMany } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { parsePage } from '../support/html.ts';
import { createReportScene } from '../support/report-form.ts';
import { startService, useService } from '../support/service.ts';

const hourMs = 3_600_000;

describe('Limits of reports', () => {
  const service = useService({
    TRUST_PROXY: '1',
    REPORTS_PER_HOUR: '3',
    REPORTS_PER_DROP_PER_HOUR: '6',
    REPORTS_OPEN_PER_DROP: '5',
    REPORT_MAX_CHARACTERS: '300',
  });
  const { newReporter, publish, reportsOf, arrive } = createReportScene(service);

  it('an address may send so many an hour, of whatever pages; the form says so and keeps the text', async () => {
    const reporter = newReporter();
    for (let i = 0; i < 3; i++) await arrive(await reporter.report((await publish()).slug));
    const { slug } = await publish();
    const answer = await reporter.report(slug, { text: 'written with care' });
    expectTooMany(answer, 'rate_limited', 1_770);
    expect(parsePage(answer.text).find('textarea')?.text).to.equal('written with care');
    expect(parsePage(answer.text).find('p', { id: 'fault' })?.text).to.match(/Wait 30 minutes/);
    expect(await arrive(await newReporter().report(slug))).to.equal('Report sent');
    service.clock.advance(hourMs);
    expect(await arrive(await reporter.report(slug))).to.equal('Report sent');
  });

  it('the addresses of one IPv6 network (/64) are one', async () => {
    for (let i = 1; i <= 3; i++) {
      await arrive(await newReporter(`2001:db8:7:7::${i}`).report((await publish()).slug));
    }
    const { slug } = await publish();
    expectTooMany(await newReporter('2001:db8:7:7:ffff::9').report(slug), 'rate_limited');
    expect(await arrive(await newReporter('2001:db8:7:8::1').report(slug))).to.equal('Report sent');
  });

  it('all of an IPv6 /48 together may send ten times as many, from whichever of its /64', async () => {
    const sender = (n: number) => newReporter(`2001:db8:48:${n.toString(16)}::1`);
    for (let page = 0; page < 6; page++) {
      const { slug } = await publish();
      for (let n = 0; n < 5; n++) await arrive(await sender(5 * page + n).report(slug));
    }
    const { slug } = await publish();
    expectTooMany(await sender(0xffff).report(slug), 'rate_limited', 1_770);
    expect(await arrive(await newReporter('2001:db8:49::1').report(slug)), 'another /48').to.equal(
      'Report sent',
    );
    service.clock.advance(hourMs);
    expect(await arrive(await sender(0xffff).report(slug))).to.equal('Report sent');
  });

  it('a refused form uses up none', async () => {
    const reporter = newReporter();
    const { slug } = await publish();
    for (let i = 0; i < 5; i++) expect((await reporter.report(slug, { reason: '' })).status).to.equal(400);
    const foreign = { origin: 'https://evil.example' };
    const form = { id: 'Abcdefgh01234567', reason: 'phishing' };
    for (let i = 0; i < 5; i++)
      expect((await reporter.send(`/report/${slug}`, form, foreign)).status).to.equal(403);
    expect(await arrive(await reporter.report(slug))).to.equal('Report sent');
  });

  it('a page has so many open ones, further people are told; a closed one makes room', async () => {
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

  it('a page is reported so many times an hour, whoever reports it', async () => {
    const { slug } = await publish();
    for (let i = 0; i < 6; i++) await arrive(await newReporter().report(slug));
    expectTooMany(await newReporter().report(slug), 'rate_limited');
    expect(await arrive(await newReporter().report((await publish()).slug))).to.equal('Report sent');
  });

  it('where it cannot be kept: 503 on the form, which counts for none; the same form goes through later', async () => {
    const gate = createGate();
    const away = await startService({
      env: { TRUST_PROXY: '1', REPORTS_PER_HOUR: '1' },
      adaptEngine: (engine) => ({ ...engine, reports: gate.wrap(engine.reports, ['insert']) }),
    });
    try {
      const scene = createReportScene(away);
      const { slug } = await scene.publish();
      const reporter = scene.newReporter();
      gate.refuse(unavailable('The database is away.', 3));
      const refused = await reporter.report(slug, { text: 'written with care' });
      expectErrorPage(refused, 503, 'unavailable');
      expect(refused.headers['retry-after']).to.equal('3');
      const form = parsePage(refused.text);
      expect(form.find('textarea')?.text).to.equal('written with care');
      gate.open();
      const id = form.find('input', { name: 'id' })?.attributes.value ?? '';
      const again = await reporter.send(`/report/${slug}`, { id, reason: 'malware' });
      expect(await scene.arrive(again)).to.equal('Report sent');
    } finally {
      await away.stop();
    }
  });
});
