import { expect } from 'chai';
import { newId } from '../../shared/domain/ids.ts';
import type { Stores } from '../../shared/engines/engine.ts';
import { rendererVersion } from '../../shared/html/insertion.ts';
import type { JobName } from '../../shared/jobs/job-catalogue.ts';
import type { JobProducer } from '../../shared/jobs/job-queue.ts';
import { aComment, aSignIn, aToken, at } from '../contract/records.ts';
import type { TestClock } from '../support/clock.ts';
import { ownerId, type Stage } from './stage.ts';

const hour = 3_600_000;

/** The stores of any engine, with any worker. */
export type CaseScene = Stage & {
  readonly stores: Stores;
  readonly clock: TestClock;
  /** The tags that were purged. */
  readonly edge: { readonly purged: readonly string[]; readonly rounds: number };
};

/** A job: what it finds, and what must be true at all times and at the end. */
export interface JobCase {
  readonly job: JobName;
  readonly what: string;
  /** The least number of port calls of the job. */
  readonly steps: number;
  /** How often it enqueues itself again with a delay. */
  readonly repeats?: number;
  prepare(scene: CaseScene): Promise<Watch>;
}

export interface Watch {
  /** Unset: the job is periodic. */
  readonly enqueue?: (queue: JobProducer) => Promise<void>;
  readonly always?: () => Promise<void>;
  readonly atLast: () => Promise<void>;
}

const render: JobCase = {
  job: 'version.render',
  what: 'the page is there and nothing is pending',
  steps: 7,
  async prepare(scene) {
    const { id, versionId } = await scene.publish(['render']);
    const { renders, pendingTasks } = scene.stores;
    const isPending = async () => (await pendingTasks.find(id))?.pending.includes('render');
    const findHead = () => renders.findHead(versionId, rendererVersion);
    return {
      enqueue: (queue) => queue.enqueue('version.render', { dropId: id, versionId }),
      async always() {
        if (!(await isPending())) expect(await findHead(), 'not pending').to.not.equal(null);
      },
      async atLast() {
        const head = await findHead();
        for (const part of ['br', 'gzip', 'context'] as const) {
          expect(head && (await renders.findPart(versionId, head, part))?.length, part).to.be.above(0);
        }
        expect(await isPending()).to.equal(false);
      },
    };
  },
};

const resolve: JobCase = {
  job: 'version.render',
  what: 'what the version resolves is resolved once, and other threads know whether it has their quotes',
  steps: 12,
  async prepare(scene) {
    const { comments, pendingTasks } = scene.stores;
    const drop = await scene.publish([]);
    const versionId = newId(scene.clock.now());
    const author = aComment().author;
    const marked = await scene.comment(drop, drop.versionId, {
      resolving: [{ versionId, reply: 'Done', author }],
    });
    const quoting = (quote: string) =>
      scene.comment(drop, drop.versionId, {
        anchor: {
          quote,
          prefix: '',
          suffix: '',
          position: 0,
          sides: 'claimed',
          standing: null,
          context: null,
          changedTo: null,
        },
      });
    const others = [await quoting('o\nne'), await quoting('scripted'), await quoting('o')];
    await scene.addVersion(drop.slug, ['render'], versionId);
    return {
      enqueue: (queue) => queue.enqueue('version.render', { dropId: drop.id, versionId }),
      async always() {
        if ((await pendingTasks.find(drop.id))?.pending.includes('render')) return;
        expect((await comments.find(marked.id))?.state, 'not pending').to.equal('resolved');
      },
      async atLast() {
        const found = await comments.find(marked.id);
        expect(found).to.deep.include({ state: 'resolved', resolving: [] });
        expect(found?.resolvedBy).to.deep.equal({ versionId, version: 2 });
        expect(found?.replies.map(({ text }) => text)).to.deep.equal(['Done']);
        const now = await Promise.all(others.map(({ id }) => comments.find(id)));
        expect(now.map((thread) => thread?.inLatest)).to.deep.equal(['gone', 'unknown', 'kept']);
        expect(now.map((thread) => thread?.seq)).to.deep.equal(others.map(({ seq }) => seq));
      },
    };
  },
};

