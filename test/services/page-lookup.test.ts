import { expect } from 'chai';
import type { Page } from '../../shared/domain/drop.ts';
import { unavailable } from '../../shared/domain/errors.ts';
import type { DropStore } from '../../shared/ports/drop-store.ts';
import { createPageLookup, type LookedUpPage } from '../../shared/services/page-lookup.ts';
import { createTestClock } from '../support/clock.ts';
import { rejectionOf } from '../support/rejection.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

interface Asked {
  readonly slug: string;
  readonly number: number | null;
  answer(page: Page | null): Promise<void>;
  fail(error: Error): Promise<void>;
}

type Scene = ReturnType<typeof openScene>;

/** A lookup over a store that records each read and answers when the test says so. */
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
  const drops = { findPage } as DropStore; // proof: the lookup calls nothing else
  const lookup = createPageLookup({ drops, clock, log });
  const find = (number: number | null = null) =>
    lookup.find('abc', number, ({ version }) => held.has(version.id));

  function last(): Asked {
    const newest = asked.at(-1);
    if (newest === undefined) throw new Error('nothing was asked');
    return newest;
  }

  return {
    lookup,
    asked,
    clock,
    log,
    find,
    last,
    /** Reads the version as public, with its body in memory. */
    async confirm(id = 'v1', number: number | null = null) {
      held.add(id);
      const found = find(number);
      await last().answer(publicPage(id));
      return found;
    },
    forgetBodies: () => held.clear(),
    /** From now on the store answers synchronously. */
    answerAtOnce(answer: () => Page | null) {
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
const down = () => unavailable('The database is down.', 1, { isDown: true });
const idOf = (found: LookedUpPage | undefined) => found?.page?.version?.id;

/** The outcome, if it has settled. */
async function soFar<T>(promise: Promise<T>): Promise<T | 'none yet'> {
  return Promise.race([promise, aTurn().then(() => 'none yet' as const)]);
}

describe('Page lookup', () => {
  it('finds the page by a read that begins after the request', async () => {
    const { find, asked, confirm } = openScene();
    await confirm();
    const found = find();
    expect(asked).to.have.length(2);
    await asked[1]?.answer(publicPage('v2'));
    expect(idOf(await found)).to.equal('v2');
    expect((await found).isConfirmed).to.equal(true);
  });

  it('waits for the read, however late it is, also if the page is in memory', async () => {
    const { find, confirm, last, clock } = openScene();
    await confirm();
    const found = find();
    clock.advance(5_000);
    expect(await soFar(found)).to.equal('none yet');
    await last().answer(lockedPage);
    expect(await found).to.deep.equal({ page: lockedPage, isConfirmed: true });
  });

  describe('with many requests for one page', () => {
    it('runs four reads at once; further requests share one read, which begins when one of them ends', async () => {
      const { find, asked } = openScene();
      const first = Array.from({ length: 4 }, () => find());
      const others = Array.from({ length: 1_000 }, () => find());
      await aTurn();
      expect(asked).to.have.length(4);
      await asked[0]?.answer(publicPage('v1')); // the state before the other requests arrived
      expect(idOf(await first[0])).to.equal('v1');
      expect(asked).to.have.length(5);
      expect(await soFar(Promise.race(others))).to.equal('none yet');
      await asked[4]?.answer(lockedPage);
      const found = await Promise.all(others);
      expect(found.every(({ page, isConfirmed }) => isConfirmed && page?.lock !== null)).to.equal(true);
      for (const read of asked.slice(1, 4)) await read.answer(lockedPage);
      expect(asked).to.have.length(5);
      void find();
      expect(asked, 'no read is running').to.have.length(6);
    });

    it('requests that arrive after the shared read began share another one', async () => {
      const { find, asked } = openScene();
      for (let n = 0; n < 5; n++) void find();
      await asked[0]?.answer(publicPage('v1'));
      const late = find();
      expect(asked).to.have.length(5);
      await asked[4]?.answer(publicPage('v1'));
      expect(await soFar(late)).to.equal('none yet');
      await asked[5]?.answer(publicPage('v2'));
      expect(idOf(await late)).to.equal('v2');
    });

    it('versions have separate waiting reads, in order of arrival, four at once in total', async () => {
      const { find, asked } = openScene();
      for (const number of [null, null, null, null, 2, 1, 2]) void find(number);
      for (let n = 0; n < 3; n++) await asked[n]?.answer(publicPage('v1'));
      expect(asked.map(({ number }) => number)).to.deep.equal([null, null, null, null, 2, 1]);
    });

    it('reads of another page do not wait', () => {
      const { lookup, find, asked } = openScene();
      for (let n = 0; n < 5; n++) void find();
      void lookup.find('other', null, () => false);
      expect(asked.map(({ slug }) => slug)).to.deep.equal(['abc', 'abc', 'abc', 'abc', 'other']);
    });

    it('a failed read fails only its own requests; the waiting ones get another read', async () => {
      const { find, asked, confirm } = openScene();
      await confirm();
      const failing = Array.from({ length: 4 }, () => rejectionOf(find()));
      const others = [find(), find()];
      for (const read of asked.slice(1, 5)) await read.fail(new Error('a fault of ours'));
      for (const failure of failing) expect((await failure).message).to.equal('a fault of ours');
      await asked[5]?.fail(down());
      for (const other of others) expect(await other).to.deep.include({ isConfirmed: false });
      expect(asked).to.have.length(6);
    });
  });

  describe('while the database is down', () => {
    /** The result of a request whose read fails. */
    async function findWhileDown({ find, last }: Scene): Promise<LookedUpPage> {
      const found = find();
      await last().fail(down());
      return found;
    }

    it('finds a page that was public within 60 s and whose body is in memory, and logs the failure', async () => {
      const scene = openScene();
      await scene.confirm();
      scene.clock.advance(60_000);
      const found = await findWhileDown(scene);
      expect(found.isConfirmed).to.equal(false);
      expect(idOf(found)).to.equal('v1');
      expect(scene.log.lines.map(({ level, fields }) => [level, String(fields.err)])).to.deep.equal([
        ['warn', 'DropError: The database is down.'],
      ]);
    });

    it('remembers the latest version while it is read, also if many other versions are read', async () => {
      const scene = openScene();
      for (const number of [2, 3, 4, 5]) {
        await scene.confirm();
        await scene.confirm(`v${number}`, number);
      }
      expect(idOf(await findWhileDown(scene))).to.equal('v1');
    });

    const fails: readonly (readonly [string, (scene: Scene) => Promise<unknown>])[] = [
      ['if the page was never read', async () => undefined],
      [
        'if it was read more than 60 s ago',
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
      ['if another version was read', ({ confirm }) => confirm('v1', 1)],
      ['if it was locked', foundThen(null, lockedPage)],
      ['if it was deleted', foundThen(null, null)],
      ['if it was taken down', foundThen(null, takenDownPage)],
      ['if a read of another version found it taken down', foundThen(1, { ...takenDownPage, version: null })],
      ['if a read of another version found it locked', foundThen(1, lockedPage)],
      ['if the version was deleted', foundThen(null, { ...publicPage('v1'), version: null })],
      [
        'if this process hid it, also if an older read ends later',
        async ({ confirm, find, last, lookup }) => {
          await confirm();
          void find();
          lookup.forget('abc');
          await last().answer(publicPage('v1'));
        },
      ],
      [
        'if it was locked, also if an older read ends later',
        async ({ confirm, find, asked }) => {
          await confirm();
          void find();
          void find();
          await asked[2]?.answer(lockedPage);
          await asked[1]?.answer(publicPage('v1'));
        },
      ],
    ];
    for (const [name, prepare] of fails) {
      it(`fails ${name}`, async () => {
        const scene = openScene();
        await prepare(scene);
        const failure = rejectionOf(scene.find());
        await scene.last().fail(down());
        expect(await failure).to.include({ code: 'unavailable', isDown: true });
      });
    }

    it('keeps the newest result, also if an older read ends later', async () => {
      const scene = openScene();
      const { find, confirm, asked } = scene;
      await confirm('v2');
      await confirm('v1');
      void find();
      void find();
      await asked[3]?.answer(publicPage('v2'));
      await asked[2]?.answer(publicPage('v1'));
      expect(idOf(await findWhileDown(scene))).to.equal('v2');
    });

    it('logs at most once a minute, with a count', async () => {
      const scene = openScene();
      await scene.confirm();
      for (let n = 0; n < 100; n++) await findWhileDown(scene);
      expect(scene.log.lines).to.have.length(1);
      scene.clock.advance(60_000);
      await scene.confirm();
      await findWhileDown(scene);
      expect(scene.log.lines.slice(1).map(({ fields }) => fields.count)).to.deep.equal([100]);
    });
  });

  for (const [what, error] of [
    ['because the database is busy', unavailable('No connection was free.')],
    ['for another reason', new Error('a fault of ours')],
  ] as const) {
    it(`fails if the read fails ${what}, also if the page is in memory`, async () => {
      const { find, confirm, last } = openScene();
      await confirm();
      const failure = rejectionOf(find());
      await last().fail(error);
      expect(await failure).to.equal(error);
    });
  }

  it('answers in the same turn if the store answers synchronously', async () => {
    const { find, answerAtOnce } = openScene();
    for (const page of [publicPage('v1'), lockedPage, takenDownPage, null]) {
      answerAtOnce(() => page);
      let found: LookedUpPage | undefined;
      void find().then((result) => {
        found = result;
      });
      for (let n = 0; n < 3; n++) await Promise.resolve();
      expect(found).to.deep.equal({ page, isConfirmed: true });
    }
  });
});

/** A read of that version (null: the latest) finds the page after it was confirmed. */
function foundThen(number: number | null, page: Page | null) {
  return async ({ confirm, find, last }: Scene) => {
    await confirm();
    void find(number);
    await last().answer(page);
  };
}
