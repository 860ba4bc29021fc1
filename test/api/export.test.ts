import { expect } from 'chai';
import { commentLimits } from '../../shared/comments/comment.ts';
import { unavailable } from '../../shared/domain/errors.ts';
import { aComment } from '../contract/records.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { expectTooMany } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { useServiceOfEach } from '../support/service.ts';
import { until } from '../support/until.ts';
import type { WireComment } from '../support/wire.ts';
import { unzip } from './zip.ts';

interface Exported {
  readonly user_id: string;
  readonly changed_during_export: string[];
  readonly drops: {
    readonly slug: string;
    readonly title: string;
    readonly locked: boolean;
    readonly versions: { version: number; file: string; context_file?: string }[];
    readonly views: { date: string; views: number }[];
    readonly comment_files: string[];
  }[];
}

function listOf(files: ReadonlyMap<string, string>): Exported {
  return JSON.parse(files.get('drops.json') ?? 'null');
}

describe('POST /account/export', () => {
  const gate = createGate();
  afterEach(() => gate.open());
  const service = useServiceOfEach({}, (own) => ({ ...own, html: gate.wrap(own.html, ['get']) }));

  const start = (browser: Dashboard) => browser.post('/account/export', {});

  it('a zip of every version and context as posted, and drops.json', async () => {
    const browser = await openDashboard(service);
    const { owner } = browser;
    const html = '<p>Ünïcode \u{1f343} and a NUL \0';
    const first = await owner.create({ title: '../<b>', html, context: '# Why', metadata: { a: '1' } });
    await owner.put(first.slug, { html: '<p>two' });
    service.clock.advance(1);
    const locked = await owner.create({ passcode: 'open-sesame', description: 'd' });
    await service.view(`/p/${first.slug}`);
    await service.settle();
    await (await service.newOwner()).create();

    const answer = await start(browser);
    expect(answer.status).to.equal(200);
    expect(answer.headers).to.include({ 'content-type': 'application/zip', 'cache-control': 'no-store' });
    expect(answer.headers['content-disposition']).to.match(
      /^attachment; filename="Dropleaf owner-[\w-]+ [\d-]{10}\.zip"$/,
    );
    const files = unzip(answer.bytes);
    const path = 'drops/b/b';
    const other = `drops/${locked.title}/${locked.title}`;
    expect([...files.keys()].sort()).to.deep.equal(
      [
        `${path} v1.html`,
        `${path} v1 context.md`,
        `${path} v2.html`,
        `${other} v1.html`,
        'drops.json',
      ].sort(),
    );
    expect(files.get(`${path} v1.html`)).to.equal(html);
    expect(files.get(`${path} v1 context.md`)).to.equal('# Why');
    const { user_id, changed_during_export, drops } = listOf(files);
    expect(user_id).to.equal(owner.userId);
    expect(changed_during_export).to.deep.equal([]);
    expect(drops.map(({ slug, title, locked: isLocked }) => ({ slug, title, isLocked }))).to.deep.equal([
      { slug: first.slug, title: '../<b>', isLocked: false },
      { slug: locked.slug, title: locked.title, isLocked: true },
    ]);
    expect(drops[0]?.versions.map(({ file, context_file }) => [file, context_file])).to.deep.equal([
      [`${path} v1.html`, `${path} v1 context.md`],
      [`${path} v2.html`, undefined],
    ]);
    expect(drops[0]?.views).to.have.length(1);
    expect(files.get('drops.json')).to.not.match(/argon2|lock_hash/);
  });

  it('the comments on each drop, in files of at most 500 that drops.json lists', async () => {
    const browser = await openDashboard(service);
    const { owner } = browser;
    const { slug } = await owner.create();
    const { engine } = service.services;
    const page = await service.services.pages.find(slug, null);
    const caps = { ...commentLimits, openPerDrop: 1_000, heldPerDrop: 1_000 };
    for (let n = 0; n < 501; n++) {
      const about = { dropId: page.dropId, ownerId: page.ownerId, slug, versionId: page.version?.id ?? '' };
      const state = (['resolved', 'held', 'open'] as const)[n % 3] ?? 'open';
      await engine.comments.insert(aComment({ ...about, text: `${n}`, state }), service.clock.now(), caps);
    }
    await owner.create();
    const files = unzip((await start(browser)).bytes);
    const all = listOf(files).drops;
    const drop = all.find((one) => one.slug === slug);
    expect(all.find((one) => one !== drop)?.comment_files).to.deep.equal([]);
    const parts = drop?.comment_files.map((path) => JSON.parse(files.get(path) ?? '') as WireComment[]) ?? [];
    expect(parts).to.have.length(2);
    expect(parts.flat().map(({ text }) => text)).to.deep.equal(Array.from({ length: 501 }, (_, n) => `${n}`));
    expect(parts[0]?.[0]?.replies).to.have.length(1);
  });

  it('names of files are titles, unique whatever their case', async () => {
    const browser = await openDashboard(service);
    const slugs: string[] = [];
    for (const title of ['Отчёт', 'отчёт', 'Отчёт', '???', 'CON']) {
      slugs.push((await browser.owner.create({ title })).slug);
      service.clock.advance(1);
    }
    const files = unzip((await start(browser)).bytes);
    const names = ['Отчёт', `отчёт (${slugs[1]})`, `Отчёт (${slugs[2]})`, `${slugs[3]}`, '_CON'];
    const paths = names.map((name) => `drops/${name}/${name} v1.html`);
    expect([...files.keys()]).to.deep.equal([...paths, 'drops.json']);
  });

  it('an account without drops: drops.json alone', async () => {
    const files = unzip((await start(await openDashboard(service))).bytes);
    expect([...files.keys()]).to.deep.equal(['drops.json']);
    expect(listOf(files).drops).to.deep.equal([]);
  });

  it('a drop that is deleted meanwhile is left out, and drops.json says so', async () => {
    const browser = await openDashboard(service);
    const kept = await browser.owner.create();
    service.clock.advance(1);
    const doomed = await browser.owner.create();
    await service.settle(); // renders read documents, too
    gate.hold();
    const exporting = start(browser);
    await until(() => gate.waiting() > 0, 'the export reads');
    await browser.owner.request('DELETE', `/api/drops/${doomed.slug}`);
    gate.open();
    const files = unzip((await exporting).bytes);
    expect([...files.keys()]).to.deep.equal([`drops/${kept.title}/${kept.title} v1.html`, 'drops.json']);
    expect(listOf(files).changed_during_export).to.deep.equal([doomed.slug]);
  });

  it('one at a time for an account; a client that goes away ends it', async () => {
    const browser = await openDashboard(service);
    await browser.owner.create();
    await service.settle(); // renders read documents, too
    gate.hold();
    const exporting = start(browser).catch(() => null);
    await until(() => gate.waiting() > 0, 'the export reads');
    expectTooMany(await start(browser), 'rate_limited', 60);
    expect((await openDashboard(service)).cookie).to.not.equal(browser.cookie);
    service.close(); // ends the connections of the client
    await exporting;
    gate.open();
    await until(async () => (await start(browser)).status === 200, 'another export');
  });

  it('if the database fails midway, the download breaks off and is no archive', async () => {
    const browser = await openDashboard(service);
    for (let n = 0; n < 3; n++) await browser.owner.create({ html: 'x'.repeat(100_000) });
    let reads = 0;
    const { html } = service.services.engine;
    const { get } = html;
    Object.assign(html, {
      get: (id: string) => (++reads > 2 ? Promise.reject(unavailable('down')) : get(id)),
    });
    const outcome = await start(browser).then(
      (answer) => {
        unzip(answer.bytes);
        return 'whole';
      },
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect(outcome).to.equal('ECONNRESET');
    Object.assign(html, { get });
  });

  it('403 without the form token or from another site', async () => {
    const browser = await openDashboard(service);
    expect((await browser.post('/account/export', { form_token: 'x' })).status).to.equal(403);
    const foreign = { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } };
    expect((await browser.post('/account/export', {}, foreign)).status).to.equal(403);
    expect((await browser.get('/account/export')).status).to.equal(405);
  });
});
