import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { type SeenByEdge, useEdgeDoubles } from '../support/edge-double.ts';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { countJobs } from '../support/jobs.ts';
import { startService, type TestService, useServiceOfEach } from '../support/service.ts';
import { until } from '../support/until.ts';

const operator = { by: 'root', reason: 'phishing' };

function takeDown({ services }: TestService, slug: string) {
  return services.moderation.takeDown(slug, operator);
}

describe('A page that was taken down, while the database is down or slow', () => {
  const gate = createGate();
  afterEach(() => gate.open());
  const service = useServiceOfEach({}, ({ pageChanges, ...own }) => ({
    ...own,
    drops: gate.wrap(own.drops),
    pageChanges: { ...methodsOf(pageChanges), isCurrent: () => false }, // the last read is too long ago
  }));

  async function pageInMemory(): Promise<string> {
    const { slug } = await (await service.newOwner()).create();
    expect((await service.get(`/p/${slug}/raw`)).status).to.equal(200);
    return slug;
  }

  /** As another process does it: this one does not hear of it. */
  async function takeDownElsewhere(slug: string): Promise<void> {
    const takedown = { at: service.clock.now(), reason: 'phishing' };
    expect(await service.services.engine.moderation.takeDown(slug, takedown, [])).to.not.equal(null);
  }

  const breakDatabase = () => gate.refuse(unavailable('The database is down.', 1, { isDown: true }));

  it('503 in the process that took it down, not the page from memory', async () => {
    const slug = await pageInMemory();
    await takeDown(service, slug);
    breakDatabase();
    expectError(await service.get(`/p/${slug}/raw`), 503, 'unavailable');
  });

  it('410 in a process where nothing was changed, for a request that waits for a slow read of the database', async () => {
    const slug = await pageInMemory();
    gate.hold();
    const shown = service.get(`/p/${slug}/raw`);
    await until(() => gate.waiting() > 0, 'the read waits');
    await takeDownElsewhere(slug);
    await pause(150); // real time: a read that is late is not given up
    gate.open();
    expectError(await shown, 410, 'forbidden');
  });

  it('a process that has not read the takedown may serve the page from memory for 60 s after its last read; one that has answers 503', async () => {
    const heard = await pageInMemory();
    const unheard = await pageInMemory();
    for (const slug of [heard, unheard]) await takeDownElsewhere(slug);
    expectError(await service.get(`/p/${heard}/raw`), 410, 'forbidden');
    breakDatabase();
    expectError(await service.get(`/p/${heard}/raw`), 503, 'unavailable');
    const shown = await service.get(`/p/${unheard}/raw`);
    expect(shown.status).to.equal(200);
    expect(shown.headers['cache-control']).to.match(/s-maxage=[0-5]$/);
    service.clock.advance(60_001);
    expectError(await service.get(`/p/${unheard}/raw`), 503, 'unavailable');
    gate.open();
    expectError(await service.get(`/p/${unheard}/raw`), 410, 'forbidden');
  });
});

describe('takedown and restore, with an edge', () => {
  const edges = useEdgeDoubles();
  let service: TestService;
  afterEach(() => service.stop());

  async function startBehindEdge(status = 204) {
    const edge = await edges.listen((_, response) => response.writeHead(status).end());
    service = await startService({ env: { EDGE_PURGER: 'http', EDGE_PURGE_URL: edge.url } });
    const { slug } = await (await service.newOwner()).create();
    await service.settle();
    const tag = (await service.get(`/p/${slug}/raw`)).headers['cache-tag'];
    let before = 0;
    return {
      slug,
      /** How often since it was last asked. */
      purges() {
        const all = edge.seen.filter((purge: SeenByEdge) => JSON.parse(purge.body).tag === tag).length;
        const since = all - before;
        before = all;
        return since;
      },
    };
  }

  for (const act of ['takedown', 'restore'] as const) {
    it(`${act}: the edge purges the page before the call returns, and again after 1, 5 and 60 s`, async () => {
      const { slug, purges } = await startBehindEdge();
      if (act === 'restore') {
        await takeDown(service, slug);
        await passRounds(service);
      }
      purges();
      const { moderation } = service.services;
      const { edge } = await (act === 'restore'
        ? moderation.restore(slug, operator)
        : takeDown(service, slug));
      expect(edge).to.equal('purged');
      await service.settle();
      expect(purges(), 'the act itself, and the job').to.equal(2);
      for (const seconds of [1, 4, 55]) {
        service.clock.advance(seconds * 1_000);
        await service.settle();
        expect(purges(), `after ${seconds} s more`).to.equal(1);
      }
      service.clock.advance(3_600_000);
      await service.settle();
      expect(purges(), 'later').to.equal(0);
    });
  }

  it('if the edge refuses the purge, result and audit log say so, and the page is 410 anyway', async () => {
    const { slug } = await startBehindEdge(500);
    expect((await takeDown(service, slug)).edge).to.equal('not confirmed');
    expectError(await service.get(`/p/${slug}/raw`), 410, 'forbidden');
    const [entry] = await service.services.audit.list(null, 1);
    expect(entry?.outcome).to.equal('done; the edge did not confirm');
  });

  it('a process without EDGE_PURGER leaves the purge pending; the worker removes the task if it has no edge either', async () => {
    const asked: string[] = [];
    let engine: Engine | undefined;
    service = await startService({
      adaptEngine(own) {
        engine = own;
        const jobs: Engine['jobs'] = {
          ...methodsOf(own.jobs),
          enqueue(...job: Parameters<typeof own.jobs.enqueue>) {
            asked.push(job[0]);
            return own.jobs.enqueue(...job);
          },
        };
        return { ...own, jobs };
      },
    });
    const { slug } = await (await service.newOwner()).create();
    await service.settle();
    asked.length = 0;
    const { edge, drop } = await takeDown(service, slug);
    expect(edge).to.equal('no edge');
    expect(asked).to.deep.equal(['edge.purge']);
    await passRounds(service);
    expect((await engine?.pendingTasks.find(drop.id))?.pending).to.deep.equal([]);
    expect((await countJobs(service.services.jobs)).waiting).to.equal(0);
  });
});

async function passRounds(service: TestService): Promise<void> {
  await service.settle();
  for (const seconds of [1, 4, 55]) {
    service.clock.advance(seconds * 1_000);
    await service.settle();
  }
}
