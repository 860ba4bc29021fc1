import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { expectErrorPage } from '../support/expect.ts';
import { noLimits } from '../support/no-limits.ts';
import { expectRefusal, type Shown } from '../support/person.ts';
import { useService } from '../support/service.ts';
import type { WireVersionListItem } from '../support/wire.ts';

describe('The history of a drop in the dashboard', () => {
  const service = useService({ ...noLimits, VERSIONS_PER_DROP: '60' });

  /** A drop with these documents as versions 1, 2, 3 …, and somebody who is signed in as its owner. */
  async function withVersions(...documents: string[]) {
    const me = await openDashboard(service);
    const [html, ...more] = documents;
    const { slug } = await me.owner.create({ html, title: 'My <page>', context: '# Why\n\n*because*' });
    for (const next of more) await me.owner.put(slug, { html: next });
    const path = `/drops/${slug}`;
    const numbers = async () => {
      const { body } = await me.owner.get<WireVersionListItem[]>(`/api/drops/${slug}/versions`);
      return body.map(({ version }) => version);
    };
    return { me, slug, path, numbers, open: (rest: string) => me.open(path + rest) };
  }

  /** The changed lines of the table. */
  function changedLines({ page }: Shown): (string | undefined)[] {
    const changed = page.all('tr').filter(({ attributes }) => /add|del/.test(attributes.class ?? ''));
    return changed.map(({ text }) => /[−+].*/.exec(text)?.[0]);
  }

  const conflict = (shown: Shown) => expectRefusal(shown, 412, 'version_conflict');

  it('lists the versions, newest first, with number, size, publisher and what can be done', async () => {
    const { me, slug, path, open } = await withVersions('<p>one', '<p>two');
    await (await service.newToken(me.owner, 'lap<top>')).put(slug, { html: '<p>three' });
    const { status, page, answer } = await open('/history');
    expect([status, answer.headers['cache-control']]).to.deep.equal([200, 'no-store']);
    const rows = page.all('li').map((row) => row.text.replaceAll(/\s+/g, ' '));
    expect(rows).to.have.length(3);
    expect(rows[0]).to.match(/^ ?Version 3Live.*UTC ?8 bytes ?with the token lap<top> /);
    expect(rows[0]).not.to.include('Restore');
    expect(rows[2]).to.match(/^ ?Version 1Context.*with the token test .*Compare.*Download.*Restore.*Delete/);
    expect(page.find('button', { formaction: `${path}/v/1/restore` })).not.to.equal(undefined);
  });

  it('a page has 50 versions', async () => {
    const { me, open, slug } = await withVersions('<p>0');
    for (let n = 2; n <= 52; n++) await me.owner.put(slug);
    const rows = async (query: string) => (await open(`/history${query}`)).page.all('li').length;
    expect(await Promise.all(['', '?page=2', '?page=3'].map(rows))).to.deep.equal([50, 2, 0]);
  });

  it('shows a version in a sandboxed frame with its context, also of a locked drop; nothing of a taken down one', async () => {
    const { me, slug, open } = await withVersions('<p>one', '<p>two');
    await me.owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
    const { page } = await open('/v/1');
    const { src = '', sandbox } = page.find('iframe')?.attributes ?? {};
    expect(sandbox?.split(' ')).to.include('allow-scripts').and.not.to.include('allow-same-origin');
    const shown = await service.get(src, { headers: { 'sec-fetch-dest': 'iframe' } });
    expect(shown.status).to.equal(200);
    expect(shown.text).to.include('<p>one');
    expect(page.find('em')?.text).to.equal('because');
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'phishing' });
    const down = await open('/v/1');
    expect(down.status).to.equal(200);
    expect(down.page.find('iframe')).to.equal(undefined);
    expect(down.text).to.include('took the page down').and.not.to.include('Restore');
  });

  it('downloads the document as it was posted', async () => {
    const { me, path } = await withVersions('<p>one', '<p>two');
    const { text, headers } = await me.get(`${path}/v/1/html`);
    expect(text).to.equal('<p>one');
    expect(headers).to.include({
      'content-disposition': `attachment; filename="My page v1.html"`,
      'content-security-policy': 'sandbox',
    });
  });

  describe('compare', () => {
    it('takes the version before and the latest, and any two that are chosen', async () => {
      const { open } = await withVersions('<p>one\n<p>same', '<p>two\n<p>same', '<p>three\n<p>same');
      for (const [query, lines] of [
        ['', ['−two', '+three']],
        ['?from=1', ['−one', '+three']],
        ['?from=3&to=1&format=source', ['−<p>three', '+<p>one']],
      ] as const)
        expect(changedLines(await open(`/compare${query}`)), query).to.deep.equal(lines);
      const { page } = await open('/compare?from=1&to=2');
      const selected = page.all('option').filter(({ attributes }) => 'selected' in attributes);
      expect(selected.map(({ attributes }) => attributes.value)).to.deep.equal(['1', '2']);
    });

    it('says so if there is nothing to compare, or no difference', async () => {
      const { me, open, slug } = await withVersions('<p>one');
      expect((await open('/compare')).text).to.include('There is one version');
      await me.owner.put(slug, { html: '<p><b>one' });
      expect((await open('/compare')).text).to.include('The text is the same');
      await me.owner.put(slug, { html: '<p><b>one' });
      expect((await open('/compare?format=source')).text).to.include('the same source');
      expectRefusal(await open('/compare?from=9'), 404, 'not_found');
      expectRefusal(await open('/compare?format=x'), 400, 'invalid_arg');
    });

    it('says how many lines were added and removed, and that the title of the document changed', async () => {
      const page = (title: string, ...lines: string[]) => `<title>${title}</title><p>${lines.join('<p>')}`;
      const { open } = await withVersions(
        page('Week <46>', 'a', 'b'),
        page('Week 47', 'a', 'c', 'd'),
        page('Week 48', 'a', 'c', 'd'),
      );
      const shown = (await open('/compare?from=1&to=2')).text;
      expect(shown).to.include('2 lines added, 1 line removed.');
      expect(shown).to.include('title changed from Week <46> to Week 47.');
      const same = (await open('/compare?from=2&to=3')).text;
      expect(same).to.include('The text is the same').and.include('title changed from Week 47 to Week 48.');
      expect((await open('/compare?from=2&to=2')).text).to.not.include('title changed');
    });

    it('shows both in sandboxed frames side by side', async () => {
      const { me, open, slug } = await withVersions('<p>one', '<p>two');
      await me.owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
      const { page, answer } = await open('/compare?format=side');
      const frames = page.all('iframe').map(({ attributes }) => attributes.src ?? '');
      const shown = await Promise.all(frames.map(async (src) => (await service.get(src)).text));
      expect(shown.map((text) => /<p>\w+/.exec(text)?.[0])).to.deep.equal(['<p>one', '<p>two']);
      expect(answer.headers['content-security-policy']).to.include(`frame-src ${service.url}/p/${slug}/raw`);
    });

    it('cuts a long difference; the whole can be downloaded', async () => {
      const { me, open } = await withVersions('<pre>', `<pre>${'line\n'.repeat(5_000)}`);
      const { page, text, answer } = await open('/compare?format=source');
      expect(text).to.include('This is not all');
      expect(answer.text.length).to.be.below(60_000);
      const link = page.all('a').find((each) => each.text.startsWith('Download the whole'));
      const whole = await me.get(link?.attributes.href ?? '');
      expect(whole.headers).to.include({
        'content-type': 'text/x-diff; charset=utf-8',
        'content-disposition': `attachment; filename="My page v1-v2.source.diff"`,
      });
      expect(whole.text.match(/^\+/gm)).to.have.length.above(5_000);
    });

    it('runs nothing of the documents, and shows what cannot be seen', async () => {
      const hostile = '</td></table><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\0"\'`\n';
      const { open } = await withVersions('<p>one', hostile, `${hostile}${'x'.repeat(500_000)}`);
      for (const query of ['?from=1&to=2&format=source', '?format=source', '?from=1&to=2']) {
        const { page, answer } = await open(`/compare${query}`);
        for (const { attributes } of page.all('script'))
          expect(attributes.src).to.match(new RegExp(`^${service.url}/assets/`));
        expect(page.find('img')).to.equal(undefined);
        expect(answer.text).not.to.match(/[\u202e\0]/);
        expect(answer.text.length).to.be.below(60_000);
        expect(answer.headers['content-security-policy']).to.match(/^default-src 'none'/);
      }
    });

    it('says on the page that two versions cannot be compared in time', async () => {
      const lines = (seed: number) =>
        Array.from({ length: 30_000 }, (_, i) => `${(i * seed) % 30_011}`).join('\n');
      const { open } = await withVersions(`<pre>${lines(7)}`, `<pre>${lines(11)}`);
      const { status, text } = await open('/compare?format=source');
      expect(status).to.equal(400);
      expect(text).to.include('too different to be compared').and.include('Download version 1 and version 2');
    });
  });

  it('restore publishes the version again and names the session; the same form sent twice restores once', async () => {
    const { me, slug, path, open, numbers } = await withVersions('<p>one', '<p>two');
    const asked = await open('/v/1/restore');
    expect(asked.text).to.include('Restore version 1?');
    for (const _ of [1, 2]) {
      const done = await me.submit(asked, {});
      expect([done.status, done.path]).to.deep.equal([200, `${path}?notice=restored-1#history`]);
    }
    expect(await numbers()).to.deep.equal([3, 2, 1]);
    expect((await me.open(`${path}?notice=restored-1`)).text).to.include('It is a copy of version 1.');
    expect((await me.open(`${path}?notice=restored-4`)).text).to.not.include('It is a copy');
    expect((await me.owner.get(`/api/drops/${slug}/html`)).text).to.equal('<p>one');
    const { body } = await me.owner.get(`/api/drops/${slug}/v/3?include=published_by`);
    expect(body.published_by).to.deep.equal({ kind: 'session', id: me.sessionId, label: 'Test browser' });
  });

  it('delete a version: after a page that names it; a second time changes nothing', async () => {
    const { me, path, open, numbers } = await withVersions('<p>one', '<p>two', '<p>three');
    const asked = await open('/v/3/delete');
    const other = await open('/v/2/delete');
    expect(asked.text).to.include('Delete version 3?').and.include('They will see version 2 instead');
    for (const _ of [1, 2]) {
      const done = await me.submit(asked, {});
      expect([done.status, done.path]).to.deep.equal([200, `${path}?notice=version_deleted#history`]);
    }
    expect(await numbers()).to.deep.equal([2, 1]);
    conflict(await me.submit(other, {}));
  });

  it('the only version cannot be deleted', async () => {
    const { me, path, open } = await withVersions('<p>one');
    const { text, page } = await open('/v/1/delete');
    expect(text).to.include('This is the only version');
    expect(page.all('button').map((button) => button.text)).to.deep.equal(['Sign out']);
    const refused = await me.post(`${path}/v/1/delete`, { if_match: '1' });
    expectErrorPage(refused, 409, 'last_version_cannot_be_deleted');
  });

  it('delete the drop: after a page that names title, address, versions and views', async () => {
    const { me, slug, open } = await withVersions('<p>one', '<p>two');
    const asked = await open('/delete');
    for (const part of ['My <page>', `${service.url}/p/${slug}`, 'all 2 versions', 'Views'])
      expect(asked.text).to.include(part);
    await me.owner.put(slug);
    const refused = await me.submit(asked, {});
    conflict(refused);
    expect(refused.text).to.include('all 3 versions');
    for (const _ of [1, 2]) expect((await me.submit(refused, {})).path).to.equal('/drops?notice=deleted');
    expect((await service.get(`/p/${slug}`)).status).to.equal(404);
  });

  it('a drop that was changed meanwhile: 412 says so, and the form is sent again', async () => {
    const { me, slug, open, numbers } = await withVersions('<p>one', '<p>two');
    const asked = await open('/v/1/restore');
    await me.owner.put(slug);
    const refused = await me.submit(asked, {});
    conflict(refused);
    expect(refused.text).to.include('version 3 is live now. Nothing was done');
    expect((await me.submit(refused, {})).status).to.equal(200);
    expect(await numbers()).to.deep.equal([4, 3, 2, 1]);
  });
});
