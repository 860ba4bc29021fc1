import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { methodsOf } from '../../shared/util/methods.ts';
import { restrict } from '../support/access.ts';
import { countJobs } from '../support/jobs.ts';
import { type Owner, startService, type TestService } from '../support/service.ts';

/** A cache in front, as far as the hook goes: notes the tags, and can be slow or refuse. */
async function startEdge() {
  const tags: string[] = [];
  const state = { status: 204, hangs: false, waiting: 0 };
  const server: Server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => {
      body += chunk;
    });
    req.on('end', () => {
      tags.push(JSON.parse(body).tag);
      if (!state.hangs) return res.writeHead(state.status).end();
      state.waiting += 1;
      return res.on('close', () => {
        state.waiting -= 1;
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // proof: it listens on a port
  return { tags, state, server, url: `http://127.0.0.1:${port}/purge` };
}

function setPasscode(owner: Owner, slug: string, passcode: string) {
  return owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode } });
}

describe('The edge', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>;
  let service: TestService;
  beforeEach(async () => {
    edge = await startEdge();
    service = await startService({ env: { EDGE_PURGER: 'http', EDGE_PURGE_URL: edge.url } });
  });
  afterEach(async () => {
    edge.server.closeAllConnections();
    edge.server.close();
    await service.stop();
  });

  async function publicDrop() {
    const owner = await service.newOwner();
    const drop = await owner.create();
    await service.settle();
    const tag = (await service.get(`/p/${drop.slug}/raw`)).headers['cache-tag'];
    await passRounds();
    edge.tags.length = 0;
    return { owner, slug: drop.slug, tag };
  }

  /** Lets all repeats of purges pass. */
  async function passRounds(): Promise<void> {
    for (const seconds of [1, 4, 55]) {
      service.clock.advance(seconds * 1_000);
      await service.settle();
    }
  }

  it('is purged by a job after each visible change', async () => {
    const { owner, slug, tag } = await publicDrop();
    for (const change of [
      () => owner.put(slug, { html: 'new' }),
      () => owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'new' } }),
      () => owner.request('DELETE', `/api/drops/${slug}/v/1`),
    ]) {
      edge.tags.length = 0;
      expect((await change()).status).to.equal(200);
      await service.settle();
      expect(edge.tags).to.include(tag);
    }
  });

  for (const [what, change] of [
    ['a new version', (owner: Owner, slug: string) => owner.put(slug, { html: 'new' })],
    ['a lock', (owner: Owner, slug: string) => setPasscode(owner, slug, 'open-sesame')],
    ['a delete', (owner: Owner, slug: string) => owner.request('DELETE', `/api/drops/${slug}`)],
  ] as const) {
    it(`is purged again 1, 5 and 60 s after ${what}, and then no more`, async () => {
      const { owner, slug, tag } = await publicDrop();
      expect((await change(owner, slug)).status).to.be.oneOf([200, 204]);
      await service.settle();
      for (const seconds of [1, 4, 55]) {
        service.clock.advance(seconds * 1_000 - 1);
        edge.tags.length = 0;
        await service.settle();
        expect(edge.tags, `before ${seconds} s more`).to.deep.equal([]);
        service.clock.advance(1);
        await service.settle();
        expect(edge.tags, `after ${seconds} s more`).to.deep.equal([tag]);
      }
      edge.tags.length = 0;
      service.clock.advance(3_600_000);
      await service.settle();
      await passRounds();
      expect(edge.tags).to.deep.equal([]);
    });
  }

  it('that answers 429 is purged after the time it asks for', async () => {
    const { owner, slug, tag } = await publicDrop();
    edge.state.status = 429; // with no time named: 10 s
    expect((await owner.put(slug, { html: 'new' })).status).to.equal(200);
    await service.settle();
    edge.state.status = 204;
    edge.tags.length = 0;
    service.clock.advance(9_000);
    await service.settle();
    expect(edge.tags).to.deep.equal([]);
    service.clock.advance(1_000);
    await service.settle();
    expect(edge.tags).to.deep.equal([tag]);
  });

  it('is purged before a lock or a delete is answered', async () => {
    const { owner, slug, tag } = await publicDrop();
    await setPasscode(owner, slug, 'open-sesame');
    expect(edge.tags).to.include(tag);
    edge.tags.length = 0;
    await owner.request('DELETE', `/api/drops/${slug}`);
    expect(edge.tags).to.include(tag);
  });

  it('is purged before narrower access is answered, and 1, 5 and 60 s later; no answer has its tag any more', async () => {
    const { owner, slug, tag } = await publicDrop();
    await restrict(service, owner, slug, { access: 'members' });
    expect(edge.tags).to.include(tag);
    await service.settle();
    for (const seconds of [1, 4, 55]) {
      edge.tags.length = 0;
      service.clock.advance(seconds * 1_000);
      await service.settle();
      expect(edge.tags, `after ${seconds} s more`).to.deep.equal([tag]);
    }
    const { token } = owner;
    const { status, headers } = await service.get(`/p/${slug}/raw`, { token });
    expect(status).to.equal(200);
    expect(headers)
      .to.include({ 'cache-control': 'private, no-store' })
      .and.not.have.any.keys('cache-tag', 'etag');
  });

  it('is purged before a new version is answered that narrows access', async () => {
    const { owner, slug, tag } = await publicDrop();
    const caller = await service.services.tokens.authenticate(`Bearer ${owner.token}`);
    const document = { html: Buffer.from('<p>new'), context: null };
    await service.services.drops.addVersion(caller, { slug, revs: null }, { ...document, access: 'members' });
    expect(edge.tags).to.include(tag);
  });

  it('an answer waits for a second at most, and the job purges later', async () => {
    const { owner, slug, tag } = await publicDrop();
    edge.state.hangs = true;
    const locked = await setPasscode(owner, slug, 'sesame');
    expect(locked.status).to.equal(200);
    expect(edge.state.waiting, 'purges without an answer, given up later').to.be.at.least(1);
    edge.state.hangs = false;
    edge.tags.length = 0;
    edge.server.closeAllConnections(); // the job that was hanging fails, and is due again after its backoff
    await service.settle().catch((error: unknown) => expect(String(error)).to.match(/cannot be reached/));
    service.clock.advance(60_000);
    await service.settle();
    expect(edge.tags).to.include(tag);
  });

  it('that fails does not fail the write; the job retries after its backoff', async () => {
    const { owner, slug, tag } = await publicDrop();
    edge.state.status = 500;
    expect((await owner.put(slug, { html: 'new' })).status).to.equal(200);
    await service.settle().catch((error: unknown) => expect(String(error)).to.match(/purge/));
    edge.state.status = 204;
    edge.tags.length = 0;
    service.clock.advance(60_000);
    await service.settle();
    expect(edge.tags).to.include(tag);
  });
});

describe('Without an edge', () => {
  it('no purge is pending or queued', async () => {
    const enqueued: string[] = [];
    const service = await startService({
      adaptEngine: (engine) => ({ ...engine, jobs: recordNames(engine.jobs, enqueued) }),
    });
    const { owner, slug } = await service.newDrop();
    for (const answer of [
      await setPasscode(owner, slug, 'sesame'),
      await owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'new' } }),
      await owner.request('DELETE', `/api/drops/${slug}`),
    ]) {
      expect(answer.status).to.be.oneOf([200, 204]);
    }
    await service.settle();
    expect(enqueued).to.include('drop.remove').and.not.include('edge.purge');
    expect((await countJobs(service.services.jobs)).waiting, 'its removal needs no second run').to.equal(0);
    await service.stop();
  });
});

type Jobs = TestService['services']['jobs'];

/** @param names receives the name of each job that is enqueued */
function recordNames(jobs: Jobs, names: string[]): Jobs {
  const enqueue: Jobs['enqueue'] = (name, ...rest) => {
    names.push(name);
    return jobs.enqueue(name, ...rest);
  };
  return { ...methodsOf(jobs), enqueue };
}
