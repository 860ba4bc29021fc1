import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import mongoose from 'mongoose';
import type { Config } from '../../shared/config/config.ts';
import { defensiveStyle } from '../../shared/html/insertion.ts';
import { createTestClock } from '../support/clock.ts';
import { isScaleOutRun } from '../support/engine.ts';
import { expectError } from '../support/expect.ts';
import { startService, type TestService } from '../support/service.ts';
import type { WireBody, WireCommentList, WireVersionListItem } from '../support/wire.ts';

/** What release 06bab9a left and answered, as `test/fixtures/make-old-data.mjs` of commit 53e9581 wrote it down. */
interface Expected {
  readonly files?: Readonly<Record<string, string>>;
  readonly slugs: Readonly<Record<string, string>>;
  readonly owners: Readonly<Record<string, { readonly token: string }>>;
  readonly signIn: { readonly poll_token: string };
  readonly now: number;
  readonly answers: readonly { owner: string; path: string; status: number; body: WireBody | string }[];
  readonly reports: readonly object[];
  readonly audit: readonly object[];
}

const folder = new URL('../../../test/fixtures/old-data/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder));
const expected: Expected = JSON.parse(read('expected.json').toString())[
  isScaleOutRun ? 'scale-out' : 'embedded'
];
const { slugs, owners } = expected;
const BASE_URL = 'http://127.0.0.1'; // as in the expected answers

async function putOldData({ DATA_DIR, MONGODB_URI }: Config): Promise<void> {
  if (!isScaleOutRun) {
    writeFileSync(join(DATA_DIR, 'dropleaf.sqlite'), gunzipSync(read('dropleaf.sqlite.gz')));
    for (const [name, text] of Object.entries(expected.files ?? {}))
      writeFileSync(join(DATA_DIR, name), text);
    return;
  }
  const connection = await mongoose.createConnection(MONGODB_URI).asPromise();
  for (const line of read('mongo.ndjson').toString().trim().split('\n')) {
    const { collection, document } = mongoose.mongo.BSON.EJSON.parse(line, { relaxed: false });
    await connection.collection(collection).insertOne(document);
  }
  await connection.close();
}

/** Without what later releases add to answers. */
function withoutAdditions(body: WireBody): unknown {
  return JSON.parse(JSON.stringify(body), (key, value) =>
    ['taken_down', 'sha256', 'warnings'].includes(key) ? undefined : value,
  );
}

/** Its renders had this style. They are made again. */
const oldStyle =
  '<style data-dropleaf>:where(html,body){max-width:100vw;overflow-x:hidden;overflow-x:clip}:where(img,svg,video,iframe){max-width:100%}:where(img[width],video[width]){height:auto}:where(pre,table){max-width:100%}:where(pre){overflow-x:auto}</style>';
const style = defensiveStyle({ rules: '', firstLayer: null });

describe('Data of an earlier release', () => {
  let service: TestService;

  before(async () => {
    service = await startService({
      env: { BASE_URL },
      clock: createTestClock(expected.now),
      prepare: putOldData,
    });
    await service.settle();
  });
  after(() => service.stop());

  for (const { owner, path, status, body } of expected.answers) {
    it(`${status} ${path}`, async () => {
      const token = path.startsWith('/api') ? owners[owner]?.token : undefined;
      const answer = await service.get(path, { token });
      expect(answer.status).to.equal(status);
      if (typeof body === 'string') expect(answer.text).to.equal(body.replace(oldStyle, () => style));
      else if (body.error !== undefined) expect(answer.body.error).to.include({ code: body.error.code });
      else expect(withoutAdditions(answer.body)).to.deep.equal(body);
    });
  }

  it('has versions of which nobody knows who published them', async () => {
    const token = Object.values(owners)[0]?.token;
    const { body } = await service.get<WireBody>('/api/drops', { token });
    const path = `/api/drops/${body.data[0]?.slug}/versions?include=published_by`;
    const versions = (await service.get<WireVersionListItem[]>(path, { token })).body;
    expect(new Set(versions.map(({ published_by }) => published_by))).to.deep.equal(new Set([null]));
  });

  it('has versions whose digest is not stored: the list leaves it out, and a version has it', async () => {
    const slug = slugs.versions ?? '';
    const token = owners.ada?.token;
    const path = `/api/drops/${slug}`;
    const [item] = (await service.get<WireVersionListItem[]>(`${path}/versions`, { token })).body;
    expect(item).to.include.keys('version').and.not.to.have.property('sha256');
    const { headers, bytes } = await service.get(`${path}/v/${item?.version}/html`, { token });
    const digest = createHash('sha256').update(bytes).digest();
    expect(headers['repr-digest']).to.equal(`sha-256=:${digest.toString('base64')}:`);
    const { sha256 } = (await service.get(`${path}/v/${item?.version}`, { token })).body;
    expect(sha256).to.equal(digest.toString('hex'));
  });

  it('is found by searches, without regard to case', async () => {
    for (const { token } of Object.values(owners)) {
      const list = async (query: string) => (await service.get(`/api/drops?${query}`, { token })).body;
      const { data } = await list('pageSize=200');
      for (const { slug, title } of data) {
        const found = await list(`pageSize=200&q=${encodeURIComponent(title.toLowerCase())}`);
        expect(found.data.map((drop) => drop.slug)).to.include(slug);
      }
      expect((await list('q=nowhere')).data).to.deep.equal([]);
    }
  });

  it('keeps reports and the audit log', async () => {
    const { reports, audit } = service.services;
    const stored = expected.reports.map((report) => ({ commentId: null, ...report }));
    expect(await reports.list({ withClosed: true }, 100)).to.deep.equal(stored);
    expect(await audit.list(null, 100)).to.deep.equal(expected.audit);
  });

  it('has pages that only their owners can comment, until they let others', async () => {
    const slug = slugs.versions ?? '';
    const token = owners.ada?.token;
    expect((await service.services.pages.find(slug, null)).comments).to.equal('owner');
    const change = await service.request('PATCH', `/api/drops/${slug}`, {
      token,
      body: { comments: 'anyone' },
    });
    expect(change.status, change.text).to.equal(200);
    expect((await service.services.pages.find(slug, null)).comments).to.equal('anyone');
    const comment = { token, body: { text: 'New' } };
    expect((await service.request('POST', `/api/drops/${slug}/comments`, comment)).status).to.equal(201);
    await service.settle();
    const { body } = await service.get<WireCommentList>('/api/comments', { token });
    expect(body.data.map(({ text }) => text)).to.deep.equal(['New']);
  });

  it('keeps the pending sign-in', async () => {
    const { body } = await service.get(`/api/auth/poll?token=${expected.signIn.poll_token}`);
    expect(body.status).to.equal('pending');
  });

  it('keeps the passcode of a locked page', async () => {
    const { frame, cookie } = await service.enter(slugs.locked ?? '', 'open-sesame', {
      headers: { origin: BASE_URL },
    });
    expect((await service.get(frame, { headers: { cookie } })).text).to.include('Locked, again');
  });

  it('removes the documents of the deleted drop and of the deleted version, and no others', async () => {
    service.clock.advance(15 * 60_000);
    await service.services.engine.jobs.enqueue('store.reconcile', {});
    await service.settle();
    await service.settle(); // the jobs that were enqueued by the first
    expect(await service.services.engine.html.listIds('', 'z', 100)).to.have.length(9);
  });

  it('keeps the suspended account suspended', async () => {
    const { moderation } = service.services;
    const change = () =>
      service.request('PUT', `/api/drops/${slugs.suspended}`, {
        token: owners.bob?.token,
        body: { html: '<p>New' },
      });
    expectError(await change(), 403, 'forbidden');
    const [bob] = await moderation.findAccounts('bob');
    if (bob === undefined) throw new Error('bob is missing');
    await moderation.unsuspend(bob, { by: 'root', reason: null });
    expect((await change()).status).to.equal(200);
  });
});
