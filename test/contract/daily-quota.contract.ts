import { expect } from 'chai';
import { newSlug } from '../../shared/domain/ids.ts';
import { aDrop, at, aVersion, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const today = '2026-01-31';
const tomorrow = '2026-02-01';

/** What any engine must do for the day's count of DropStore. */
export function describeDailyQuotaContract(engine: string, openStores: OpenStores): void {
  describe(`Writes per day of DropStore (${engine})`, () => {
    const stores = useStores(openStores);

    async function makeAccount(id = 'a1'): Promise<string> {
      const identity = { provider: 'local', subject: id, name: id };
      return (await stores().accounts.findOrCreate(identity, id, start)).id;
    }

    const counted = (accountId: string, day: string, limit: number) =>
      aVersion({ quota: { accountId, day, limit } });

    /** Whether a new drop is accepted. */
    async function write(accountId: string, day: string, limit: number, cap = 500): Promise<boolean> {
      const drop = aDrop({ ownerId: accountId, version: counted(accountId, day, limit) });
      const outcome = await stores().drops.create(drop, cap, []);
      if (typeof outcome === 'object') return true;
      expect(outcome).to.equal('day_full');
      expect(await stores().html.get(drop.version.id), 'the document of a refused drop').to.equal(null);
      return false;
    }

    it('counts new drops and new versions up to the limit', async () => {
      const id = await makeAccount();
      const { drops, accounts } = stores();
      const drop = aDrop({ ownerId: id, version: counted(id, today, 3) });
      expect(await drops.create(drop, 500, [])).to.be.an('object');
      const add = () => drops.addVersion(at(drop.slug, id), counted(id, today, 3), {}, 200, []);
      expect(await add()).to.include({ latestVersion: 2 });
      expect(await accounts.countDailyWrites(id, today)).to.equal(2);
      expect(await add()).to.include({ latestVersion: 3 });
      expect(await add()).to.equal('day_full');
      expect(await write(id, today, 3)).to.equal(false);
      expect(await drops.find(id, drop.slug)).to.include({ latestVersion: 3 });
      expect(await accounts.countDailyWrites(id, today)).to.equal(3);
      expect(await accounts.countDailyWrites(id, tomorrow)).to.equal(0);
    });

    it('accepts exactly the limit of 200 parallel writes', async () => {
      const id = await makeAccount();
      const accepted = await inParallel(200, () => write(id, today, 77));
      expect(accepted.filter(Boolean)).to.have.length(77);
      expect(await stores().drops.count(id)).to.equal(77);
    });

    it('accepts no write if the limit is 0, and none of an account that is deleted or unknown', async () => {
      const id = await makeAccount();
      expect(await write(id, today, 0)).to.equal(false);
      await stores().accounts.markDeleted(id, later, ['hash']);
      expect(await write(id, today, 5)).to.equal(false);
      expect(await write('nobody', today, 5)).to.equal(false);
    });

    it('starts a new day at 0, and counts a late write of the day before for the newer day', async () => {
      const id = await makeAccount();
      expect(await write(id, today, 1)).to.equal(true);
      expect(await write(id, today, 1)).to.equal(false);
      expect(await write(id, tomorrow, 2)).to.equal(true);
      expect(await write(id, today, 2)).to.equal(true);
      expect(await write(id, tomorrow, 2)).to.equal(false);
    });

    it('counts each account by itself', async () => {
      for (const id of [await makeAccount('a1'), await makeAccount('a2')])
        expect(await write(id, today, 1)).to.equal(true);
    });

    it('counts no refused write, also beside 40 accepted ones', async () => {
      const id = await makeAccount();
      const { drops, moderation, accounts } = stores();
      const quota = { accountId: id, day: today, limit: 42 };
      const slug = newSlug();
      const gone = newSlug();
      for (const each of [slug, gone])
        await drops.create(aDrop({ ownerId: id, slug: each, version: aVersion({ quota }) }), 500, []);
      await moderation.takeDown(gone, { at: later, reason: 'Phishing' }, []);
      const add = (target: ReturnType<typeof at>, cap = 200) =>
        drops.addVersion(target, aVersion({ quota }), {}, cap, []);
      await inParallel(40, async (n) => {
        expect(await add(at('nosuchslug00', id))).to.equal(null);
        expect(await add(at(slug, id, [999]))).to.have.property('conflict');
        expect(await add(at(slug, id), 1)).to.equal('version_limit');
        expect(await add(at(gone, id))).to.have.property('reason');
        const drop = aDrop({ ownerId: id, version: aVersion({ quota }) });
        expect(await drops.create(drop, 1, [])).to.equal('no_place');
        expect(await drops.create({ ...drop, slug }, 500, [])).to.equal('slug_taken');
        expect(
          await drops.create(aDrop({ ownerId: id, version: aVersion({ quota }) }), 500, []),
          `${n}`,
        ).to.be.an('object');
      });
      expect(await accounts.countDailyWrites(id, today)).to.equal(42);
    });

    it('refuses a full day before everything else', async () => {
      const id = await makeAccount();
      const add = (target: ReturnType<typeof at>) =>
        stores().drops.addVersion(target, counted(id, today, 0), {}, 1, []);
      expect(await add(at('nosuchslug00', id))).to.equal('day_full');
      expect(await write(id, today, 0, 0)).to.equal(false);
    });
  });
}
