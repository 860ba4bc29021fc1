import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import { expectError, expectErrorPage, expectTooMany } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { createPerson } from '../support/person.ts';
import { createReportScene } from '../support/report-form.ts';
import { useService } from '../support/service.ts';
import type { WireComment } from '../support/wire.ts';

describe('/report/{slug}', () => {
  const service = useService({
    TRUST_PROXY: '1',
    REPORTS_PER_HOUR: '3',
    REPORTS_PER_DROP_PER_HOUR: '6',
    REPORTS_OPEN_PER_DROP: '5',
    REPORT_MAX_CHARACTERS: '300',
  });
  const { newReporter, publish, reportsOf, arrive } = createReportScene(service);
  const formOf = (answer: Answer) => parsePage(answer.text);

  it('the viewer links to the form, with the version that it shows', async () => {
    const { owner, slug } = await publish();
    await owner.put(slug);
    for (const [query, version] of [
      ['', 2],
      ['?v=1', 1],
    ] as const) {
      const link = parsePage((await service.get(`/p/${slug}${query}`)).text).find('a', {
        href: `/report/${slug}?v=${version}`,
      });
      expect(link?.text).to.equal('Report this page');
      expect(link?.attributes.href).to.equal(`/report/${slug}?v=${version}`);
      expect((await service.get(link?.attributes.href ?? '')).status).to.equal(200);
    }
  });

  it('GET: a form that shows nothing of the page and is not indexed (and public-pages.test.ts)', async () => {
    const { slug } = await publish();
    const { answer, page } = await newReporter().open(slug);
    expect(answer.headers['x-robots-tag']).to.equal('noindex, nofollow');
    expect(
      page
        .all('script')
        .map(({ attributes }) => attributes.src)
        .join(),
    ).to.match(/^\S+\/assets\/forms-[\da-f]{12}\.js$/);
    expect(answer.text).to.not.include('SECRET');
    expect(page.find('form', { method: 'post' })?.attributes.action).to.equal(`/report/${slug}`);
    const reasons = page.all('input').filter(({ attributes }) => attributes.type === 'radio');
    expect(reasons.map(({ attributes }) => attributes.value)).to.deep.equal([
      'phishing',
      'malware',
      'illegal',
      'copyright',
      'privacy',
      'other',
    ]);
  });

  it('POST: stores slug, drop, version, reason, text, contact and time, and no IP address', async () => {
    const { owner, slug } = await publish();
    await owner.put(slug);
    const reporter = newReporter('198.51.100.77');
    const { id } = await reporter.open(slug, '?v=1');
    const fields = {
      id,
      reason: 'copyright',
      text: ' Mine:\r\nhttps://me.example \u{1f343}',
      contact: ' me ',
    };
    const sent = await reporter.send(`/report/${slug}?v=1`, fields);
    expect(await arrive(sent)).to.equal('Report sent');
    const [report] = await reportsOf(slug);
    const { dropId } = await service.services.pages.find(slug, null);
    expect(report).to.deep.equal({
      id,
      dropId,
      slug,
      version: 1,
      commentId: null,
      reason: 'copyright',
      text: 'Mine:\nhttps://me.example \u{1f343}',
      contact: 'me',
      createdAt: service.clock.now(),
      closedAt: null,
    });
    expect(JSON.stringify(report)).to.not.include('198.51.100');
  });

  it('a comment can be reported: the form says so, and the report has its id; one that is not there is 404', async () => {
    const { owner, slug } = await publish({ comments: 'anyone', passcode: 'sesame' });
    const body = { text: 'COMMENT-SECRET' };
    const comment = await owner.request('POST', `/api/drops/${slug}/comments`, { body });
    const { id: commentId } = comment.body as unknown as WireComment;
    const reporter = newReporter();
    const { answer, page, id } = await reporter.open(slug, `?v=1&comment=${commentId}`);
    expect(page.find('h1')?.text).to.equal('Report this comment');
    expect(answer.text).to.not.include('SECRET');
    const action = page.find('form', { method: 'post' })?.attributes.action ?? '';
    const sent = await reporter.send(action, { id, reason: 'other', text: 'An insult', contact: '' });
    expect(await arrive(sent)).to.equal('Report sent');
    expect((await reportsOf(slug))[0]).to.include({ commentId, version: 1, text: 'An insult' });
    const other = await publish();
    for (const [at, comment] of [
      [other.slug, commentId],
      [slug, '0'.repeat(32)],
    ])
      expectErrorPage(await createPerson(service).get(`/report/${at}?comment=${comment}`), 404, 'not_found');
  });

  it('POST: text and contact are optional; text is required for the reason other', async () => {
    const { slug } = await publish();
    const reporter = newReporter();
    expect(await arrive(await reporter.report(slug, { reason: 'illegal' }))).to.equal('Report sent');
    expect((await reportsOf(slug))[0]).to.include({ text: '', contact: null, version: 1 });
    const refused = await reporter.report(slug, { reason: 'other', text: ' \r\n ' });
    expect(expectErrorPage(refused, 400, 'invalid_arg').field).to.equal('text');
  });

  it('an unknown or invalid version means the latest', async () => {
    for (const query of ['?v=9', '?v=x', '?v=0', '?v=1&v=2']) {
      const { slug } = await publish();
      const reporter = newReporter();
      const { id } = await reporter.open(slug, query);
      const sent = await reporter.send(`/report/${slug}${query}`, { id, reason: 'malware' });
      expect(await arrive(sent), query).to.equal('Report sent');
      expect((await reportsOf(slug))[0]?.version, query).to.equal(1);
    }
  });

  it('the same form sent again is one report and counts once, also when the limit is reached', async () => {
    const { slug } = await publish();
    const reporter = newReporter();
    const { id } = await reporter.open(slug);
    const send = () => reporter.send(`/report/${slug}`, { id, reason: 'malware' });
    expect(await arrive(await send())).to.equal('Report sent');
    for (let i = 0; i < 5; i++) expect(await arrive(await send())).to.equal('Report sent');
    expect(await reportsOf(slug)).to.have.length(1);
    for (let i = 0; i < 2; i++) await arrive(await reporter.report(slug));
    expectTooMany(await reporter.report(slug), 'rate_limited');
    expect(await arrive(await send())).to.equal('Report sent');
    expect(await reportsOf(slug)).to.have.length(3);
  });

  describe('400 on the form, which keeps what was filled in', () => {
    const long = '\u{1f343}'.repeat(301);
    const refused: [what: string, fields: Record<string, string>, field: string][] = [
      ['no reason', { reason: '' }, 'reason'],
      ['an unknown reason', { reason: 'boring' }, 'reason'],
      ['a text that is too long', { text: long }, 'text'],
      ['a contact of more than 200 characters', { contact: 'x'.repeat(201) }, 'contact'],
      ['U+0000 in the text', { text: 'a\0b' }, 'text'],
      ['an invalid id', { id: '../../etc' }, 'id'],
    ];
    for (const [what, changes, field] of refused) {
      it(what, async () => {
        const { slug } = await publish();
        const written = { reason: 'copyright', text: 'Mine', contact: 'me@reader.example', ...changes };
        const answer = await newReporter().report(slug, written);
        expect(expectErrorPage(answer, 400, 'invalid_arg').field).to.equal(field);
        const page = formOf(answer);
        expect(page.find('p', { id: 'fault' })?.attributes.role).to.equal('alert');
        if (field === 'text' || field === 'contact') {
          const wrong = page.all('*').find(({ attributes }) => attributes.id === field)?.attributes;
          expect(wrong).to.include({ 'aria-invalid': 'true', 'aria-describedby': `fault ${field}-hint` });
        }
        if (field !== 'text') expect(page.find('textarea')?.text).to.equal(written.text);
        expect(page.find('input', { id: 'contact' })?.attributes.value).to.equal(written.contact);
        const checked = page.all('input').filter(({ attributes }) => 'checked' in attributes);
        expect(checked.map(({ attributes }) => attributes.value)).to.deep.equal(
          written.reason === 'copyright' ? ['copyright'] : [],
        );
        expect(await reportsOf(slug)).to.deep.equal([]);
      });
    }

    it('as the envelope for a program', async () => {
      const { slug } = await publish();
      const headers = { accept: '*/*', 'sec-fetch-mode': '', 'sec-fetch-dest': '', 'sec-fetch-site': '' };
      const answer = await newReporter().send(`/report/${slug}`, { reason: 'malware' }, headers);
      expectError(answer, 400, 'invalid_arg');
    });

    it('the longest text, in characters of four bytes, is stored', async () => {
      const { slug } = await publish();
      const text = '\u{1f343}'.repeat(300);
      expect(await arrive(await newReporter().report(slug, { text }))).to.equal('Report sent');
      expect((await reportsOf(slug))[0]?.text).to.equal(text);
    });

    it('413 for a form that is too large', async () => {
      const { slug } = await publish();
      const answer = await newReporter().report(slug, { text: 'x'.repeat(100_000) });
      expectErrorPage(answer, 413, 'invalid_arg');
    });
  });

  it('404 for an unknown slug, 400 for an invalid one', async () => {
    const reporter = newReporter();
    const fields = { id: 'a'.repeat(16), reason: 'malware' };
    expectErrorPage(await reporter.send('/report/nosuchslug00', fields), 404, 'not_found');
    expectError(await service.get('/report/nosuchslug00'), 404, 'not_found');
    expectError(await service.get('/report/nosuchslug00?sent=kept'), 404, 'not_found');
    expectError(await service.get('/report/a.b'), 400, 'invalid_slug');
    expectError(await service.get('/report/'), 404, 'not_found');
  });

  it('404 for a deleted page, whose reports stay', async () => {
    const { owner, slug } = await publish();
    const reporter = newReporter();
    const { id } = await reporter.open(slug);
    await arrive(await reporter.report(slug));
    await owner.request('DELETE', `/api/drops/${slug}`);
    expectErrorPage(await reporter.send(`/report/${slug}`, { id, reason: 'malware' }), 404, 'not_found');
    await service.settle();
    expect(await reportsOf(slug)).to.have.length(1);
  });

  it('410 for a page that was taken down, without the reason, until it is restored', async () => {
    const { slug } = await publish();
    const reporter = newReporter();
    const { id } = await reporter.open(slug);
    const { moderation } = service.services;
    await moderation.takeDown(slug, { by: 'test', reason: 'REASON-SECRET' });
    const got = await service.get(`/report/${slug}`);
    const posted = await reporter.send(`/report/${slug}`, { id, reason: 'malware' });
    expectError(got, 410, 'forbidden');
    expectErrorPage(posted, 410, 'forbidden');
    for (const { text } of [got, posted]) expect(text).to.not.include('SECRET');
    expect(await reportsOf(slug)).to.deep.equal([]);
    await moderation.restore(slug, { by: 'test', reason: null });
    expect(await arrive(await reporter.send(`/report/${slug}`, { id, reason: 'malware' }))).to.equal(
      'Report sent',
    );
  });

  it('a locked page can be reported; the form reveals nothing of it', async () => {
    const { owner, slug } = await publish({ passcode: 'open-sesame', context: 'CONTEXT-SECRET' });
    await owner.put(slug);
    const reporter = newReporter();
    const shapes = new Set<string>();
    for (const query of ['', '?v=1', '?v=2', '?v=3']) {
      const { answer, id } = await reporter.open(slug, query);
      expect(`${JSON.stringify(answer.headers)} ${answer.text}`).to.not.match(/SECRET|sesame|of 2/);
      shapes.add(answer.text.replaceAll(id, 'ID').replaceAll(query, ''));
    }
    expect(shapes.size, 'the same page for each version, whether it is there or not').to.equal(1);
    expect(await arrive(await reporter.report(slug))).to.equal('Report sent');
  });

  it('is not counted as a view', async () => {
    const { owner, slug } = await publish();
    await arrive(await newReporter().report(slug));
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(0);
  });
});
