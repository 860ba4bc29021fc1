import { expect } from 'chai';
import { expectError, expectErrorPage, expectTooMany } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { createLockedDrops, expectNoLeak, lockedDropSettings, secrets } from '../support/locked-drops.ts';
import { useService, useServices } from '../support/service.ts';

describe('POST /p/{slug}: the passcode', () => {
  const startOwn = useServices();
  const service = useService(lockedDropSettings);
  const { from, lockedDrop } = createLockedDrops(service);

  const enter = (slug: string, headers: Record<string, string>, passcode = 'open-sesame', query = '') =>
    service.enter(slug, passcode, { query, headers });

  /** Enters a wrong passcode so many times. */
  async function fail(slug: string, times: number, headers = from): Promise<void> {
    for (let n = 0; n < times; n++)
      expect((await service.unlock(slug, 'wrong', { headers: headers() })).status).to.equal(403);
  }

  describe('the passcode form', () => {
    it('right: a path-scoped HttpOnly cookie, a redirect to the page with its query, and the page', async () => {
      const { slug, address } = await lockedDrop();
      const { unlocked, viewer } = await enter(slug, address, 'open-sesame', '?v=1');
      expect(unlocked.headers.location?.replace(service.config.BASE_URL, '')).to.equal(`/p/${slug}?v=1`);
      expect(unlocked.cookies).to.have.length(1);
      const [cookie = ''] = unlocked.cookies;
      expect(cookie)
        .to.match(/;\s*HttpOnly/i)
        .and.match(new RegExp(`;\\s*Path=/p/${slug}(;|$)`));
      expect(cookie).to.match(/;\s*SameSite=(Lax|Strict)/i);
      expect(cookie).to.not.include('sesame');
      expect(viewer.text).to.include('TITLE-SECRET').and.include('CONTEXT-SECRET');
      expect(viewer.text).to.not.include('METADATA-SECRET');
      expect(viewer.headers['cache-control']).to.equal('private, no-store');
    });

    it('wrong: 403 with the form; for a program 403 passcode_required in the envelope', async () => {
      const { slug, address } = await lockedDrop();
      for (const passcode of ['wrong', '', 'open-sesame ', 'x'.repeat(300)]) {
        const answer = await service.unlock(slug, passcode, { headers: from() });
        expect(answer.status).to.equal(403);
        expect(answer.headers['content-type']).to.match(/^text\/html/);
        expectErrorPage(answer, 403, 'passcode_required');
        const field = parsePage(answer.text).find('input', { type: 'password', autocomplete: 'off' });
        const marked = { 'aria-invalid': 'true', 'aria-describedby': 'fault', required: '' };
        expect(field?.attributes).to.include(marked);
        expect(answer.cookies).to.deep.equal([]);
        expectNoLeak(answer);
      }
      const headers = { ...address, 'sec-fetch-mode': '', 'sec-fetch-dest': '', accept: '' };
      const answer = await service.unlock(slug, 'wrong', { headers });
      expectError(answer, 403, 'passcode_required');
      expectNoLeak(answer);
      await enter(slug, address);
    });

    it('429 rate_limited after too many wrong passcodes for one drop from one address, until the window ends', async () => {
      const { slug, address } = await lockedDrop();
      await fail(slug, 3, () => address);
      const refused = await service.unlock(slug, 'open-sesame', { headers: address });
      expectTooMany(refused, 'rate_limited');
      service.clock.advance((Number(refused.headers['retry-after']) - 421) * 1000);
      const later = await service.unlock(slug, 'open-sesame', { headers: address });
      expectTooMany(later, 'rate_limited', 421);
      expect(parsePage(later.text).find('p', { id: 'fault' })?.text).to.match(/ Try again in 8 minutes\.$/);
      await enter(slug, from());
      service.clock.advance(421_000);
      await enter(slug, address);
    });

    it('429 rate_limited after too many wrong passcodes for any drops from one address', async () => {
      const drops = [await lockedDrop(), await lockedDrop(), await lockedDrop()];
      const headers = from();
      for (const { slug } of [...drops, ...drops].slice(0, 5)) await fail(slug, 1, () => headers);
      const { slug, address } = await lockedDrop();
      expectTooMany(await service.unlock(slug, 'open-sesame', { headers }), 'rate_limited');
      await enter(slug, address);
    });

    it('429 rate_limited for every address after too many wrong passcodes for one drop, until the window ends', async () => {
      const { slug, address } = await lockedDrop();
      await fail(slug, 6);
      const networks = [address, from(), { 'x-forwarded-for': '2001:db8:1::1' }];
      for (const headers of [...networks, ...networks]) {
        for (const passcode of ['wrong', 'open-sesame'])
          expectTooMany(await service.unlock(slug, passcode, { headers }), 'rate_limited');
      }
      const other = await lockedDrop();
      await enter(other.slug, address);
      const refused = await service.unlock(slug, 'open-sesame', { headers: address });
      service.clock.advance(Number(refused.headers['retry-after']) * 1000 - 1000);
      expectTooMany(await service.unlock(slug, 'open-sesame', { headers: address }), 'rate_limited', 1);
      service.clock.advance(1000);
      await enter(slug, address);
    });

    it('hundreds of requests of one address do not lock out others', async () => {
      const { slug, address } = await lockedDrop();
      const form = { origin: service.url, 'content-type': 'application/x-www-form-urlencoded' };
      const unlock = (from: Record<string, string>) =>
        service.request('POST', `/p/${slug}`, { raw: 'passcode=open-sesame', headers: { ...form, ...from } });
      const flood = Array.from({ length: 260 }, () => unlock(address));
      const others = await Promise.all(
        ['2001:db8:1::1', '2001:db8:2::1', '2001:db8:3::1'].map((ip) => unlock({ 'x-forwarded-for': ip })),
      );
      expect(others.map(({ status }) => status)).to.deep.equal([303, 303, 303]);
      const statuses = (await Promise.all(flood)).map(({ status }) => status);
      const opened = statuses.filter((status) => status === 303);
      expect(opened.length).to.be.at.least(200);
      // No more wait than can be checked in time.
      expect(statuses.filter((status) => status === 503)).to.have.length(260 - opened.length);
    });

    it('an IPv6 /48 is allowed ten times as many as an address', async () => {
      const ipv6 = (subnet: number) => ({ 'x-forwarded-for': `2001:db8:48:${subnet}::1` });
      for (let n = 0; n < 50; n++) {
        const { slug } = await lockedDrop(1);
        await fail(slug, 1, () => ipv6(n % 25));
      }
      const { slug } = await lockedDrop(1);
      expectTooMany(await service.unlock(slug, 'open-sesame', { headers: ipv6(99) }), 'rate_limited');
      await enter(slug, { 'x-forwarded-for': '2001:db8:49::1' });
    });

    it('a limit does not lock out readers who have a cookie or a grant', async () => {
      const { slug, address } = await lockedDrop();
      const { cookie, frame } = await enter(slug, address);
      for (let n = 0; n < 3; n++) await service.unlock(slug, 'wrong', { headers: address });
      for (let n = 0; n < 4; n++) await service.unlock(slug, 'wrong', { headers: from() });
      expectTooMany(await service.unlock(slug, 'open-sesame', { headers: address }), 'rate_limited');
      const headers = { ...address, cookie };
      expect((await service.get(`/p/${slug}`, { headers })).text).to.include('TITLE-SECRET');
      expect((await service.get(`/p/${slug}/raw`, { headers })).text).to.include('HTML-SECRET');
      expect((await service.get(frame, { headers: address })).text).to.include('HTML-SECRET');
    });

    it('403 forbidden for a form of another origin, which does not count', async () => {
      const { slug, address } = await lockedDrop();
      const headers = { ...address, origin: 'https://evil.example' };
      await fail(slug, 10, () => headers);
      await enter(slug, address);
    });

    it('no cookie for a drop without a passcode; 404 not_found for an unknown slug', async () => {
      const { slug } = await service.newDrop();
      const form = { raw: 'passcode=abcd', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      const open = await service.request('POST', `/p/${slug}`, form);
      expect(open.status).to.be.below(500);
      expect(open.cookies).to.deep.equal([]);
      expectError(await service.request('POST', '/p/nosuchslug00', form), 404, 'not_found');
    });
  });

  it('by default 30 parallel right passcodes from one address open the page beside 9 wrong ones; of 30 wrong ones 10 are checked', async () => {
    const service = await startOwn();
    const statusesOf = async (slug: string, passcodes: readonly string[]) => {
      const answers = await Promise.all(passcodes.map((passcode) => service.unlock(slug, passcode)));
      return answers.map(({ status }) => status);
    };
    const owner = await service.newOwner();
    const right = Array(30).fill('open-sesame');
    const wrong = Array(30).fill('wrong');
    const drop = await owner.create({ passcode: 'open-sesame' });
    const mixed = await statusesOf(drop.slug, [...right, ...wrong.slice(21), ...right]);
    expect(mixed.filter((status) => status === 303)).to.have.length(60);
    expect(mixed.filter((status) => status === 403)).to.have.length(9);
    expect(await statusesOf(drop.slug, right)).to.deep.equal(right.map(() => 303));

    service.clock.advance(600_000);
    const guessed = await statusesOf(drop.slug, wrong);
    expect(guessed.filter((status) => status === 403)).to.have.length(10);
    expect(guessed.filter((status) => status === 429)).to.have.length(20);
  });

  it('on https the cookie is Secure and has the prefix __Secure-', async () => {
    const behind = await startOwn({ env: { BASE_URL: 'https://drops.example' } });
    const { slug } = await (await behind.newOwner()).create({ ...secrets, passcode: 'open-sesame' });
    const headers = { origin: 'https://drops.example' };
    const { unlocked, viewer, cookie } = await behind.enter(slug, 'open-sesame', { headers });
    expect(unlocked.cookies[0])
      .to.match(/^__Secure-dropleaf_pass=/)
      .and.match(/; HttpOnly; SameSite=Lax; Secure$/);
    expect(viewer.text).to.include('TITLE-SECRET');
    const bare = { cookie: cookie.replace('__Secure-', '') };
    expectNoLeak(await behind.get(`/p/${slug}`, { headers: bare }));
  });

  describe('an unlocked drop', () => {
    async function entered() {
      const drop = await lockedDrop();
      return { ...drop, ...(await enter(drop.slug, drop.address)) };
    }

    async function expectLocked(path: string, headers: Record<string, string> = {}): Promise<void> {
      expectError(await service.get(path, { headers }), 403, 'passcode_required');
    }

    const withQuery = (frame: string, changes: Record<string, string | null>) => {
      const url = new URL(frame, service.url);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
      return url.pathname + url.search;
    };

    it('the address of the frame has a grant that works without the cookie', async () => {
      const { slug, frame } = await entered();
      expect(frame).to.match(new RegExp(`^/p/${slug}/raw\\?`));
      const raw = await service.get(frame);
      expect(raw.status).to.equal(200);
      expect(raw.text).to.include('HTML-SECRET');
      expect(raw.headers['cache-control']).to.equal('private, no-store');
      expect(raw.headers['content-security-policy'])
        .to.match(/^sandbox /)
        .and.not.match(/allow-same-origin/);
    });

    it('the cookie opens /raw of every version, also a new one, and no other drop', async () => {
      const { owner, slug, cookie } = await entered();
      const other = await lockedDrop();
      await owner.put(slug, { html: '<p>third HTML-SECRET' });
      await expectLocked(`/p/${slug}/raw`);
      for (const query of ['', '?v=1', '?v=2', '?v=3']) {
        const raw = await service.get(`/p/${slug}/raw${query}`, { headers: { cookie } });
        expect([raw.status, raw.headers['cache-control']]).to.deep.equal([200, 'private, no-store']);
      }
      const missing = await service.get(`/p/${slug}/raw?v=99`, { headers: { cookie } });
      expectError(missing, 404, 'version_not_found');
      await expectLocked(`/p/${other.slug}/raw`, { cookie });
      expectNoLeak(await service.get(`/p/${other.slug}`, { headers: { cookie } }));
    });

    it('the cookie works after four others of its name, but not after 50', async () => {
      const { slug, cookie } = await entered();
      const [name = ''] = cookie.split('=', 1);
      const behind = (stale: number) => ({ cookie: `${`${name}=stale; `.repeat(stale)}${cookie}` });
      for (const stale of [1, 4]) {
        const headers = behind(stale);
        expect((await service.get(`/p/${slug}/raw`, { headers })).text).to.include('HTML-SECRET');
        expect((await service.get(`/p/${slug}`, { headers })).text).to.include('TITLE-SECRET');
      }
      await expectLocked(`/p/${slug}/raw`, behind(50));
    });

    it('a grant opens the raw page of its version, with any other parameters, and no other version or drop', async () => {
      const { owner, slug, frame } = await entered();
      const { slug: other } = await lockedDrop();
      const same = [frame, `${frame}&q=1`, withQuery(frame, { v: null }), withQuery(frame, { id: null })];
      for (const path of same) expect((await service.get(path)).status, path).to.equal(200);
      for (const v of ['1', '99', 'x']) await expectLocked(withQuery(frame, { v }));
      for (const path of [frame.replace(slug, other), frame.slice(0, -3)]) await expectLocked(path);
      await owner.put(slug, { html: '<p>third HTML-SECRET' });
      expect((await service.get(frame)).status).to.equal(200);
      for (const v of ['3', null]) await expectLocked(withQuery(frame, { v }));
    });

    it('a grant does not open a later version with the same number', async () => {
      const { owner, slug, frame } = await entered();
      await owner.request('DELETE', `/api/drops/${slug}/v/2`);
      await expectLocked(frame);
      await owner.put(slug, { html: '<p>another HTML-SECRET' });
      await expectLocked(frame);
    });

    it('the viewer page ignores a grant: it shows the passcode form, and no new grant', async () => {
      const { slug, frame } = await entered();
      const grant = new URL(frame, service.url).searchParams.get('g') ?? '';
      for (const query of [`?g=${grant}`, `?v=1&g=${grant}`, new URL(frame, service.url).search]) {
        const viewer = await service.get(`/p/${slug}${query}`);
        expect(viewer.status).to.equal(200);
        expect(parsePage(viewer.text).find('input', { type: 'password' })).to.not.equal(undefined);
        expectNoLeak(viewer);
        expectNoLeak(await service.request('HEAD', `/p/${slug}${query}`));
      }
    });

    it('a grant of an earlier release, without a version, opens nothing', async () => {
      const { frame } = await entered();
      const { sealer, clock } = service.services;
      const grant = new URL(frame, service.url).searchParams.get('g') ?? '';
      const { dropId, lockId } = Object(await sealer.open('grant', grant));
      const old = await sealer.seal('grant', { dropId, lockId }, clock.now() + 60_000);
      for (const v of ['2', '99']) await expectLocked(withQuery(frame, { g: old, v }));
    });

    it('cookie and grant end when the passcode is set, also to the same value, or removed and set again', async () => {
      for (const passcodes of [['another'], ['open-sesame'], ['', 'open-sesame']]) {
        const { owner, slug, address, cookie, frame } = await entered();
        for (const passcode of passcodes)
          await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode } });
        await expectLocked(frame);
        await expectLocked(`/p/${slug}/raw`, { cookie });
        expectNoLeak(await service.get(`/p/${slug}`, { headers: { cookie } }));
        await enter(slug, address, passcodes.at(-1));
      }
    });

    it('grant and cookie expire', async () => {
      const { slug, cookie, frame } = await entered();
      const headers = { cookie };
      service.clock.advance(service.config.GRANT_SECONDS * 1000 + 1000);
      await expectLocked(frame);
      expect((await service.get(`/p/${slug}`, { headers })).text).to.include('TITLE-SECRET');
      service.clock.advance(service.config.UNLOCK_SECONDS * 1000);
      expectNoLeak(await service.get(`/p/${slug}`, { headers }));
    });
  });
});
