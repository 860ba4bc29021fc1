import { expect } from 'chai';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { createLockedDrops, expectNoLeak, lockedDropSettings } from '../support/locked-drops.ts';
import { useService } from '../support/service.ts';

/** What belongs to a viewer page and shows something of its drop. */
const parts = ['latest', 'versions', 'download', 'print'] as const;
const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('What belongs to a viewer page', () => {
  const service = useService(lockedDropSettings);
  const { lockedDrop } = createLockedDrops(service);

  async function published(fields: object = {}) {
    const { owner, slug } = await service.newDrop({ html: '<p>one', ...fields });
    const latest = async () =>
      (await service.get<{ id: string; created_at: number }>(`/p/${slug}/latest`)).body;
    return { owner, slug, latest };
  }

  it('/latest names the latest version by number, id and time; the frame of the viewer has the same id', async () => {
    const { owner, slug, latest } = await published();
    const first = await latest();
    expect(first).to.deep.equal({ latest_version: 1, id: first.id, created_at: service.clock.now() });
    expect((await service.get(`/p/${slug}`)).text).to.include(
      `/p/${slug}/raw?framed=1&amp;v=1&amp;id=${first.id}"`,
    );
    service.clock.advance(1_000);
    await owner.put(slug, { html: '<p>two' });
    const second = await latest();
    expect(second).to.include({ latest_version: 2, created_at: first.created_at + 1_000 });
    await owner.request('DELETE', `/api/drops/${slug}/v/2`);
    expect(await latest()).to.deep.equal(first);
    await owner.put(slug, { html: '<p>another two' });
    expect((await latest()).id).to.not.equal(second.id);
  });

  it('/latest is not cached, is small, and is not logged unless it fails', async () => {
    const { slug } = await published();
    const from = service.logs.length;
    for (let n = 0; n < 2; n++) {
      const answer = await service.get(`/p/${slug}/latest`);
      expect(answer.headers['cache-control']).to.equal('private, no-cache');
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(answer.bytes.length).to.be.below(120);
    }
    await service.get('/p/nosuchslug00/latest');
    const lines = service.logs.slice(from).filter((line) => line.includes("'request'"));
    expect(lines.length, lines.join('\n')).to.be.at.most(1);
  });

  it('/versions lists numbers and times, newest first: a page for a person, JSON for a program', async () => {
    const { owner, slug } = await published({ title: '<b>Naughty</b> \u202e title' });
    const createdAt = service.clock.now();
    await owner.put(slug, { html: '<p>two' });
    await owner.put(slug, { html: '<p>three' });
    await owner.request('DELETE', `/api/drops/${slug}/v/2`);
    const list = await service.get(`/p/${slug}/versions`);
    expect(list.body).to.deep.equal([
      { version: 3, created_at: createdAt },
      { version: 1, created_at: createdAt },
    ]);
    const answer = await service.view(`/p/${slug}/versions`);
    const page = parsePage(answer.text);
    expect(page.find('p', { dir: 'auto' })?.text).to.equal('<b>Naughty</b> \u202e title');
    const links = page.all('a').filter(({ text }) => text.startsWith('Version'));
    expect(links.map(({ text, attributes }) => [text, attributes.href])).to.deep.equal([
      ['Version 3', `/p/${slug}`],
      ['Version 1', `/p/${slug}?v=1`],
    ]);
    for (const { headers } of [list, answer]) expect(headers['cache-control']).to.equal('private, no-store');
  });

  it('/download is the document as posted, of any version, as a file', async () => {
    const html = '﻿<p>one</p>\r\n';
    const { owner, slug } = await published({ html });
    await owner.put(slug, { html: '<p>two' });
    const answer = await service.get(`/p/${slug}/download?v=1`);
    expect(answer.text).to.equal(html);
    expect(answer.headers['content-disposition']).to.equal(`attachment; filename="A title v1.html"`);
    expect(answer.headers['content-security-policy']).to.equal('sandbox');
    expect((await service.get(`/p/${slug}/download`)).text).to.equal('<p>two');
  });

  it('/print is the document without our style, and a script before all else that prints it, under the same sandbox', async () => {
    const html = `<!doctype html><html><head><meta http-equiv="content-security-policy" content="script-src 'none'"><title>é</title></head><body><p>x</body></html>`;
    const { slug } = await published({ html });
    const raw = await service.get(`/p/${slug}/raw`);
    const print = await service.get(`/p/${slug}/print`);
    const [, viewport, script = ''] =
      /<head>(<meta name="viewport" [^>]*>)(<script>.*<\/script>)<meta http/.exec(print.text) ?? [];
    expect(script).to.include('print()');
    expect(print.text.replace(`${viewport}${script}`, '')).to.equal(html);
    for (const name of ['content-security-policy', 'content-type', 'x-content-type-options'])
      expect(print.headers[name], name).to.equal(raw.headers[name]);
  });

  it('/qr.svg is a QR code for every valid slug, cacheable and without a look-up', async () => {
    const { slug } = await published();
    const answer = await service.get(`/p/${slug}/qr.svg`);
    expect(answer.headers['content-type']).to.equal('image/svg+xml');
    expect(answer.headers['cache-control']).to.equal('public, max-age=86400');
    expect(answer.text).to.match(/^<svg [^>]*viewBox.*<path.*<\/svg>$/);
    const unknown = await service.get('/p/nosuchslug00/qr.svg');
    expect(unknown.status).to.equal(200);
    expect(unknown.text).to.not.equal(answer.text);
    expectError(await service.get('/p/a.b/qr.svg'), 400, 'invalid_slug');
  });

  it('counts no view', async () => {
    const { owner, slug } = await published();
    for (const part of [...parts, 'qr.svg']) await service.view(`/p/${slug}/${part}`);
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(0);
  });

  it('of a locked drop: 403 passcode_required without the cookie, whatever the version; with it the same as of others', async () => {
    const { slug } = await lockedDrop();
    for (const part of parts) {
      for (const query of ['', '?v=1', '?v=99']) {
        const answer = await service.get(`/p/${slug}/${part}${query}`);
        expectError(answer, 403, 'passcode_required');
        expectNoLeak(answer);
      }
    }
    const { cookie } = await service.enter(slug, 'open-sesame');
    for (const part of parts) {
      const answer = await service.get<unknown>(`/p/${slug}/${part}`, { headers: { cookie } });
      expect(answer.status, part).to.equal(200);
      expect(answer.headers['cache-control']).to.equal('private, no-store');
    }
  });

  it('of a locked drop: a person without the cookie is sent to the page that asks for the passcode', async () => {
    const { slug } = await lockedDrop();
    for (const part of ['versions', 'download', 'print']) {
      for (const query of ['', '?v=1', '?v=99']) {
        const answer = await service.get(`/p/${slug}/${part}${query}`, { headers: navigation });
        expect([answer.status, answer.headers.location]).to.deep.equal([303, `/p/${slug}${query}`]);
        expect(answer.headers['cache-control']).to.equal('private, no-store');
        expectNoLeak(answer);
      }
    }
  });

  it('ends with the page: 404 once it is deleted, expired or never was, 410 once it is taken down', async () => {
    const { owner, slug } = await published();
    const { slug: short } = await owner.create({ expires_at: service.clock.now() + 60_000 });
    const { slug: bad } = await owner.create();
    for (const part of parts) expect((await service.get(`/p/${short}/${part}`)).status).to.equal(200);
    await owner.request('DELETE', `/api/drops/${slug}`);
    await service.services.moderation.takeDown(bad, { by: 'root', reason: 'phishing' });
    service.clock.advance(60_000);
    for (const part of parts) {
      for (const gone of [slug, short, 'nosuchslug00'])
        expectError(await service.get(`/p/${gone}/${part}`), 404, 'not_found');
      expectError(await service.get(`/p/${bad}/${part}`), 410, 'forbidden');
      expectErrorPage(await service.get(`/p/${bad}/${part}`, { headers: navigation }), 410, 'forbidden');
    }
  });

  it('404 version_not_found for another version; /latest ignores v', async () => {
    const { slug } = await published();
    for (const query of ['?v=2', '?v=x', '?v=1&v=1']) {
      for (const part of ['download', 'print'])
        expectError(await service.get(`/p/${slug}/${part}${query}`), 404, 'version_not_found');
      expect((await service.get(`/p/${slug}/latest${query}`)).status).to.equal(200);
    }
  });
});
