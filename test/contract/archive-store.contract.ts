import { expect } from 'chai';
import {
  type ArchivedDrop,
  type ArchiveKind,
  type ArchiveRecord,
  archiveKinds,
} from '../../shared/archives/archive.ts';
import { readStore } from '../../shared/archives/export.ts';
import { importArchive } from '../../shared/archives/import.ts';
import { newId } from '../../shared/domain/ids.ts';
import { accessLock } from '../../shared/drops/access.ts';
import type { NewDrop } from '../../shared/drops/drop.ts';
import type { DropQuery } from '../../shared/drops/drop-query.ts';
import { exportEntries, openBytes, packEntries } from '../support/archives.ts';
import { lazily } from '../support/between.ts';
import { rejectionOf } from '../support/rejection.ts';
import {
  aComment,
  aDrop,
  anAccessRequest,
  anIdempotencyRecord,
  aReport,
  aToken,
  at,
  aVersion,
  insertComment,
  later,
  ownedVersion,
  start,
  stored,
} from './records.ts';
import { type OpenStores, type Stores, useStores } from './stores.ts';

const begun = { archiveId: 'a1', begunAt: start };
const day = '2026-01-31';
const passcodeHash = '$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA';
const identity = {
  provider: 'oidc:https://login.example',
  subject: 'ann-1',
  name: 'Ann',
  email: 'ann@example.org',
  groups: ['/staff', '$all'],
  checkedAt: later,
  createdAt: start,
};
const firstPage: DropQuery = { page: 1, pageSize: 10, sortBy: 'created_at', sortOrder: 'desc', metadata: [] };

/** Everything that the stores have, read as an export does. @param onRead is called after each batch */
async function readAll(stores: Stores, onRead = async (_: ArchiveKind): Promise<void> => undefined) {
  const none = Object.fromEntries(archiveKinds.map((kind) => [kind, []]));
  const read = none as unknown as { [K in ArchiveKind]: ArchiveRecord<K>[] }; // proof: the loop adds records of the kind
  for await (const part of readStore(stores, () => false)) {
    if (part.type !== 'records') continue;
    const all: ArchiveRecord[] = read[part.kind];
    all.push(...part.records);
    await onRead(part.kind);
  }
  return read;
}

/** An archive of the first stores is imported into the others. */
async function copy(from: Stores, to: Stores): Promise<void> {
  const { entries } = await exportEntries(from);
  const { parts } = await openBytes(await packEntries(entries));
  await importArchive(to, parts);
}

async function makeAccount({ accounts }: Stores, name: string): Promise<string> {
  const id = newId(start);
  await accounts.findOrCreate({ provider: 'local', subject: name, name }, id, start);
  return id;
}

async function makeDrop({ drops }: Stores, changes: Partial<NewDrop> = {}): Promise<NewDrop> {
  const drop = aDrop(changes);
  expect(await drops.create(drop, 500, ['render', 'purge'])).to.have.property('id', drop.id);
  return drop;
}

/** A record as an archive holds it, for stores that are filled without the service. */
function anArchivedDrop(changes: Partial<ArchivedDrop> = {}): ArchivedDrop {
  const { version, metadata: _, ...drop } = aDrop({ ownerId: newId(start) });
  return {
    ...drop,
    metadata: [],
    versions: [ownedVersion(version, 1)],
    days: [],
    viewCount: 0,
    createdAt: start,
    updatedAt: start,
    rev: 1,
    takedown: null,
    ...changes,
  };
}