/** How often the drop was purged. */
function countPurges({ edge }: CaseScene, id: string): number {
  return edge.purged.filter((tag) => tag === `drop-${id}`).length;
}

const purge: JobCase = {
  job: 'edge.purge',
  what: 'the drop is purged in every round and no task is pending',
  steps: 6,
  repeats: 1,
  async prepare(scene) {
    const { id } = await scene.publish(['purge']);
    const isPending = async () => (await scene.stores.pendingTasks.find(id))?.pending.includes('purge');
    return {
      enqueue: (queue) => queue.enqueue('edge.purge', { dropId: id }),
      async always() {
        if (await isPending()) return;
        expect(countPurges(scene, id), 'not pending').to.be.at.least(scene.edge.rounds);
      },
      async atLast() {
        expect(countPurges(scene, id)).to.be.at.least(scene.edge.rounds);
        expect(await isPending()).to.equal(false);
      },
    };
  },
};

const removeDrop: JobCase = {
  job: 'drop.remove',
  what: 'nothing of a deleted drop is left, and it is purged in every round',
  steps: 11,
  repeats: 1,
  async prepare(scene) {
    const { id, slug, versionId } = await scene.publish([]);
    const { drops, pendingTasks, views } = scene.stores;
    const versionIds = [versionId, await scene.addVersion(slug, []), await scene.addVersion(slug, [])];
    for (const each of versionIds) await scene.comment({ id, slug }, each);
    await drops.removeVersion(at(slug, ownerId), 2, scene.clock.now(), []);
    await views.add('writer', 1, [{ dropId: id, day: '2026-01-31', count: 3 }]);
    await views.aggregate(1);
    await drops.remove(at(slug, ownerId), scene.clock.now());
    return {
      enqueue: (queue) => queue.enqueue('drop.remove', { dropId: id }),
      async always() {
        if ((await pendingTasks.find(id)) !== null) return;
        expect(await scene.listKept(versionIds), 'after the record').to.deep.equal([]);
        expect(await scene.listDays(id), 'after the record').to.deep.equal({});
        expect(countPurges(scene, id), 'after the record').to.be.at.least(scene.edge.rounds);
      },
      async atLast() {
        expect(await pendingTasks.find(id)).to.equal(null);
        expect(await scene.listKept(versionIds)).to.deep.equal([]);
        expect(await scene.listDays(id)).to.deep.equal({});
        expect(countPurges(scene, id)).to.be.at.least(scene.edge.rounds);
      },
    };
  },
};

const removeVersion: JobCase = {
  job: 'drop.remove',
  what: 'nothing of a removed version is left, and the others are complete',
  steps: 5,
  async prepare(scene) {
    const { id, slug, versionId } = await scene.publish([]);
    const trashed = await scene.addVersion(slug, []);
    for (const each of [versionId, trashed]) await scene.comment({ id, slug }, each);
    await scene.stores.drops.removeVersion(at(slug, ownerId), 2, scene.clock.now(), []);
    const hasTrash = async () => ((await scene.stores.pendingTasks.find(id))?.trash.length ?? 0) > 0;
    return {
      enqueue: (queue) => queue.enqueue('drop.remove', { dropId: id }),
      async always() {
        expect(await scene.listKept([versionId])).to.deep.equal([versionId]);
        if (!(await hasTrash())) expect(await scene.listKept([trashed]), 'no trash').to.deep.equal([]);
      },
      async atLast() {
        expect(await scene.listKept([versionId, trashed])).to.deep.equal([versionId]);
        expect(await hasTrash()).to.equal(false);
      },
    };
  },
};

