import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { MongoDailyCounts } from '../../shared/accounts/mongo.ts';
import type { NewDrop } from '../../shared/drops/drop.ts';
import type { DropStore } from '../../shared/drops/drop-store.ts';
import { dropModel } from '../../shared/drops/mongo-schema.ts';
import type { PendingTaskStore } from '../../shared/jobs/pending-task-store.ts';
import { createMongoStores } from '../../shared/mongo/stores.ts';
import {
  at,
  aVersion,
  inParallel,
  later,
  makeDrop,
  newestFirst,
  ownedVersion,
  start,
} from '../contract/records.ts';
import { useEach } from '../support/between.ts';
import { createTestClock } from '../support/clock.ts';
import { openTestMongo } from '../support/mongo.ts';

describe('drops in MongoDB', () => {
  const database = useEach(openTestMongo);
  let connection: Connection;
  let drops: DropStore;
  let pendingTasks: PendingTaskStore;

  beforeEach(() => {
    ({ connection } = database.mongo);
    ({ drops, pendingTasks } = createMongoStores(connection, createTestClock(start)));
  });

  const create = (changes: Partial<NewDrop> = {}) => makeDrop({ drops }, changes);

  it('parallel changes keep latest version, numbers and trash consistent during parallel additions and removals', async () => {
    const { id, slug } = await create();
    const ids = new Set<string>();
    const change = async (i: number) => {
      if (i % 3 > 0) return drops.removeVersion(at(slug), 1 + (i % 11), later, []);
      const version = aVersion();
      ids.add(version.id);
      return drops.addVersion(at(slug), version, {}, 200, []);
    };
    for (let round = 0; round < 5; round++) {
      const outcomes = await inParallel(60, (i) => change(i));
      expect(outcomes).not.to.include(null);
      await expectWhole(id);
    }
    const { trash, versions } = (await pendingTasks.find(id)) ?? { trash: [], versions: [] };
    expect(trash.length).to.be.above(0);
    const known = [...trash, ...versions.map((version) => version.id)];
    expect(new Set(known).size, 'an id is in one of the two').to.equal(known.length);
    expect(known).to.include.members([...ids]);
    expect(known).to.have.length(ids.size + 1);
  });

  it('a refused write of a day that is over takes nothing from the count of the next', async () => {
    const { accounts } = createMongoStores(connection, createTestClock(start));
    const identity = { provider: 'local', subject: 'a1', name: 'a1' };
    const { id: accountId } = await accounts.findOrCreate(identity, 'a1', start);
    const days = new MongoDailyCounts(connection);
    const before = { accountId, day: '2026-01-31', limit: 5 };
    const next = { ...before, day: '2026-02-01' };
    for (const quota of [before, next]) expect(await days.take(quota)).to.equal(true);
    await days.giveBack(before);
    expect(await accounts.countDailyWrites(accountId, next.day)).to.equal(1);
    await days.giveBack(next);
    expect(await accounts.countDailyWrites(accountId, next.day)).to.equal(0);
  });

  it('a refused repeat leaves the blobs, which another attempt may be about to record', async () => {
    const { slug } = await create();
    const version = aVersion({ context: Buffer.from('why') });
    const { html, contexts } = createMongoStores(connection, createTestClock(start));
    const kept = async () => [await html.get(version.id), await contexts.get(version.id)];
    const repeat = { ...version, isRepeat: true };
    expect(await drops.addVersion(at(slug), repeat, {}, 1, [])).to.equal('version_limit');
    expect(await kept()).to.not.include(null);
    expect(await drops.addVersion(at(slug), version, {}, 1, [])).to.equal('version_limit');
    expect(await kept()).to.deep.equal([null, null]);
  });

  describe('hostile text', () => {
    const texts = ['$title', '$$ROOT', '{"$gt":""}', '$', '.$', 'a.b', '__proto__', 'a=b=c', ' 𝄞é '];
    const keys = ['__proto__', 'constructor', 'a.b', 'x', '_id', '7', 'set', 'toString'];

    for (const text of [...texts, '=', '{}', '[]']) {
      it(`is stored unchanged: ${text}`, async () => {
        const metadata = new Map(keys.map((key) => [key, text]));
        const details = { title: text, description: text, metadata };
        const lock = { id: text, hash: text };
        const plain = { title: 'x', description: null, metadata: new Map() };

        const { slug } = await create({ ...details, lock });
        await expectKept();
        await drops.changeDetails(at(slug), plain, later, []);
        expect(await drops.changeDetails(at(slug), details, later, [])).to.deep.include(details);
        await expectKept();
        await drops.changeDetails(at(slug), plain, later, []);
        const version = aVersion({ mediaType: text, publishedBy: { kind: 'token', id: text, label: text } });
        expect(await drops.addVersion(at(slug), version, details, 200, [])).to.deep.include(details);
        await expectKept();
        expect((await drops.findVersion('owner', slug, 2))?.version).to.deep.equal(ownedVersion(version, 2));
        await drops.setLock(at(slug), null, later, []);
        await drops.setLock(at(slug), lock, later, []);
        await expectKept();

        async function expectKept() {
          const found = await drops.find('owner', slug);
          expect(found).to.deep.include(details);
          expect([...(found?.metadata ?? [])]).to.deep.equal([...metadata]);
          expect(await drops.findPage(slug, null)).to.deep.include({ title: text, description: text, lock });
          const { drops: filtered } = await drops.list('owner', { ...newestFirst, metadata: [...metadata] });
          expect(filtered).to.deep.equal([found]);
        }
      });
    }

    it('in an owner or a slug is not read as a MongoDB operator', async () => {
      const { slug } = await create({ ownerId: '$owner', slug: '$slug' });
      expect(await drops.find('$owner', slug)).to.include({ ownerId: '$owner', slug: '$slug' });
      expect(await drops.find('owner', '$slug')).to.equal(null);
    });
  });

  /** What the drop says of its versions in several places agrees. */
  async function expectWhole(id: string): Promise<void> {
    const drop = await dropModel(connection).findById(id).lean();
    const numbers = drop?.versions.map(({ number }) => number) ?? [];
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a - b));
    expect(drop?.version_count).to.equal(numbers.length);
    expect(drop?.latest_version).to.equal(numbers.at(-1));
    expect(drop?.head).to.deep.equal(drop?.versions.at(-1));
  }
});