/** What any engine must do for ArchiveStore. */
export function describeArchiveStoreContract(engine: string, openStores: OpenStores): void {
  describe(`ArchiveStore (${engine})`, () => {
    const stores = useStores(openStores);
    const archive = lazily(() => stores().archive);
    const others = useStores(openStores);

    /** An account with one of everything, and a drop that went through every change. */
    async function fill() {
      const {
        accounts,
        identities,
        tokens,
        drops,
        moderation,
        idempotency,
        accessRequests,
        reports,
        comments,
        secrets,
        auditLog,
        views,
      } = stores();
      const ownerId = await makeAccount(stores(), 'ann');
      await accounts.setSuspended(ownerId, later);
      await accounts.noteCommentsSeen(ownerId, start + 7);
      await accounts.setDefaultAccess(ownerId, 'members');
      for (const name of ['signing-secret', 'sign-in-key'] as const)
        await secrets.findOrCreate(name, `a-${name}`);
      for (const each of [identity, { ...identity, subject: '$b', email: null, groups: [] }])
        await identities.claim({ ...each, accountId: ownerId, refreshToken: 'sealed' });
      const token = aToken({ accountId: ownerId, label: 'laptop', expiresAt: later });
      await tokens.insert(token);
      await tokens.touch(token.id, later, later);

      const drop = await makeDrop(stores(), {
        ownerId,
        version: aVersion({ quota: { accountId: ownerId, day, limit: 5 } }),
        description: 'A description',
        metadata: new Map([
          ['b', 'x=y'],
          ['__proto__', ''],
          ['7', 'seven'],
        ]),
      });
      const second = aVersion({ publishedBy: null, sha256: null });
      const third = aVersion({ createdAt: later, context: Buffer.from('why') });
      const slug = at(drop.slug, ownerId);
      await drops.addVersion(slug, second, {}, 5, []);
      await drops.addVersion(slug, third, { expiresAt: later + 1 }, 5, []);
      await drops.removeVersion(slug, 2, later, []);
      await drops.setLock(slug, { id: newId(later), hash: passcodeHash }, later, []);
      await moderation.takeDown(drop.slug, { at: later, reason: 'Phishing' }, []);
      await views.add('w', 1, [
        { dropId: drop.id, day, count: 3 },
        { dropId: drop.id, day: '2026-02-01', count: 4 },
      ]);
      await views.aggregate(start);

      const asked = anAccessRequest({ dropId: drop.id, slug: drop.slug, ownerId, accountId: newId(start) });
      const declined = { ...asked, accountId: newId(later) };
      for (const request of [asked, declined]) await accessRequests.insert(request, 5);
      await accessRequests.decline(declined, later);
      const open = aReport({ id: 'aReport000000000', dropId: drop.id });
      const closed = aReport({ id: 'Report0000000000', dropId: drop.id, contact: null });
      for (const report of [open, closed]) await reports.insert(report, 5, 100_000);
      await reports.close(closed.id, later);
      const comment = aComment({ ownerId, dropId: drop.id, versionId: third.id });
      const { seq } = await insertComment(comments, comment);
      const key = anIdempotencyRecord({ accountId: ownerId, key: 'a'.repeat(64), hash: 'b'.repeat(64) });
      await idempotency.insert({ ...key, isDone: true });
      const act = { at: start, by: 'root', act: 'find', target: 'ann', reason: null } as const;
      const done = newId(start);
      const interrupted = newId(later);
      for (const id of [done, interrupted]) await auditLog.begin({ id, ...act });
      await auditLog.end(done, 'found', later);
      return {
        ownerId,
        token,
        drop,
        third,
        comment: { ...comment, seq },
        asked,
        declined,
        open,
        closed,
        key,
        act,
        done,
        interrupted,
      };
    }

    it('is empty at first, and remembers an unfinished import', async () => {
      const { secrets } = stores();
      await secrets.findOrCreate('signing-secret', 'made at the first start');
      expect(await archive.countRecords()).to.deep.equal({});
      expect(await archive.findUnfinishedImport()).to.equal(null);
      await archive.beginImport(begun);
      await archive.beginImport({ archiveId: 'a2', begunAt: later });
      expect(await archive.findUnfinishedImport()).to.deep.equal(begun);
      await archive.endImport();
      await archive.endImport();
      expect(await archive.findUnfinishedImport()).to.equal(null);
    });

    it('while an import is unfinished, no blob counts as one that no record names', async () => {
      const { pendingTasks } = stores();
      const id = newId(start);
      await archive.writeBlobs('html', [{ id, bytes: Buffer.from('<p>') }]);
      await archive.beginImport(begun);
      expect([...(await pendingTasks.findReferenced([id]))]).to.deep.equal([id]);
      await archive.endImport();
      expect((await pendingTasks.findReferenced([id])).size).to.equal(0);
    });

    it('reads everything that must last, as plain records', async () => {
      const filled = await fill();
      const { ownerId, token, drop, third, comment, asked, declined } = filled;
      const { open, closed, key, act, done, interrupted } = filled;
      const read = await readAll(stores());
      expect(read).to.deep.equal({
        secrets: [
          { name: 'sign-in-key', value: 'a-sign-in-key' },
          { name: 'signing-secret', value: 'a-signing-secret' },
        ],
        accounts: [
          {
            id: ownerId,
            identity: { provider: 'local', subject: 'ann', name: 'ann' },
            createdAt: start,
            suspendedAt: later,
            commentsSeen: start + 7,
            defaultAccess: 'members',
            dayWrites: { day, count: 1 },
          },
        ],
        identities: [
          { ...identity, subject: '$b', accountId: ownerId, email: null, groups: [] },
          { ...identity, accountId: ownerId },
        ],
        tokens: [{ ...token, lastUsedAt: later }],
        'idempotency-keys': [
          {
            accountId: ownerId,
            key: key.key,
            hash: key.hash,
            dropId: key.dropId,
            slug: key.slug,
            versionId: key.versionId,
            createdAt: start,
          },
        ],
        drops: [
          {
            id: drop.id,
            ownerId,
            slug: drop.slug,
            title: 'A title',
            description: 'A description',
            metadata: [
              ['b', 'x=y'],
              ['__proto__', ''],
              ['7', 'seven'],
            ],
            lock: { id: read.drops[0]?.lock?.id, hash: passcodeHash },
            versions: [ownedVersion(drop.version, 1), ownedVersion(third, 3)],
            viewCount: 7,
            days: [
              [day, 3],
              ['2026-02-01', 4],
            ],
            createdAt: start,
            updatedAt: later,
            rev: 6,
            takedown: { at: later, reason: 'Phishing' },
            expiresAt: later + 1,
            comments: 'owner',
            access: 'link',
            people: null,
          },
        ],
        comments: [comment],
        'access-requests': [
          { ...asked, declinedAt: null },
          { ...declined, declinedAt: later },
        ],
        reports: [
          { ...closed, closedAt: later },
          { ...open, closedAt: null },
        ],
        'audit-log': [
          { id: done, ...act, outcome: 'found', endedAt: later },
          { id: interrupted, ...act, outcome: null, endedAt: null },
        ],
      });
      const kinds = {
        accounts: 1,
        identities: 2,
        tokens: 1,
        'idempotency-keys': 1,
        drops: 1,
        comments: 1,
        'access-requests': 2,
        reports: 2,
        'audit-log': 2,
      };
      expect(await stores().archive.countRecords()).to.deep.equal(kinds);
    });

    it('leaves out what is gone for everybody, and what expires soon', async () => {
      const { accounts, tokens, drops, idempotency, clock } = stores();
      const ownerId = await makeAccount(stores(), 'ann');
      const goneId = await makeAccount(stores(), 'bob');
      const kept = await makeDrop(stores(), { ownerId });
      await makeDrop(stores(), { ownerId, expiresAt: later });
      const removed = await makeDrop(stores(), { ownerId });
      await drops.remove(at(removed.slug, ownerId), later);
      await idempotency.insert(anIdempotencyRecord({ accountId: ownerId }));
      await makeDrop(stores(), { ownerId: goneId });
      await tokens.insert(aToken({ accountId: goneId }));
      await accounts.markDeleted(goneId, later, ['hash']);
      clock.set(later);
      await stores().identities.claim({ ...identity, accountId: goneId, refreshToken: null });
      const read = await readAll(stores());
      expect(read.accounts.map(({ id }) => id)).to.deep.equal([ownerId]);
      expect(read.identities).to.deep.equal([]);
      expect(read.drops.map(({ id }) => id)).to.deep.equal([kept.id]);
      expect(read.tokens).to.deep.equal([]);
      expect(read['idempotency-keys']).to.deep.equal([]);
    });

    it('writes records that are read again as they were; a repeat changes nothing', async () => {
      await fill();
      await makeDrop(stores(), { ownerId: await makeAccount(stores(), 'bob') });
      await others().secrets.findOrCreate('signing-secret', 'made at the first start');
      const read = await readAll(stores());
      await copy(stores(), others());
      expect(await readAll(others())).to.deep.equal(read);
      await copy(stores(), others());
      expect(await readAll(others())).to.deep.equal(read);
      expect(await others().secrets.findOrCreate('signing-secret', 'x')).to.equal('a-signing-secret');
    });

    it('a restricted drop that an earlier release has exported without its access stays closed', async () => {
      const drop = {
        ...anArchivedDrop({ ownerId: 'owner', days: [] }),
        lock: accessLock,
        access: 'link' as const,
      };
      await archive.write('drops', [drop]);
      expect(await stores().drops.findPage(drop.slug, null)).to.include({ access: 'named', lock: null });
      const found = await stores().drops.find('owner', drop.slug);
      expect(found).to.include({ access: 'named', people: null, locked: false });
    });

    it('resumes after an interruption, whichever records of a batch are there', async () => {
      const drops = Array.from({ length: 5 }, () => anArchivedDrop({ ownerId: 'owner', days: [[day, 2]] }));
      const reports = Array.from({ length: 5 }, () => ({ ...aReport(), closedAt: null }));
      await archive.write('drops', drops.slice(1, 3));
      await archive.write('drops', drops);
      await archive.write('reports', reports.slice(2));
      await archive.write('reports', reports);
      expect(await archive.countRecords()).to.deep.equal({ drops: 5, reports: 5 });
      expect(await stores().drops.count('owner')).to.equal(5);
      for (const { id } of drops) expect([...(await stores().views.listDays(id))]).to.deep.equal([[day, 2]]);
    });

    it('an imported account, its token, its limits and its keys work as before', async () => {
      const { ownerId, token, key } = await fill();
      await copy(stores(), others());
      const { accounts, tokens, idempotency } = others();
      expect(await tokens.findByHash(token.hash)).to.deep.equal({
        credential: { ...token, lastUsedAt: later },
        account: {
          name: 'ann',
          isSuspended: true,
          countsAs: ownerId,
          commentsSeen: start + 7,
          defaultAccess: 'members',
        },
      });
      expect(await accounts.setSuspended(ownerId, null)).to.have.property('suspendedAt', null);
      expect(await tokens.findByHash(token.hash)).to.have.nested.property('account.isSuspended', false);
      expect(await accounts.countDailyWrites(ownerId, day)).to.equal(1);
      const version = aVersion({ quota: { accountId: ownerId, day, limit: 1 } });
      expect(await others().drops.create(aDrop({ ownerId, version }), 500, [])).to.equal('day_full');
      expect(await others().identities.find(identity)).to.include({ accountId: ownerId, refreshToken: null });
      const own = { provider: 'local', subject: 'ann', name: 'Ann' };
      expect(await accounts.findOrCreate(own, newId(later), later)).to.have.property('id', ownerId);
      expect(await idempotency.insert({ ...key, lease: 'another' })).to.equal(false);
      const found = await idempotency.find(ownerId, key.key);
      expect(found).to.include({ isDone: true, versionId: key.versionId });
      expect(await accounts.markDeleted(ownerId, later, ['hash'])).to.equal(true);
    });

    it('a comment whose drop is gone is imported, and stays until no record names its version', async () => {
      const from = stores();
      const to = others();
      const ownerId = await makeAccount(from, 'ann');
      const drop = await makeDrop(from, { ownerId });
      for (const versionId of [drop.version.id, newId(start)])
        await insertComment(from.comments, aComment({ ownerId, dropId: drop.id, versionId }));
      await copy(from, to);
      const { comments } = await readAll(to);
      expect(comments).to.deep.equal((await readAll(from)).comments);
      const ids = await to.comments.listIds('', 'z', 10);
      expect(ids).to.have.length(2);
      expect([...(await to.pendingTasks.findReferenced(ids))]).to.deep.equal([drop.version.id]);
      const added = await insertComment(to.comments, aComment({ ownerId, dropId: 'd2' }));
      expect(added.seq, 'numbers continue').to.be.above(Math.max(...comments.map(({ seq }) => seq)));
    });

    it('an imported drop works as before: takedown, lock, expiry, versions, lists, views', async () => {
      const { ownerId, drop, third } = await fill();
      await copy(stores(), others());
      const { drops, moderation, views, html, contexts, pendingTasks, clock } = others();
      const target = at(drop.slug, ownerId);
      expect(await drops.changeDetails(target, { title: 'x' }, later, [])).to.include({ reason: 'Phishing' });
      await moderation.restore(drop.slug, later, []);

      const page = await drops.findPage(drop.slug, null);
      expect(page).to.deep.include({ isTakenDown: false, latestVersion: 3, version: stored(third, 3) });
      expect(page?.lock?.hash).to.equal(passcodeHash);
      expect((await drops.findPage(drop.slug, 1))?.version?.id).to.equal(drop.version.id);
      expect((await drops.findPage(drop.slug, 2))?.version).to.equal(null);
      expect(await html.get(third.id)).to.deep.equal(new Uint8Array(third.html));
      expect(Buffer.from((await contexts.get(third.id)) ?? '').toString()).to.equal('why');

      const pairs = [['b', 'x=y']] as const;
      for (const query of [
        firstPage,
        { ...firstPage, metadata: pairs },
        { ...firstPage, search: 'descr' },
        { ...firstPage, metadata: pairs, search: 'TITLE' },
      ]) {
        const { drops: found, total } = await drops.list(ownerId, query);
        expect([total, found[0]?.id, found[0]?.viewCount]).to.deep.equal([1, drop.id, 7]);
      }
      expect((await drops.list(ownerId, { ...firstPage, metadata: [['b', 'z']] })).total).to.equal(0);

      await views.add('another process', 1, [{ dropId: drop.id, day, count: 10 }]);
      await views.aggregate(later);
      expect(Object.fromEntries(await views.listDays(drop.id))).to.deep.equal({ [day]: 13, '2026-02-01': 4 });
      const next = aVersion({ createdAt: later });
      const added = await drops.addVersion(target, next, { metadata: new Map([['c', 'd']]) }, 3, ['render']);
      expect(added).to.include({ latestVersion: 4, viewCount: 17, rev: 8 });
      expect(await drops.addVersion(target, aVersion(), {}, 3, [])).to.equal('version_limit');
      expect((await drops.list(ownerId, { ...firstPage, metadata: pairs })).total).to.equal(0);
      expect((await drops.list(ownerId, { ...firstPage, metadata: [['c', 'd']] })).total).to.equal(1);
      expect(await pendingTasks.find(drop.id)).to.deep.include({ pending: ['render'], trash: [] });

      clock.set(later + 1);
      expect(await drops.find(ownerId, drop.slug)).to.equal(null);
      expect(await pendingTasks.removeExpired(later + 1, 10)).to.deep.equal([drop.id]);
      await pendingTasks.erase(drop.id);
      expect(await pendingTasks.find(drop.id)).to.equal(null);
    });

    it('imported drops hold places below the cap, and imported reports too', async () => {
      const records = Array.from({ length: 3 }, () => anArchivedDrop({ ownerId: 'owner' }));
      const { drops, reports } = stores();
      await archive.write('drops', records);
      expect(await drops.create(aDrop(), 3, [])).to.equal('no_place');
      expect(await drops.create(aDrop(), 4, [])).to.have.property('id');
      const open = [aReport(), aReport()].map((report) => ({ ...report, closedAt: null }));
      const closed = { ...aReport(), closedAt: later };
      await archive.write('reports', [...open, closed]);
      expect(await reports.insert(aReport(), 2, 100_000)).to.equal('full');
      expect(await reports.close(open[0]?.id ?? '', later)).to.equal(true);
      expect(await reports.insert(aReport(), 2, 100_000)).to.equal('inserted');
      expect(await reports.insert(closed, 2, 100_000)).to.equal('known');
      expect((await reports.list({ withClosed: true, slug: 'abc', before: null, limit: 9 })).length).to.equal(
        4,
      );
    });

    it('the imported audit log is continued, and its entries stay', async () => {
      const { done, interrupted } = await fill();
      await copy(stores(), others());
      const { auditLog } = others();
      expect(await auditLog.end(done, 'changed', later)).to.equal(false);
      expect(await auditLog.end(interrupted, 'late', later)).to.equal(true);
      expect((await auditLog.list(null, 9)).map(({ outcome }) => outcome)).to.deep.equal(['late', 'found']);
    });

    it('refuses a record whose slug or identity belongs to another, and names it', async () => {
      const one = anArchivedDrop();
      const other = anArchivedDrop();
      await archive.write('drops', [one]);
      const refused = await rejectionOf(archive.write('drops', [{ ...other, slug: one.slug }]));
      expect(refused.message).to.match(new RegExp(`^drops ${other.id} cannot be stored: .*slug`));
      const identity = { provider: 'local', subject: 'ann', name: 'ann' };
      const accounts = [newId(start), newId(start)].map((id) => {
        const times = { createdAt: start, suspendedAt: null, commentsSeen: 0 };
        return { id, identity, ...times, defaultAccess: null, dayWrites: null };
      });
      const twice = await rejectionOf(archive.write('accounts', accounts));
      expect(twice.message).to.match(/^accounts \w+ cannot be stored/);
    });

    it('reads in batches of bounded size, ascending by id', async () => {
      const ownerId = await makeAccount(stores(), 'ann');
      const drops = Array.from({ length: 230 }, (_, n) =>
        anArchivedDrop({ id: newId(start + n), ownerId, days: [[day, n]] }),
      );
      const reports = Array.from({ length: 1_100 }, () => ({ ...aReport(), closedAt: later }));
      await archive.write('drops', drops);
      await archive.write('reports', reports);
      const snapshot = await archive.openSnapshot();
      for (const [kind, sizes, written] of [
        ['drops', [100, 100, 30], drops],
        ['reports', [1_000, 100], reports],
      ] as const) {
        const batches: ArchiveRecord[][] = [];
        for await (const batch of snapshot.read(kind)) batches.push([...batch]);
        expect(batches.map(({ length }) => length)).to.deep.equal(sizes);
        const ids = batches.flat().map((record) => ('id' in record ? record.id : ''));
        expect(ids).to.deep.equal(written.map(({ id }) => id).sort());
      }
      await snapshot.close();
    });

    it('a drop of an account that came during the read is absent', async () => {
      const ownerId = await makeAccount(stores(), 'ann');
      await stores().tokens.insert(aToken({ accountId: ownerId }));
      const { id } = await makeDrop(stores(), { ownerId });
      const read = await readAll(stores(), async (kind) => {
        if (kind !== 'tokens') return;
        const newcomer = await makeAccount(stores(), 'bob');
        await makeDrop(stores(), { ownerId: newcomer, version: aVersion({ createdAt: later }) });
      });
      expect(read.drops.map((drop) => drop.id)).to.deep.equal([id]);
      expect((await readAll(stores())).drops, 'later').to.have.length(2);
    });

    it('each drop is whole or absent, though it is changed during the read', async () => {
      const ownerId = await makeAccount(stores(), 'ann');
      const drops = Array.from({ length: 104 }, (_, n) => anArchivedDrop({ id: newId(start + n), ownerId }));
      await archive.write('drops', drops);
      const snapshot = await archive.openSnapshot();
      const batches = snapshot.read('drops')[Symbol.asyncIterator]();
      const first: readonly ArchivedDrop[] = (await batches.next()).value;
      const replaced = first[98];
      const removed = first[99];
      for (const drop of [replaced, drops[100]]) await replaceVersion(drop);
      for (const drop of [removed, drops[101]])
        await stores().drops.remove(at(drop?.slug ?? '', ownerId), later);
      const second: readonly ArchivedDrop[] = (await batches.next()).value;
      expect((await batches.next()).done).to.equal(true);
      expect(second.map(({ id }) => id)).to.include.members([drops[100]?.id, drops[102]?.id, drops[103]?.id]);
      // What was read before the change, or is read again after it, has its blobs.
      const again = await snapshot.readDropAgain(replaced?.id ?? '');
      for (const drop of [again, ...second]) {
        const [version] = drop?.versions ?? [];
        const isOld = drops.some(({ versions }) => versions[0]?.id === version?.id);
        const id = version?.id ?? '';
        if (!isOld) expect(await snapshot.readBlobs('html', [id])).to.have.key(id);
      }
      const isGone = (await snapshot.readDropAgain(removed?.id ?? '')) === null;
      const isThere = second.some(({ id }) => id === drops[101]?.id);
      expect(isThere, 'read at one moment, or each at its own').to.equal(!isGone);
      await snapshot.close();
    });

    /** The drop's first version is removed for good, and it has another one. */
    async function replaceVersion(drop: ArchivedDrop | undefined): Promise<void> {
      if (drop === undefined) throw new Error('no such drop');
      const target = at(drop.slug, drop.ownerId);
      await stores().drops.addVersion(target, aVersion({ createdAt: later }), {}, 5, []);
      await stores().drops.removeVersion(target, 1, later, []);
    }
  });
}
