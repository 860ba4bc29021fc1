import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import { openDashboard } from '../support/dashboard.ts';
import { expectErrorPage } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { noLimits } from '../support/no-limits.ts';
import { useService } from '../support/service.ts';
import type { WireVersionListItem } from '../support/wire.ts';

describe('The history of a drop in the dashboard', () => {
  const service = useService({ ...noLimits, VERSIONS_PER_DROP: '60' });

  /** A drop with these documents as versions 1, 2, 3 …, and somebody who is signed in as its owner. */
  async function withVersions(...documents: string[]) {
    const me = await openDashboard(service);
    const { slug } = await me.owner.create({
      html: documents[0],
      title: 'My <page>',
      context: '# Why\n\n*because*',
    });
    for (const html of documents.slice(1)) await me.owner.put(slug, { html });
    const path = `/drops/${slug}`;
    const rev = async () => (await me.owner.get(`/api/drops/${slug}`)).headers.etag?.slice(1, -1) ?? '';
    const numbers = async () => {
      const { body } = await me.owner.get<WireVersionListItem[]>(`/api/drops/${slug}/versions`);
      return body.map(({ version }) => version);
    };
    return { me, slug, path, rev, numbers };
  }

  function textOf(answer: Answer, tag = 'main'): string {
    return (parsePage(answer.text).find(tag)?.text ?? '').replaceAll(/\s+/g, ' ');
  }

  /** The changed lines of the table. */
  function changedLines(answer: Answer): (string | undefined)[] {
    const rows = parsePage(answer.text).all('tr');
    const changed = rows.filter(({ attributes }) => /add|del/.test(attributes.class ?? ''));
    return changed.map(({ text }) => /[−+].*/.exec(text)?.[0]);
  }

  const conflict = (answer: Answer) => expectErrorPage(answer, 412, 'version_conflict');

  it('lists the versions, newest first, with number, size, publisher and what can be done', async () => {
    const { me, slug, path } = await withVersions('<p>one', '<p>two');
    const other = await service.newToken(me.owner, 'lap<top>');
    await other.put(slug, { html: '<p>three' });
    const { status, text, headers } = await me.get(`${path}/history`);
    expect(status).to.equal(200);
    expect(headers['cache-control']).to.equal('no-store');
    const page = parsePage(text);
    const rows = page.all('li').map((row) => row.text.replaceAll(/\s+/g, ' '));
    expect(rows).to.have.length(3);
    expect(rows[0]).to.match(/^ ?Version 3Live.*UTC ?8 bytes ?with the token lap<top> /);
    expect(rows[0]).not.to.include('Restore');
    expect(rows[2]).to.match(/^ ?Version 1Context.*with the token test .*Compare.*Download.*Restore.*Delete/);
    expect(page.find('button', { formaction: `${path}/v/1/restore` })).not.to.equal(undefined);
  });

  it('a page has 50 versions', async () => {
    const { me, path, slug } = await withVersions('<p>0');
    await Promise.all(Array.from({ length: 51 }, () => me.owner.put(slug)));
    const rows = async (query: string) =>
      parsePage((await me.get(`${path}/history${query}`)).text).all('li').length;
    expect(await Promise.all(['', '?page=2', '?page=3'].map(rows))).to.deep.equal([50, 2, 0]);
  });

  it('shows a version in a sandboxed frame with its context, also of a locked drop; nothing of a taken down one', async () => {
    const { me, slug, path } = await withVersions('<p>one', '<p>two');
    await me.owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
    const answer = await me.get(`${path}/v/1`);
    const page = parsePage(answer.text);
    const frame = page.find('iframe');
    expect(frame?.attributes.sandbox?.split(' '))
      .to.include('allow-scripts')
      .and.not.to.include('allow-same-origin');
    const shown = await service.get(frame?.attributes.src ?? '', { headers: { 'sec-fetch-dest': 'iframe' } });
    expect(shown.status).to.equal(200);
    expect(shown.text).to.include('<p>one');
    expect(page.find('em')?.text).to.equal('because');
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'phishing' });
    const down = await me.get(`${path}/v/1`);
    expect(down.status).to.equal(200);
    expect(parsePage(down.text).find('iframe')).to.equal(undefined);
    expect(textOf(down)).to.include('took the page down').and.not.to.include('Restore');
  });

  it('downloads the document as it was posted', async () => {
    const { me, slug, path } = await withVersions('<p>one', '<p>two');
    const answer = await me.get(`${path}/v/1/html`);
    expect(answer.text).to.equal('<p>one');
    expect(answer.headers).to.include({
      'content-disposition': `attachment; filename="${slug}-v1.html"`,
      'content-security-policy': 'sandbox',
    });
  });

  describe('compare', () => {
    it('takes the version before and the latest, and any two that are chosen', async () => {
      const { me, path } = await withVersions('<p>one\n<p>same', '<p>two\n<p>same', '<p>three\n<p>same');
      const compare = async (query = '') => changedLines(await me.get(`${path}/compare${query}`));
      expect(await compare()).to.deep.equal(['−two', '+three']);
      expect(await compare('?from=1')).to.deep.equal(['−one', '+three']);
      expect(await compare('?from=3&to=1&format=source')).to.deep.equal(['−<p>three', '+<p>one']);
      const page = parsePage((await me.get(`${path}/compare?from=1&to=2`)).text);
      const selected = page.all('option').filter(({ attributes }) => 'selected' in attributes);
      expect(selected.map(({ attributes }) => attributes.value)).to.deep.equal(['1', '2']);
    });

    it('says so if there is nothing to compare, or no difference', async () => {
      const { me, path, slug } = await withVersions('<p>one');
      expect(textOf(await me.get(`${path}/compare`))).to.include('There is one version');
      await me.owner.put(slug, { html: '<p><b>one' });
      expect(textOf(await me.get(`${path}/compare`))).to.include('The text is the same');
      await me.owner.put(slug, { html: '<p><b>one' });
      expect(textOf(await me.get(`${path}/compare?format=source`))).to.include('the same source');
      expectErrorPage(await me.get(`${path}/compare?from=9`), 404, 'not_found');
      expectErrorPage(await me.get(`${path}/compare?format=x`), 400, 'invalid_arg');
    });

    it('shows both in sandboxed frames side by side', async () => {
      const { me, path, slug } = await withVersions('<p>one', '<p>two');
      await me.owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
      const answer = await me.get(`${path}/compare?format=side`);
      const frames = parsePage(answer.text)
        .all('iframe')
        .map(({ attributes }) => attributes.src ?? '');
      const shown = await Promise.all(frames.map(async (src) => (await service.get(src)).text));
      expect(shown.map((text) => /<p>\w+/.exec(text)?.[0])).to.deep.equal(['<p>one', '<p>two']);
      expect(answer.headers['content-security-policy']).to.include(`frame-src ${service.url}/p/${slug}/raw`);
    });

    it('cuts a long difference; the whole can be downloaded', async () => {
      const { me, path, slug } = await withVersions('<pre>', `<pre>${'line\n'.repeat(5_000)}`);
      const answer = await me.get(`${path}/compare?format=source`);
      expect(textOf(answer)).to.include('This is not all');
      expect(answer.text.length).to.be.below(60_000);
      const link = parsePage(answer.text)
        .all('a')
        .find(({ text }) => text.startsWith('Download the whole'));
      const whole = await me.get(link?.attributes.href ?? '');
      expect(whole.headers).to.include({
        'content-type': 'text/x-diff; charset=utf-8',
        'content-disposition': `attachment; filename="${slug}-v1-v2.source.diff"`,
      });
      expect(whole.text.match(/^\+/gm)).to.have.length.above(5_000);
    });

    it('runs nothing of the documents, and shows what cannot be seen', async () => {
      const hostile = '</td></table><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\0"\'`\n';
      const { me, path } = await withVersions('<p>one', hostile, `${hostile}${'x'.repeat(500_000)}`);
      for (const query of ['?from=1&to=2&format=source', '?format=source', '?from=1&to=2']) {
        const { text, headers } = await me.get(`${path}/compare${query}`);
        const page = parsePage(text);
        expect(
          page.all('script').every(({ attributes }) => attributes.src?.startsWith(`${service.url}/assets/`)),
        ).to.equal(true);
        expect(page.find('img')).to.equal(undefined);
        expect(text).not.to.match(/[\u202e\0]/);
        expect(text.length).to.be.below(60_000);
        expect(headers['content-security-policy']).to.match(/^default-src 'none'/);
      }
    });

    it('says on the page that two versions cannot be compared in time', async () => {
      const lines = (seed: number) =>
        Array.from({ length: 30_000 }, (_, i) => `${(i * seed) % 30_011}`).join('\n');
      const { me, path } = await withVersions(`<pre>${lines(7)}`, `<pre>${lines(11)}`);
      const answer = await me.get(`${path}/compare?format=source`);
      expect(answer.status).to.equal(400);
      expect(textOf(answer))
        .to.include('too different to be compared')
        .and.to.include('Download version 1 and version 2');
    });
  });

  describe('restore', () => {
    it('publishes the version again and names the session; the same form sent twice restores once', async () => {
      const { me, slug, path, rev, numbers } = await withVersions('<p>one', '<p>two');
      expect(textOf(await me.get(`${path}/v/1/restore`))).to.include('Restore version 1?');
      const form = { if_match: await rev() };
      for (const _ of [1, 2]) {
        const { status, headers } = await me.post(`${path}/v/1/restore`, form);
        expect(status).to.equal(303);
        expect(headers.location).to.equal(`${path}?notice=restored#history`);
      }
      expect(await numbers()).to.deep.equal([3, 2, 1]);
      expect((await me.owner.get(`/api/drops/${slug}/html`)).text).to.equal('<p>one');
      const { body } = await me.owner.get(`/api/drops/${slug}/v/3?include=published_by`);
      expect(body.published_by).to.deep.equal({ kind: 'session', id: me.sessionId, label: 'Test browser' });
    });

    it('says so if the drop was changed meanwhile, and then restores', async () => {
      const { me, slug, path, rev, numbers } = await withVersions('<p>one', '<p>two');
      const form = { if_match: await rev() };
      await me.owner.put(slug);
      const refused = await me.post(`${path}/v/1/restore`, form);
      conflict(refused);
      expect(textOf(refused)).to.include('version 3 is live now. Nothing was done');
      const fresh = parsePage(refused.text).find('input', { name: 'if_match' })?.attributes.value ?? '';
      expect((await me.post(`${path}/v/1/restore`, { if_match: fresh })).status).to.equal(303);
      expect(await numbers()).to.deep.equal([4, 3, 2, 1]);
    });
  });

  describe('delete', () => {
    it('a version: after a page that names it; a second time changes nothing', async () => {
      const { me, path, rev, numbers } = await withVersions('<p>one', '<p>two', '<p>three');
      expect(textOf(await me.get(`${path}/v/3/delete`)))
        .to.include('Delete version 3?')
        .and.to.include('They will see version 2 instead');
      const form = { if_match: await rev() };
      for (const _ of [1, 2]) {
        const answer = await me.post(`${path}/v/3/delete`, form);
        expect([answer.status, answer.headers.location]).to.deep.equal([
          303,
          `${path}?notice=version_deleted#history`,
        ]);
      }
      expect(await numbers()).to.deep.equal([2, 1]);
      conflict(await me.post(`${path}/v/2/delete`, form));
    });

    it('the only version cannot be deleted', async () => {
      const { me, path, rev } = await withVersions('<p>one');
      const page = await me.get(`${path}/v/1/delete`);
      expect(textOf(page)).to.include('This is the only version');
      expect(
        parsePage(page.text)
          .all('button')
          .map(({ text }) => text),
      ).to.deep.equal(['Sign out']);
      const answer = await me.post(`${path}/v/1/delete`, { if_match: await rev() });
      expectErrorPage(answer, 409, 'last_version_cannot_be_deleted');
    });

    it('the drop: after a page that names title, address, versions and views', async () => {
      const { me, slug, path, rev } = await withVersions('<p>one', '<p>two');
      const page = textOf(await me.get(`${path}/delete`));
      for (const part of ['My <page>', `${service.url}/p/${slug}`, 'all 2 versions', 'Views'])
        expect(page).to.include(part);
      const old = await rev();
      await me.owner.put(slug);
      const refused = await me.post(`${path}/delete`, { if_match: old });
      conflict(refused);
      expect(textOf(refused)).to.include('all 3 versions');
      const fresh = { if_match: await rev() };
      for (const _ of [1, 2]) {
        const answer = await me.post(`${path}/delete`, fresh);
        expect([answer.status, answer.headers.location]).to.deep.equal([303, '/drops?notice=deleted']);
      }
      expect((await service.get(`/p/${slug}`)).status).to.equal(404);
    });
  });
});
