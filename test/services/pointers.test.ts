import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Page } from '../../shared/domain/drop.ts';
import { unavailable } from '../../shared/domain/errors.ts';
import type { DropStore } from '../../shared/ports/drop-store.ts';
import { createPointers, type Pointer } from '../../shared/services/pointers.ts';
import { createTestClock } from '../support/clock.ts';
import { rejectionOf } from '../support/rejection.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

/** Later than late. */
const tooLongMs = 180;

interface Asked {
  readonly slug: string;
  readonly number: number | null;
  answer(page: Page | null): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** Pointers over a store that notes what it is asked, and answers when it is told to. */
function openScene() {
  const asked: Asked[] = [];
  const held = new Set<string>();
  const clock = createTestClock();
  const log = createRecordingLog();
  let atOnce: (() => Page | null) | null = null;
  const findPage = (slug: string, number: number | null) => {
    if (atOnce !== null) return atOnce();
    return new Promise<Page | null>((resolve, reject) => {
      asked.push({
        slug,
        number,
        async answer(page) {
          resolve(page);
          await aTurn();
        },
        async fail(error) {
          reject(error);
          await aTurn();
        },
      });
    });
  };
  const drops = { findPage } as DropStore; // proof: pointers ask for nothing else
  const pointers = createPointers({ drops, clock, log });
  const find = (number: number | null = null) =>
    pointers.find('abc', number, ({ version }) => held.has(version.id));

  function last(): Asked {
    const newest = asked.at(-1);
    if (newest === undefined) throw new Error('nothing was asked');
    return newest;
  }

  return {
    pointers,
    asked,
    clock,
    log,
    find,
    last,
    /** Has the version read as public, and its body in memory. */
    async confirm(id = 'v1', number: number | null = null) {
      held.add(id);
      const found = find(number);
      await last().answer(publicPage(id));
      return found;
    },
    forgetBodies: () => held.clear(),
    /** From now on the store answers so, without a promise; null: as before. */
    answerAtOnce(answer: (() => Page | null) | null) {
      atOnce = answer;
    },
  };
}

function publicPage(id: string): Page {
  const version = { id, number: 1, sizeBytes: 1, hasContext: false, mediaType: 'text/html', createdAt: 1 };
  return {
    dropId: 'd',
    slug: 'abc',
    title: 't',
    description: null,
    lock: null,
    isTakenDown: false,
    latestVersion: 1,
    version,
  };
}

const lockedPage: Page = { ...publicPage('v1'), lock: { id: 'l', hash: 'h' } };
const takenDownPage: Page = { ...publicPage('v1'), isTakenDown: true };

const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const away = () => unavailable('The database is away.');
const idOf = ({ page }: Pointer) => page?.version?.id;

/** The outcome, if there is one by now. */
async function soFar<T>(promise: Promise<T>): Promise<T | 'none yet'> {
  return Promise.race([promise, aTurn().then(() => 'none yet' as const)]);
}

describe('The pointer of a public page', () => {
  it('is what a read that began for it finds', async () => {
    const { find, asked, confirm } = openScene();
    await confirm();
    const found = find();
    expect(asked).to.have.length(2);
    await asked[1]?.answer(publicPage('v2'));
    expect(idOf(await found)).to.equal('v2');
    expect((await found).isConfirmed).to.equal(true);
  });

  describe('whose read is late (100 ms)', () => {
    it('is what an earlier read found, if that was public within 60 s and its body is in memory', async () => {
      const { find, confirm, clock } = openScene();
      await confirm();
      clock.advance(60_000);
      const from = performance.now();
      const found = await find();
      expect(performance.now() - from)
        .to.be.at.least(95)
        .and.below(1_000);
      expect(found).to.deep.include({ isConfirmed: false });
      expect(idOf(found)).to.equal('v1');
    });

    it('is that at once for those who come while four reads are under way, and they start no more', async () => {
      const { find, confirm, asked } = openScene();
      await confirm();
      await find();
      const few = [find(), find(), find()];
      const others = await Promise.all(Array.from({ length: 1_000 }, () => soFar(find())));
      expect(others.every((one) => one !== 'none yet' && !one.isConfirmed)).to.equal(true);
      expect(asked).to.have.length(5);
      await asked[1]?.answer(publicPage('v1'));
      void find();
      expect(asked).to.have.length(6);
      for (const one of few) expect((await one).isConfirmed).to.equal(false);
    });

    it('is that at once while the store is slow and eight reads of any pages are under way: it is left to others', async () => {
      const { pointers, find, confirm, asked } = openScene();
      await confirm();
      const others = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
      for (const slug of others) void pointers.find(slug, null, () => false);
      await find(); // late, and so are the others: eight by now
      expect(asked).to.have.length(9);
      expect(await soFar(find())).to.deep.include({ isConfirmed: false });
      void pointers.find('i', null, () => false); // has nothing in memory
      expect(asked.map(({ slug }) => slug)).to.deep.equal(['abc', ...others, 'abc', 'i']);
    });

    it('is read for everybody where other reads are in time, however many are under way: one connection hangs', async () => {
      const { pointers, find, confirm, asked } = openScene();
      await confirm();
      const others = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
      for (const slug of others) void pointers.find(slug, null, () => false);
      await find();
      void pointers.find('i', null, () => false);
      await asked.at(-1)?.answer(null); // in time
      void find();
      expect(asked.at(-1)?.slug).to.equal('abc');
      expect(asked).to.have.length(11);
    });

    it('is nothing once its process has hidden the page, also where an older read ends later', async () => {
      const { find, confirm, asked, pointers } = openScene();
      await confirm();
      void find();
      pointers.forget('abc');
      await asked[1]?.answer(publicPage('v1'));
      const found = find();
      await pause(tooLongMs);
      expect(await soFar(found)).to.equal('none yet');
      await asked[2]?.answer(null);
      expect((await found).page).to.equal(null);
    });

    const waits: readonly (readonly [string, (scene: ReturnType<typeof openScene>) => Promise<unknown>])[] = [
      ['if nothing is known', async () => undefined],
      [
        'if it was confirmed more than 60 s ago',
        async ({ confirm, clock }) => {
          await confirm();
          clock.advance(60_001);
        },
      ],
      [
        'if its body is not in memory',
        async ({ confirm, forgetBodies }) => {
          await confirm();
          forgetBodies();
        },
      ],
      ['if another version was asked for then', ({ confirm }) => confirm('v1', 1)],
      [
        'if it was locked then',
        async ({ confirm, find, last }) => {
          await confirm();
          void find();
          await last().answer(lockedPage);
        },
      ],
      [
        'if it was gone then',
        async ({ confirm, find, last }) => {
          await confirm();
          void find();
          await last().answer(null);
        },
      ],
      [
        'if it was taken down then',
        async ({ confirm, find, last }) => {
          await confirm();
          void find();
          await last().answer(takenDownPage);
        },
      ],
      [
        'if a read of another version found it taken down',
        async ({ confirm, find, last }) => {
          await confirm();
          void find(1);
          await last().answer({ ...takenDownPage, version: null });
        },
      ],
      [
        'if a read of another version found it locked',
        async ({ confirm, find, last }) => {
          await confirm();
          void find(1);
          await last().answer(lockedPage);
        },
      ],
      [
        'if the version was gone then',
        async ({ confirm, find, last }) => {
          await confirm();
          void find();
          await last().answer({ ...publicPage('v1'), version: null });
        },
      ],
    ];
    for (const [name, prepare] of waits) {
      it(`waits for the read, ${name}`, async () => {
        const scene = openScene();
        await prepare(scene);
        const found = scene.find();
        await pause(tooLongMs);
        expect(await soFar(found)).to.equal('none yet');
        await scene.last().answer(lockedPage);
        expect(await found).to.deep.equal({ page: lockedPage, isConfirmed: true });
      });
    }

    it('is remembered as the late read finds it: another version', async () => {
      const { find, confirm, last } = openScene();
      await confirm('v2');
      await confirm('v1');
      await find();
      await last().answer(publicPage('v2'));
      expect(idOf(await find())).to.equal('v2');
    });

    it('is not served from memory any more when the late read has found it locked, taken down or gone', async () => {
      for (const outcome of [lockedPage, takenDownPage, null]) {
        const { find, confirm, last } = openScene();
        await confirm();
        await find();
        await last().answer(outcome);
        const found = find();
        await pause(tooLongMs);
        expect(await soFar(found)).to.equal('none yet');
      }
    });

    it('is not brought back by a read that began before the one that found it locked', async () => {
      const { find, confirm, asked } = openScene();
      await confirm();
      void find();
      void find();
      await asked[2]?.answer(lockedPage);
      await asked[1]?.answer(publicPage('v1'));
      const found = find();
      await pause(tooLongMs);
      expect(await soFar(found)).to.equal('none yet');
    });

    it('is not set back by a read that began before the one that found a newer version', async () => {
      const { find, confirm, asked } = openScene();
      await confirm('v2');
      await confirm('v1');
      void find();
      void find();
      await asked[3]?.answer(publicPage('v2'));
      await asked[2]?.answer(publicPage('v1'));
      expect(idOf(await find())).to.equal('v2');
    });

    it('where it is not in memory: few reads for many requests, and nobody gets what began before they came', async () => {
      const { find, asked } = openScene();
      const first = find();
      await pause(tooLongMs);
      const many = Array.from({ length: 1_000 }, () => find());
      await aTurn();
      expect(asked).to.have.length(4);
      await asked[0]?.answer(publicPage('v1')); // as it was before they came
      expect(idOf(await first)).to.equal('v1');
      expect(asked, 'one more for all who had to wait').to.have.length(5);
      for (const read of asked.slice(1)) await read.answer(lockedPage);
      const found = await Promise.all(many);
      expect(found.every(({ page, isConfirmed }) => isConfirmed && page?.lock !== null)).to.equal(true);
      expect(asked).to.have.length(5);
    });

    it('those who wait for a read of their own share the failure of the one before, which says nothing of the page', async () => {
      const { find, asked } = openScene();
      const all = [find()];
      await pause(tooLongMs);
      for (let n = 0; n < 20; n++) all.push(find());
      const failures = Promise.all(all.map(rejectionOf));
      for (const read of asked) await read.fail(away());
      expect((await failures).every((error) => 'code' in error && error.code === 'unavailable')).to.equal(
        true,
      );
      expect(asked).to.have.length(4);
    });

    it('those who wait for a read of their own get one after a failure that is not theirs', async () => {
      const { find, asked } = openScene();
      const first = find();
      await pause(tooLongMs);
      const others = Array.from({ length: 5 }, () => find());
      const failure = rejectionOf(first);
      await asked[0]?.fail(new Error('a fault of ours'));
      expect((await failure).message).to.equal('a fault of ours');
      for (const read of asked.slice(1)) await read.answer(publicPage('v1'));
      expect((await Promise.all(others)).map(idOf)).to.deep.equal(Array(5).fill('v1'));
    });
  });

  describe('whose read fails', () => {
    it('as unavailable: is at once what an earlier read found; the failure is logged', async () => {
      const { find, confirm, last, log } = openScene();
      await confirm();
      const found = find();
      await last().fail(away());
      const outcome = await soFar(found);
      expect(outcome).to.deep.include({ isConfirmed: false });
      const errors = log.lines.filter(({ fields }) => 'err' in fields);
      expect(errors.map(({ level, fields }) => [level, String(fields.err)])).to.deep.equal([
        ['warn', 'DropError: The database is away.'],
      ]);
    });

    it('as unavailable: is remembered for as long as it is read, however many other versions are read too', async () => {
      const { find, confirm, last } = openScene();
      for (const number of [2, 3, 4, 5]) {
        await confirm();
        await confirm(`v${number}`, number);
      }
      const found = find();
      await last().fail(away());
      expect(idOf(await found)).to.equal('v1');
    });

    it('as unavailable, with nothing in memory: that is what is said', async () => {
      const { find, last } = openScene();
      const failure = rejectionOf(find());
      await last().fail(away());
      expect(await failure).to.include({ code: 'unavailable' });
    });

    it('otherwise: that is what is said, whatever is in memory', async () => {
      const { find, confirm, last } = openScene();
      await confirm();
      const failure = rejectionOf(find());
      await last().fail(new Error('a fault of ours'));
      expect((await failure).message).to.equal('a fault of ours');
    });
  });

  describe('whose store answers at once', () => {
    it('is that, confirmed, in the same turn', async () => {
      const { find, answerAtOnce } = openScene();
      for (const page of [publicPage('v1'), lockedPage, takenDownPage, null]) {
        answerAtOnce(() => page);
        let found: Pointer | undefined;
        void find().then((pointer) => {
          found = pointer;
        });
        for (let n = 0; n < 3; n++) await Promise.resolve();
        expect(found).to.deep.equal({ page, isConfirmed: true });
      }
    });

    it('as gone or locked: is not what was found before, where the next read is late', async () => {
      for (const page of [lockedPage, null]) {
        const { find, confirm, asked, answerAtOnce } = openScene();
        await confirm();
        void find(); // began before, ends after
        answerAtOnce(() => page);
        await find();
        answerAtOnce(null);
        await asked[1]?.answer(publicPage('v1'));
        const found = find();
        await pause(tooLongMs);
        expect(await soFar(found)).to.equal('none yet');
      }
    });

    it('with a failure: as unavailable it is what was found before, otherwise that is what is said', async () => {
      const { find, confirm, answerAtOnce } = openScene();
      await confirm();
      answerAtOnce(() => {
        throw away();
      });
      expect(await find()).to.deep.include({ isConfirmed: false });
      answerAtOnce(() => {
        throw new Error('a fault of ours');
      });
      expect((await rejectionOf(find())).message).to.equal('a fault of ours');
    });
  });

  it('is logged once a minute, with a count, however often it comes from memory', async () => {
    const { find, confirm, last, log, clock } = openScene();
    await confirm();
    for (let n = 0; n < 100; n++) {
      const found = find();
      await last().fail(away());
      await found;
    }
    expect(log.lines).to.have.length(2);
    clock.advance(60_000);
    await confirm();
    const found = find();
    await last().fail(away());
    await found;
    expect(log.lines.slice(2).map(({ fields }) => fields.count)).to.deep.equal([100, 100]);
  });
});