const expireDrops: JobCase = {
  job: 'drop.expire',
  what: 'nothing of an expired drop is left, and the others are complete',
  steps: 3,
  async prepare(scene) {
    const { pendingTasks } = scene.stores;
    const now = scene.clock.now();
    const never = await scene.publish([]);
    const later = await scene.publish([], undefined, now + 2 * hour);
    const expired = await scene.publish([], undefined, now + hour);
    await scene.comment(expired, expired.versionId);
    scene.clock.advance(hour);
    const others = [never.versionId, later.versionId];
    return {
      async always() {
        expect(await scene.listKept(others)).to.have.members(others);
        if ((await pendingTasks.find(expired.id)) !== null) return;
        expect(await scene.listKept([expired.versionId]), 'after the record').to.deep.equal([]);
      },
      async atLast() {
        expect(await pendingTasks.find(expired.id)).to.equal(null);
        expect(await scene.listKept([expired.versionId])).to.deep.equal([]);
        expect(countPurges(scene, expired.id)).to.be.at.least(scene.edge.rounds);
        for (const { id } of [never, later])
          expect(await pendingTasks.find(id)).to.deep.include({ deleted: false });
      },
    };
  },
};

const removeAccount: JobCase = {
  job: 'account.remove',
  what: 'no drop and no token of the account is left',
  steps: 8,
  async prepare(scene) {
    const { accounts, tokens, pendingTasks } = scene.stores;
    const now = scene.clock.now();
    const accountId = newId(now);
    await accounts.findOrCreate({ provider: 'local', subject: accountId, name: 'ada' }, accountId, now);
    await tokens.insert(aToken({ accountId }));
    const publish = (owner: string) => scene.publish([], undefined, null, owner);
    const kept = await publish(ownerId);
    const drop = await publish(accountId);
    await accounts.markDeleted(accountId, now, ['hash']);
    return {
      enqueue: (queue) => queue.enqueue('account.remove', { accountId }),
      async always() {
        expect(await pendingTasks.find(kept.id)).to.deep.include({ deleted: false });
        if ((await accounts.findDeletedAt(accountId)) !== null) return;
        expect(await tokens.list(accountId, 9), 'erased').to.deep.equal([]);
      },
      async atLast() {
        expect(await pendingTasks.find(drop.id)).to.equal(null);
        expect(await scene.listKept([drop.versionId, kept.versionId])).to.deep.equal([kept.versionId]);
        expect(await tokens.list(accountId, 9)).to.deep.equal([]);
        expect(countPurges(scene, drop.id)).to.be.at.least(scene.edge.rounds);
      },
    };
  },
};

const expireSignIns: JobCase = {
  job: 'sign-in.expire',
  what: 'sign-ins past their time are expired, old ones are removed',
  steps: 2,
  async prepare(scene) {
    const { signIns } = scene.stores;
    const now = scene.clock.now();
    const over = newId(now);
    const old = newId(now);
    for (const [id, expiresAt] of [
      [over, now - 1],
      [old, now - 25 * hour],
    ] as const) {
      await signIns.insert(aSignIn({ id, label: null, createdAt: now, expiresAt }));
    }
    return {
      async atLast() {
        expect((await signIns.find(over))?.status).to.equal('expired');
        expect(await signIns.find(old)).to.equal(null);
      },
    };
  },
};

