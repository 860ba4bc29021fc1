import { expect } from 'chai';
import { type Dashboard, openOperators } from '../support/dashboard.ts';
import { createPerson, expectRefusal } from '../support/person.ts';
import { useService } from '../support/service.ts';

const hour = 3_600_000;
const document = '<!doctype html><title>T</title><script>alert(1)</script><p>\u202eSecond</p>';

describe('An operator looks at a page', () => {
  const service = useService();
  let operator: Dashboard;
  let second: Dashboard;

  before(async () => {
    [operator, second] = await openOperators(service);
  });

  async function publish(fields: object = {}) {
    const { owner, slug } = await service.newDrop({ title: 'Looked at', html: '<p>First', ...fields });
    await owner.put(slug, { html: document });
    return { owner, slug, path: `/operators/pages/${slug}` };
  }

  /** Chooses the version, and sends the form of the page. */
  async function look(person: Dashboard, path: string, version: string) {
    return person.submit(await person.open(path), { version }, { action: `${path}/inspect` });
  }

  const frameOf = ({ page }: Awaited<ReturnType<typeof look>>) =>
    page.find('iframe')?.attributes ?? expect.fail('there is no frame');

  for (const [state, fields] of Object.entries({ locked: { passcode: 'open-sesame' }, 'taken down': {} })) {
    it(`that is ${state}: in a frame without scripts, and its source as text; it counts no view and is in the log`, async () => {
      const { owner, slug, path } = await publish(fields);
      if (state === 'taken down')
        await service.services.moderation.takeDown(slug, { by: 'root', reason: 'x' });
      service.clock.advance(1); // its entry is the newest
      const shown = await look(operator, path, '2');
      expect([shown.status, shown.path.split('?')[0]]).to.deep.equal([200, `${path}/inspect`]);
      expect(shown.page.find('pre')?.text).to.include('<script>alert(1)</script>').and.include('U+202E');
      expect(
        shown.page
          .all('script')
          .map(({ text }) => text)
          .join(''),
      ).to.not.include('alert');
      const { src = '', sandbox } = frameOf(shown);
      expect(sandbox).to.equal('');
      expect(shown.answer.headers['content-security-policy']).to.include(
        `; frame-src ${service.url}${path}/frame`,
      );

      const frame = await operator.get(src, { headers: { 'sec-fetch-dest': 'iframe' } });
      expect(frame.text).to.include('<script>alert(1)</script>');
      const policy = frame.headers['content-security-policy'] ?? '';
      expect(policy)
        .to.match(/^sandbox; default-src 'none';/)
        .and.include("frame-ancestors 'self'");
      expect(policy).to.not.match(/allow-|script-src|https?:/);
      expect(frame.headers).to.include({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });

      const file = await operator.get(shown.page.find('a', { download: '' })?.attributes.href ?? '');
      expect(file.text).to.equal(document);
      expect(file.headers['content-disposition']).to.equal(`attachment; filename="Looked at.html"`);

      await service.settle();
      expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(0);
      const [entry] = await service.services.audit.list(null, 1);
      expect(entry).to.include({ act: 'look', target: `${slug} version 2`, reason: null, outcome: 'shown' });
      expect(entry?.by).to.equal(`${operator.owner.userId} ${operator.owner.name}`);
    });
  }

  it('at an older version, with pictures and styles of other servers only if asked', async () => {
    const { path } = await publish();
    const shown = await look(operator, path, '1');
    expect((await operator.get(frameOf(shown).src ?? '')).text).to.include('<p>First');
    const more = shown.page.all('a').find(({ text }) => text.startsWith('Load'))?.attributes.href ?? '';
    const loaded = await operator.get(frameOf(await operator.open(more)).src ?? '');
    expect(loaded.headers['content-security-policy'])
      .to.include('img-src data: https: http:;')
      .and.include('sandbox;')
      .and.not.include('script-src');
  });

  it('with links that lead to new windows, which the sandbox forbids', async () => {
    const html = '<a/href="https://a.example" target="_self">A</a><AREA href="/">';
    const { path } = await publish({ html });
    const frame = await operator.get(frameOf(await look(operator, path, '1')).src ?? '');
    expect(frame.text)
      .to.include('<a target=_blank /href="https://a.example" target="_self">')
      .and.include('<AREA target=_blank  href="/">');
  });

  it('only with the look in the log: without it, in another session, of another page or an hour later nothing is shown', async () => {
    const { path } = await publish();
    const other = await publish();
    const shown = await look(operator, path, '2');
    const [, query = ''] = shown.path.split('?');
    const refused: [Dashboard, string][] = [
      [operator, ''],
      [operator, 'g=x'],
      [second, query],
    ];
    const expectEnded = async (person: Dashboard, target: string) => {
      const answer = await person.get(target);
      expect([answer.status, answer.headers.location?.endsWith('?notice=inspection-ended')]).to.deep.equal([
        303,
        true,
      ]);
    };
    for (const part of ['inspect', 'frame', 'source']) {
      for (const [person, wrong] of refused) await expectEnded(person, `${path}/${part}?${wrong}`);
      expect((await operator.get(`${other.path}/${part}?${query}`)).status, 'another page').to.equal(404);
      expect((await createPerson(service).get(`${path}/${part}?${query}`)).status).to.equal(303);
    }
    service.clock.advance(hour);
    await expectEnded(operator, `${path}/frame?${query}`);
    expect((await operator.open(`${path}?notice=inspection-ended`)).text).to.include('has ended');
  });

  it('404 for a version that does not exist any more, also if another one has its number', async () => {
    const { owner, slug, path } = await publish();
    const shown = await look(operator, path, '2');
    await owner.request('DELETE', `/api/drops/${slug}/v/2`);
    expectRefusal(await operator.open(shown.path), 404, 'not_found');
    await owner.put(slug, { html: '<p>Other' });
    expectRefusal(await operator.open(shown.path), 404, 'not_found');
    const form = await operator.open(path);
    for (const version of ['9', '0', '-1', '1.5', '1e0', ''])
      expectRefusal(
        await operator.submit(form, { version }, { action: `${path}/inspect` }),
        404,
        'not_found',
      );
    await owner.request('DELETE', `/api/drops/${slug}`);
    expectRefusal(
      await operator.submit(form, { version: '1' }, { action: `${path}/inspect` }),
      404,
      'not_found',
    );
  });
});
