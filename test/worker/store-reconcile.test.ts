import { expect } from 'chai';
import { sessionIdleMs } from '../../shared/credentials/session.ts';
import { isUnavailable, unavailable } from '../../shared/domain/errors.ts';
import { newId } from '../../shared/domain/ids.ts';
import { dayOf } from '../../shared/domain/time-windows.ts';
import { rendererVersion } from '../../shared/html/insertion.ts';
import { StoreReconcile } from '../../worker/jobs/store-reconcile.ts';
import type { WorkerDeps } from '../../worker/worker-deps.ts';
import { anIdempotencyRecord, aReport, aSession, aToken, at } from '../contract/records.ts';
import { countJobs } from '../support/jobs.ts';
import { rejectionOf } from '../support/rejection.ts';
import { ownerId, useScene } from './scene.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('The reconcile job', () => {
  const current = useScene();
  const reconcile = () => current().process.handlers['store.reconcile']({});
  const countWaiting = async () => (await countJobs(current().process.queue)).waiting;

  it('enqueues jobs for tasks that have been pending for more than a minute', async () => {
    const { scene } = current();
    await scene.publish(['render']);
    scene.clock.advance(minute);
    await reconcile();
    expect(await countWaiting()).to.equal(0);
    scene.clock.advance(1);
    await reconcile();
    expect(await countWaiting()).to.equal(1);
  });

  it('enqueues renders only for versions that are not rendered, or one to clear the task', async () => {
    const { scene, process } = current();
    const half = await scene.publish(['render']);
    await scene.addVersion(half.slug, ['render']);
    await process.handlers['version.render']({ dropId: half.id, versionId: half.versionId });
    const whole = await scene.publish(['render']);
    await process.handlers['version.render']({ dropId: whole.id, versionId: whole.versionId });
    await scene.stores.drops.changeDetails(at(whole.slug, ownerId), {}, scene.clock.now(), ['render']);
    scene.clock.advance(minute + 1);
    await reconcile();
    expect(await countWaiting()).to.equal(2);
    expect(await process.settle()).to.deep.equal([]);
    for (const { id } of [half, whole]) expect(await current().tasksOf(id)).to.deep.equal([]);
  });

  it('enqueues the removal of removed versions whose job was lost', async () => {
    const { scene, process } = current();
    const { id, slug } = await scene.publish([]);
    await scene.addVersion(slug, []);
    await scene.stores.drops.removeVersion(at(slug, ownerId), 1, scene.clock.now(), []);
    scene.clock.advance(minute + 1);
    await reconcile();
    expect(await process.settle()).to.deep.equal([]);
    expect((await scene.stores.pendingTasks.find(id))?.trash).to.deep.equal([]);
  });

  it('handles more drops than one page holds', async () => {
    await Promise.all(Array.from({ length: 1_100 }, () => current().scene.publish(['purge'])));
    current().scene.clock.advance(minute + 1);
    await reconcile();
    expect(await countWaiting()).to.equal(1_100);
  });

  it('runs every step whichever of them fail, and then fails with what failed', async () => {
    const { scene, process } = current();
    const called = new Set<string>();
    const failing = <T extends object>(port: T, name: string): T =>
      new Proxy(port, {
        get: (_, method) => async () => {
          called.add(`${name}.${String(method)}`);
          throw new Error(`${name} is broken`);
        },
      });
    const engine: WorkerDeps['engine'] = scene.stores;
    const stores = Object.entries(engine).map(([name, store]) => [name, failing(store, name)]);
    const reconcileBroken = new StoreReconcile({
      ...scene,
      engine: Object.fromEntries(stores) as typeof engine, // proof: every store is wrapped as what it is
      jobs: failing(process.queue, 'queue'),
      log: process.log,
      config: { REPORTS_KEEP_DAYS: 90, AUDIT_KEEP_DAYS: '400' },
    });
    const { message } = await rejectionOf(reconcileBroken.run());
    expect([...called].sort()).to.deep.equal([
      'accounts.listDeleted',
      'auditLog.removeBefore',
      'cards.listIds',
      'comments.listIds',
      'contexts.listIds',
      'html.listIds',
      'idempotency.removeCreatedBefore',
      'pendingTasks.listPending',
      'queue.listFailed',
      'renders.listIds',
      'reports.removeClosedBefore',
      'sessions.removeUsedBefore',
      'tokens.removeExpiredBefore',
      'uploads.removeExpiredBefore',
      'views.removeDaysBefore',
    ]);
    expect(message).to.include('failed jobs: queue is broken; pending tasks: pendingTasks is broken; ');
    expect(message).to.match(/; tokens: tokens is broken; .*; audit log: auditLog is broken$/);
  });

  it('continues its other work if the job queue is unavailable, and enqueues in its next run', async () => {
    const { scene, process } = current();
    const orphan = newId(scene.clock.now());
    await scene.stores.html.put(orphan, Buffer.from('orphan'));
    const { versionId } = await scene.publish(['render']);
    scene.clock.advance(hour + 1);
    let isDown = true;
    const jobs: WorkerDeps['jobs'] = {
      listFailed: (limit) => process.queue.listFailed(limit),
      async enqueue(...job) {
        if (isDown) throw unavailable('The job queue did not answer in time.');
        await process.queue.enqueue(...job);
      },
    };
    const { handlers } = scene.startProcess({ jobs });
    const failure = await rejectionOf(handlers['store.reconcile']({}));
    expect(isUnavailable(failure), 'which costs the job no attempt').to.equal(true);
    expect(await scene.stores.html.listIds('', 'g', 10)).to.deep.equal([versionId]);
    isDown = false;
    await handlers['store.reconcile']({});
    expect(await process.settle()).to.deep.equal([]);
    expect(await scene.stores.renders.findHead(versionId, rendererVersion)).to.not.equal(null);
  });

  it('enqueues failed jobs again, so that those go whose work is done or no longer needed', async () => {
    const { scene, process } = current();
    const rendered = await scene.publish([]);
    const removed = await scene.publish([]);
    for (const { id: dropId, versionId } of [rendered, removed]) {
      await scene.stores.html.delete([versionId]);
      await process.queue.enqueue('version.render', { dropId, versionId });
    }
    for (const seconds of [0, 1, 2, 4, 8]) {
      scene.clock.advance(seconds * 1_000);
      expect(await process.settle()).to.have.length(2);
    }
    expect(await process.queue.listFailed(10)).to.have.length(2);
    await scene.putArtefact(rendered.versionId, rendererVersion); // as a reader does
    await scene.stores.drops.remove(at(removed.slug, ownerId), scene.clock.now());
    await reconcile();
    expect(await process.queue.listFailed(10), 'until they succeed').to.have.length(2);
    expect(await process.settle()).to.deep.equal([]);
    expect(await process.queue.listFailed(10)).to.deep.equal([]);
  });

  it('does not enqueue a failed job of a schedule again', async () => {
    const { scene } = current();
    const failed = { id: '1', attempts: 1, error: 'Error', failedAt: scene.clock.now(), payload: {} };
    const enqueued: string[] = [];
    const { handlers } = scene.startProcess({
      jobs: {
        listFailed: async () => ['views.aggregate', 'version.squeeze'].map((name) => ({ ...failed, name })),
        enqueue: async (name) => void enqueued.push(name),
      },
    });
    await handlers['store.reconcile']({});
    expect(enqueued).to.deep.equal([]);
  });

  it('removes blobs that no record references from every store, if they are an hour old', async () => {
    const { html, contexts, renders } = current().scene.stores;
    const { scene } = current();
    const referenced: string[] = [];
    for (let i = 0; i < 3; i++) {
      referenced.push((await scene.publish([])).versionId);
      const orphans = Array.from({ length: 300 }, () => newId(scene.clock.now()));
      await Promise.all(orphans.map((id) => html.put(id, Buffer.from('orphan'))));
      scene.clock.advance(1);
    }
    const old = newId(scene.clock.now());
    scene.clock.advance(1);
    const young = newId(scene.clock.now());
    for (const id of [old, young]) {
      await html.put(id, Buffer.from('html'));
      await contexts.put(id, Buffer.from('context'));
      await scene.putArtefact(id, rendererVersion);
    }
    scene.clock.advance(hour);
    await reconcile();
    expect(await html.listIds('', 'g', 1_000)).to.have.members([...referenced, young]);
    expect(await contexts.listIds('', 'g', 1_000)).to.have.members([...referenced, young]);
    expect(await renders.listIds('', 'g', 10)).to.deep.equal([young]);
  });

  it('removes a card that was stored after its drop was removed', async () => {
    const { scene } = current();
    const { cards } = scene.stores;
    const { id } = await scene.publish([]);
    const orphan = newId(scene.clock.now());
    for (const dropId of [id, orphan]) await cards.put(dropId, { digest: 'x', png: Buffer.from('x') });
    scene.clock.advance(hour + 1);
    await reconcile();
    expect(await cards.listIds('', 'z', 10)).to.deep.equal([id]);
  });

  it('keeps the blobs of removed versions and deleted drops while a record references them', async () => {
    const { scene } = current();
    const versionIds: string[] = [];
    for (const isDeleted of [true, false]) {
      const { slug, versionId } = await scene.publish([]);
      versionIds.push(versionId, await scene.addVersion(slug, []));
      await scene.stores.drops.removeVersion(at(slug, ownerId), 2, scene.clock.now(), []);
      if (isDeleted) await scene.stores.drops.remove(at(slug, ownerId), scene.clock.now());
    }
    scene.clock.advance(30 * day);
    await reconcile();
    expect(await scene.listKept(versionIds)).to.have.members(versionIds);
  });

  it('removes days of views after two years, and entries of the audit log after AUDIT_KEEP_DAYS', async () => {
    const { clock, stores, publish } = current().scene;
    const now = clock.now();
    const { id } = await publish([]);
    const today = dayOf(now).id;
    await stores.views.add('writer', 1, [{ dropId: id, day: today, count: 3 }]);
    await stores.views.aggregate(now);
    const act = { by: 'root', act: 'suspend', target: 'a', reason: null } as const;
    await stores.auditLog.begin({ id: newId(now), at: now, ...act });

    /** What is there after a run at that age. */
    async function at(ms: number): Promise<[days: number, entries: number]> {
      clock.advance(now + ms - clock.now());
      await reconcile();
      return [(await stores.views.listDays(id)).size, (await stores.auditLog.list(null, 9)).length];
    }
    expect(await at(400 * day)).to.deep.equal([1, 1]);
    expect(await at(400 * day + 1)).to.deep.equal([1, 0]);
    expect(await at(731 * day)).to.deep.equal([1, 0]);
    expect(await at(732 * day)).to.deep.equal([0, 0]);
  });

  it('removes uploads and tokens that have expired, and sessions that were not used for 30 days, and no others', async () => {
    const { clock, stores } = current().scene;
    const now = clock.now();
    await stores.accounts.findOrCreate({ provider: 'local', subject: 's', name: 'S' }, 'account', now);
    const upload = { hash: 'a'.repeat(64), tokenHash: 'b'.repeat(64), request: '{}', expiresAt: now + day };
    const token = aToken({ createdAt: now, expiresAt: now + 2 * day });
    const endless = aToken({ createdAt: now, expiresAt: null });
    const session = aSession({ createdAt: now, lastUsedAt: now });
    await stores.uploads.insert(upload);
    for (const one of [token, endless]) await stores.tokens.insert(one);
    await stores.sessions.insert(session);

    /** What is there after a run at that age. */
    async function at(ms: number): Promise<string[]> {
      clock.advance(now + ms - clock.now());
      await reconcile();
      const found = {
        upload: await stores.uploads.find(upload.hash),
        token: await stores.tokens.find(token.id),
        endless: await stores.tokens.find(endless.id),
        session: await stores.sessions.findByHash(session.hash),
      };
      return Object.entries(found).flatMap(([name, one]) => (one === null ? [] : [name]));
    }
    expect(await at(day)).to.deep.equal(['upload', 'token', 'endless', 'session']);
    expect(await at(day + 1)).to.deep.equal(['token', 'endless', 'session']);
    expect(await at(2 * day)).to.deep.equal(['token', 'endless', 'session']);
    expect(await at(2 * day + 1)).to.deep.equal(['endless', 'session']);
    expect(await at(sessionIdleMs)).to.deep.equal(['endless', 'session']);
    expect(await at(sessionIdleMs + 1)).to.deep.equal(['endless']);
  });

  it('removes idempotency keys after a day, and reports REPORTS_KEEP_DAYS after they were closed, but no open ones', async () => {
    const { clock, stores } = current().scene;
    const now = clock.now();
    const key = anIdempotencyRecord({ createdAt: now, leasedUntil: now + minute });
    const closed = aReport({ createdAt: now });
    const open = aReport({ createdAt: now });
    await stores.idempotency.insert(key);
    for (const report of [closed, open]) await stores.reports.insert(report, 20, 100_000);
    await stores.reports.close(closed.id, now);

    /** What is there after a run at that age. */
    async function idsAt(ms: number): Promise<string[]> {
      clock.advance(now + ms - clock.now());
      await reconcile();
      const filter = { withClosed: true, slug: null, before: null, limit: 10 };
      const ids = (await stores.reports.list(filter)).map(({ id }) => id);
      const kept = await stores.idempotency.find(key.accountId, key.key);
      return kept === null ? ids : [...ids, kept.key];
    }
    expect(await idsAt(day)).to.have.members([closed.id, open.id, key.key]);
    expect(await idsAt(day + 1)).to.have.members([closed.id, open.id]);
    expect(await idsAt(90 * day)).to.have.members([closed.id, open.id]);
    expect(await idsAt(90 * day + 1)).to.deep.equal([open.id]);
  });
});

describe('The job drop.expire', () => {
  const current = useScene();

  it('removes every expired drop, more than one batch of them', async () => {
    const { scene, process } = current();
    const expiresAt = scene.clock.now() + minute;
    const publish = () => scene.publish([], undefined, expiresAt);
    const drops = await Promise.all(Array.from({ length: 250 }, publish));
    scene.clock.advance(minute);
    const kept = await scene.publish([]);
    await process.handlers['drop.expire']({});
    for (const { id } of drops)
      expect(await scene.stores.pendingTasks.find(id)).to.deep.include({ deleted: true });
    expect((await countJobs(process.queue)).waiting).to.equal(250);
    expect(await scene.stores.pendingTasks.find(kept.id)).to.deep.include({ deleted: false });
  });
});
