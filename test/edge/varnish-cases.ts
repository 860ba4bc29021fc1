import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Client, createClient } from '../support/client.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { until } from '../support/until.ts';
import { requireVarnish } from '../support/varnish.ts';
import { type BehindVarnish, openBehindVarnish, type StartOrigin } from './behind-varnish.ts';
import { publishMade, testCache } from './cache-cases.ts';

/** Varnish with the configuration of `deploy/`, in front of a real service. */
export function describeVarnish(engine: string, startOrigin: StartOrigin): void {
  describe(`Behind Varnish (${engine})`, () => {
    let behind: BehindVarnish;
    let edge: Client;
    let owner: Owner;

    before(async function () {
      behind = await openBehindVarnish(requireVarnish(this), startOrigin);
      edge = createClient(behind.edgeUrl);
      owner = createOwner(edge, '', 'edge', behind.token);
    });

    after(async () => {
      edge?.close();
      await behind?.close();
    });

    const raw = (slug: string) => edge.get(`/p/${slug}/raw`);
    const cacheOf = async (slug: string) => (await raw(slug)).headers['x-cache'];

    const publish = (fields: object = {}) => publishMade(owner, behind.originUrl, fields);

    it('a page is kept no longer than until its drop expires', async () => {
      const expiresAt = Date.now() + 8_000;
      const slug = await publish({ expires_at: expiresAt });
      expect(await cacheOf(slug)).to.equal('miss');
      expect(await cacheOf(slug)).to.equal('hit');
      await pause(expiresAt - Date.now());
      expect((await raw(slug)).status).to.equal(404);
    });

    it('views of the viewer are counted at the origin', async () => {
      const slug = await publish();
      for (let i = 0; i < 3; i++)
        await edge.get(`/p/${slug}`, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } });
      const isCounted = async () => (await owner.get(`/api/drops/${slug}`)).body.view_count === 3;
      await until(isCounted, 'views are counted');
    });

    it('a kept page is refused at once when it is locked', async () => {
      const slug = await publish();
      expect(await cacheOf(slug)).to.equal('miss');
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open sesame' } });
      expect((await raw(slug)).status).to.equal(403);
    });

    it('a page that was taken down is gone from it when the command has ended, and back when it is restored', async () => {
      const slug = await publish();
      await raw(slug);
      expect(await cacheOf(slug)).to.equal('hit');
      const down = await behind.operate(
        'admin',
        'takedown',
        `${behind.edgeUrl}/p/${slug}`,
        '--reason',
        'phishing',
      );
      expect(down.code, down.stderr).to.equal(0);
      for (const path of [`/p/${slug}/raw`, `/p/${slug}`])
        expect((await edge.get(path)).status).to.equal(410);
      expect((await behind.operate('admin', 'restore', slug)).code).to.equal(0);
      expect((await raw(slug)).status).to.equal(200);
    });

    for (const delayMs of [0, 300, 1_050]) {
      it(`a page that the edge fetches while it changes, ${delayMs} ms late each way: never the old page 2 s later`, async () => {
        const origin = createClient(behind.originUrl);
        const changes = {
          PUT: { html: '<p>New' },
          DELETE: undefined,
          'POST passcode': { passcode: 'open sesame' },
        };
        await Promise.all(
          Object.entries(changes).map(async ([change, body]) => {
            const slug = await publish();
            const [method = '', part] = change.split(' ');
            const path = ['/api/drops', slug, part].filter(Boolean).join('/');
            behind.delay(delayMs);
            const fetching = raw(slug);
            await pause(delayMs * 1.5); // the origin has answered, and the edge does not have it yet
            const changed = await origin.request(method, path, {
              token: behind.token,
              ...(body && { body }),
            });
            expect(changed.status, change).to.be.within(200, 204);
            await Promise.all([fetching, pause(2_000)]);
            const { status, text } = await raw(slug);
            expect([status, text.includes('A page.')], change).to.deep.equal([
              { PUT: 200, DELETE: 404 }[method] ?? 403,
              false,
            ]);
          }),
        ).finally(() => origin.close());
        behind.delay(0);
      });
    }

    testCache(
      { edge: () => edge, owner: () => owner, publish },
      { hit: 'hit', miss: 'miss', bypass: 'miss' },
    );

    it('only who has the token purges, and only by a tag', async () => {
      const purge = (headers: Record<string, string>) => edge.request('PURGE', '/', { headers });
      expect((await purge({ 'surrogate-key': 'drop-1' })).status).to.equal(403);
      expect((await purge({ 'surrogate-key': 'drop-1', authorization: 'Bearer wrong' })).status).to.equal(
        403,
      );
      const token = { authorization: 'Bearer pUrg3-t0ken' };
      expect((await purge({ 'surrogate-key': 'drop-1 || obj.status == 200', ...token })).status).to.equal(
        400,
      );
      expect((await purge(token)).status).to.equal(400);
      expect((await purge({ 'surrogate-key': 'drop-1', ...token })).body).to.deep.equal({ purged: true });
    });
  });
}