const refreshIdentities: JobCase = {
  job: 'identity.refresh',
  what: 'somebody who has left the allowed groups has no token and no session',
  steps: 5,
  async prepare(scene) {
    const { accounts, identities, tokens, sessions } = scene.stores;
    const now = scene.clock.now();
    const accountId = newId(now);
    const identity = { provider: 'oidc:https://login.example', subject: accountId, name: 'ada' };
    await accounts.findOrCreate(identity, accountId, now);
    const refreshToken = JSON.stringify({ refreshToken: 'first', state: 'unused' });
    const claims = { email: 'ada@example.org', groups: ['/staff'], refreshToken };
    await identities.claim({ ...identity, ...claims, accountId, checkedAt: now, createdAt: now });
    await tokens.insert(aToken({ accountId }));
    const session = {
      id: accountId.slice(-20),
      hash: `${accountId}${accountId}`,
      accountId,
      browser: 'Firefox',
    };
    await sessions.insert({ ...session, createdAt: now, lastUsedAt: now, provider: identity.provider });
    return {
      async always() {
        if ((await identities.find(identity))?.refreshToken !== null) return;
        expect(await tokens.list(accountId, 9), 'done').to.deep.equal([]);
      },
      async atLast() {
        expect(await identities.find(identity)).to.deep.include({ refreshToken: null, groups: ['/left'] });
        expect(await tokens.list(accountId, 9)).to.deep.equal([]);
        expect(await sessions.list(accountId, 9)).to.deep.equal([]);
      },
    };
  },
};

const aggregateViews: JobCase = {
  job: 'views.aggregate',
  what: 'every view is counted once, in its drop and its day',
  steps: 1, // on SQLite; with Redis and MongoDB there are more
  async prepare(scene) {
    const { drops, views } = scene.stores;
    const published = await Promise.all([scene.publish([]), scene.publish([])]);
    const counts = published.flatMap(({ id }, i) => [
      { dropId: id, day: '2026-01-30', count: 3 + i },
      { dropId: id, day: '2026-01-31', count: 10 },
    ]);
    await views.add(newId(scene.clock.now()), 1, counts);
    const viewsOf = async (slug: string) => (await drops.find(ownerId, slug))?.viewCount;
    return {
      async always() {
        for (const [i, { slug }] of published.entries()) expect(await viewsOf(slug)).to.be.oneOf([0, 13 + i]);
      },
      async atLast() {
        for (const [i, { id, slug }] of published.entries()) {
          expect(await viewsOf(slug)).to.equal(13 + i);
          expect(await scene.listDays(id)).to.deep.equal({ '2026-01-30': 3 + i, '2026-01-31': 10 });
        }
      },
    };
  },
};

const reconcile: JobCase = {
  job: 'store.reconcile',
  what: 'pending tasks are done, unreferenced blobs are gone, all else is there',
  steps: 16,
  async prepare(scene) {
    const { html, contexts, pendingTasks } = scene.stores;
    const orphan = newId(scene.clock.now());
    await html.put(orphan, Buffer.from('orphan'));
    await contexts.put(orphan, Buffer.from('why'));
    await scene.comment({ id: 'd1', slug: 'd1' }, orphan);
    const pending = await scene.publish(['render', 'purge']);
    const deleted = await scene.publish([]);
    await scene.comment(deleted, deleted.versionId);
    await scene.stores.drops.remove(at(deleted.slug, ownerId), scene.clock.now());
    scene.clock.advance(hour + 1);
    const young = newId(scene.clock.now());
    await html.put(young, Buffer.from('not yet referenced'));
    return {
      async always() {
        expect(await scene.listKept([pending.versionId, young])).to.deep.equal([pending.versionId, young]);
      },
      async atLast() {
        expect(await scene.listKept([orphan, pending.versionId, deleted.versionId])).to.deep.equal([
          pending.versionId,
        ]);
        expect((await pendingTasks.find(pending.id))?.pending).to.deep.equal([]);
        expect(scene.edge.purged).to.include(`drop-${pending.id}`);
        expect(await pendingTasks.find(deleted.id)).to.equal(null);
      },
    };
  },
};

/** A case or two for each job of the catalogue. */
export const jobCases: readonly JobCase[] = [
  render,
  resolve,
  purge,
  removeDrop,
  removeVersion,
  expireDrops,
  removeAccount,
  expireSignIns,
  refreshIdentities,
  aggregateViews,
  reconcile,
];
