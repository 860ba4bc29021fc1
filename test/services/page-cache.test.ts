import { expect } from 'chai';
import { nullIfNotFound, unavailable } from '../../shared/domain/errors.ts';
import type { Page } from '../../shared/drops/drop.ts';
import { PageCache } from '../../shared/pages/page-cache.ts';
import { createTestClock } from '../support/clock.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { createThrottledRecordingLog } from '../worker/recording-log.ts';

/** A read that waits until the test answers it. */
interface Asked {
  readonly slug: string;
  readonly number: number | null;
  answer(page: Page | null): Promise<void>;
  fail(error: Error): Promise<void>;
}

const maxAgeMs = 1_000;
const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const down = () => unavailable('The database is down.', 1, { isDown: true });

function aPage(rev = 1, number = 1, changes: Partial<Page> = {}): Page {
  const id = `v${number}`;
  const version = { id, number, sizeBytes: 1, hasContext: false, mediaType: 'text/html', createdAt: 1 };
  const drop = { dropId: 'd', ownerId: 'o', slug: 'abc', title: `title ${rev}`, description: null };
  const state = {
    lock: null,
    isTakenDown: false,
    createdAt: 1,
    expiresAt: null,
    comments: 'owner' as const,
    latestVersion: number,
    rev,
  };
  return { ...drop, ...state, version, ...changes };
}

const lock = { id: 'l', hash: 'h' };

/** Memory and lookup over a store that answers when the test says so. Every notice and confirmation is the test's. */
function openScene({ confirmEveryMs = null as number | null } = {}) {
  const asked: Asked[] = [];
  const confirmations: (readonly string[])[] = [];
  const revisions = new Map<string, number>();
  let beforeConfirmation = async (): Promise<void> => undefined;
  const listeners: ((slug: string) => void)[] = [];
  const clock = createTestClock();
  const log = createThrottledRecordingLog(clock);
  const config = { PAGE_CACHE_BYTES: 1_000_000 };
  const drops = {
    findPage(slug: string, number: number | null) {
      return new Promise<Page | null>((resolve, reject) => {
        const settled = (settle: () => void) => {
          settle();
          return aTurn();
        };
        asked.push({
          slug,
          number,
          answer: (page) => settled(() => resolve(page)),
          fail: (error) => settled(() => reject(error)),
        });
      });
    },
    async findRevisions(slugs: readonly string[]) {
      confirmations.push(slugs);
      await beforeConfirmation();
      return new Map(revisions);
    },
  };
  const changes = {
    publish: async () => undefined,
    subscribe: (listener: (slug: string) => void) => void listeners.push(listener),
    isCurrent: (asOf: number) => clock.now() - asOf < maxAgeMs,
    now: clock.now,
    confirmEveryMs,
  };
  const cache = new PageCache({ drops, changes, clock, log, config });
  function find(number: number | null = null) {
    const found = cache.find('abc', number, () => true);
    found.catch(() => undefined); // tests await it later, or not at all
    return found;
  }

  async function known(page: Page | null = aPage(), number: number | null = null): Promise<void> {
    const found = find(number);
    await asked.at(-1)?.answer(page);
    await found.catch(nullIfNotFound);
  }

  return {
    cache,
    asked,
    clock,
    log,
    find,
    known,
    revisions,
    confirmations,
    notice(slug = 'abc') {
      for (const listener of listeners) listener(slug);
    },
    /** What is served without a read. */
    title: (number: number | null = null) => cache.getCached('abc', number)?.title,
    holdConfirmations(hold: () => Promise<void>) {
      beforeConfirmation = hold;
    },
  };
}

describe('Memory of pages', () => {
  it('serves what a read found, for as long as it is provably current', async () => {
    const { known, title, clock } = openScene();
    expect(title()).to.equal(undefined);
    await known();
    clock.advance(maxAgeMs - 1);
    expect(title()).to.equal('title 1');
    clock.advance(1);
    expect(title()).to.equal(undefined);
  });

  it('counts the age of a page from the start of its read', async () => {
    const { find, asked, title, clock } = openScene();
    void find();
    clock.advance(maxAgeMs);
    await asked[0]?.answer(aPage());
    expect(title()).to.equal(undefined);
  });

  it('serves nothing after the process was frozen', async () => {
    const { known, title, clock } = openScene();
    await known();
    expect(title()).to.equal('title 1');
    clock.advance(3_000); // between two requests
    expect(title()).to.equal(undefined);
  });

  it('serves nothing from the time on at which the drop expires', async () => {
    const { known, title, clock } = openScene();
    await known(aPage(1, 1, { expiresAt: clock.now() + 10 }));
    clock.advance(9);
    expect(title()).to.equal('title 1');
    clock.advance(1);
    expect(title()).to.equal(undefined);
  });

  it('serves nothing after a notice, until a read that began later', async () => {
    const { known, title, notice } = openScene();
    await known();
    notice('other');
    expect(title()).to.equal('title 1');
    notice();
    expect(title()).to.equal(undefined);
    await known(aPage(2));
    expect(title()).to.equal('title 2');
  });

  it('does not keep what a read found that began before a notice and ended after it', async () => {
    const { find, asked, title, notice } = openScene();
    const found = find();
    notice();
    await asked[0]?.answer(aPage());
    expect((await found).page?.title, 'the request itself began before the change').to.equal('title 1');
    expect(title()).to.equal(undefined);
  });

  it('does not keep what an older read found after a newer one found the page hidden', async () => {
    for (const hidden of [null, aPage(2, 1, { lock }), aPage(2, 1, { isTakenDown: true })]) {
      const { find, asked, title } = openScene();
      void find(1);
      void find(null);
      await asked[1]?.answer(hidden);
      await asked[0]?.answer(aPage());
      expect(title()).to.equal(undefined);
      expect(title(1)).to.equal(undefined);
    }
  });

  it('keeps the higher of two revisions, whichever read ends last', async () => {
    const { find, asked, title } = openScene();
    void find(1);
    void find(null);
    await asked[1]?.answer(aPage(2));
    await asked[0]?.answer(aPage(1));
    expect(title()).to.equal('title 2');
  });

  it('forgets the versions of an older revision', async () => {
    const { known, title } = openScene();
    await known(aPage(1, 1, { latestVersion: 2 }), 1);
    await known(aPage(1, 2));
    expect([title(1), title(2), title()]).to.deep.equal(['title 1', 'title 1', 'title 1']);
    await known(aPage(2, 3), null);
    expect([title(1), title(2), title()]).to.deep.equal([undefined, undefined, 'title 2']);
    await known({ ...aPage(3), version: null }, 3); // it was removed
    expect(title()).to.equal(undefined);
  });

  it('keeps five versions of a drop, and no locked, missing or removed page', async () => {
    const { known, title } = openScene();
    for (const number of [1, 2, 3, 4, 5, 6]) await known(aPage(1, number, { latestVersion: 6 }), number);
    const kept = [1, 2, 3, 4, 5, 6].filter((number) => title(number) !== undefined);
    expect(kept).to.deep.equal([2, 3, 4, 5, 6]);
    await known(aPage(1, 6, { lock }));
    expect(title()).to.equal(undefined);
    await known(null);
    expect(title()).to.equal(undefined);
  });

  it('is bounded by bytes', async () => {
    const { cache, asked } = openScene();
    for (let n = 0; n < 100; n++) {
      const found = cache.find(`s${n}`, null, () => true);
      await asked[n]?.answer(aPage(1, 1, { dropId: `d${n}`, slug: `s${n}` }));
      await found;
    }
    const kept = Array.from({ length: 100 }, (_, n) => n).filter(
      (n) => cache.getCached(`s${n}`, null) !== null,
    );
    expect(kept).to.have.length(60); // an eighth of 1 MB, about 2 KB each
    expect(kept[0]).to.equal(40);
  });

  describe('confirms pages in use', () => {
    it('in one query, so that they stay current', async () => {
      const { known, title, clock, revisions, confirmations } = openScene({ confirmEveryMs: 1 });
      revisions.set('abc', 1);
      await known();
      for (let round = 1; round <= 3; round++) {
        clock.advance(maxAgeMs - 1);
        expect(title(), `round ${round}`).to.equal('title 1');
        await until(() => confirmations.length === round, 'a confirmation');
        await aTurn();
      }
      expect(confirmations).to.deep.equal([['abc'], ['abc'], ['abc']]);
    });

    it('and forgets a page that has changed or is gone', async () => {
      for (const revision of [2, undefined]) {
        const { known, title, revisions, confirmations } = openScene({ confirmEveryMs: 1 });
        if (revision !== undefined) revisions.set('abc', revision);
        await known();
        title();
        await until(() => confirmations.length === 1, 'a confirmation');
        await aTurn();
        expect(title()).to.equal(undefined);
      }
    });

    it('but not with an answer that a notice has overtaken', async () => {
      const { known, title, notice, clock, revisions, confirmations, holdConfirmations } = openScene({
        confirmEveryMs: 1,
      });
      let answer = (): void => undefined;
      holdConfirmations(
        () =>
          new Promise((resolve) => {
            answer = resolve;
          }),
      );
      revisions.set('abc', 1);
      await known();
      title();
      await until(() => confirmations.length === 1, 'a confirmation');
      clock.advance(maxAgeMs - 1);
      notice();
      void known(aPage(2));
      answer();
      await aTurn();
      expect(title()).to.equal('title 2');
      clock.advance(maxAgeMs);
      expect(title()).to.equal(undefined);
    });
  });
});

describe('Look-up of a page', () => {
  it('reads for each request that memory does not answer, and waits however late the read is', async () => {
    const { find, asked, known, clock } = openScene();
    await known();
    const found = find();
    clock.advance(5_000);
    await asked[1]?.answer(aPage(2, 1, { lock }));
    expect(await found).to.deep.equal({ page: aPage(2, 1, { lock }), isConfirmed: true });
  });

  it('gives no request what a read found that began before it: 1,000 requests share the next read', async () => {
    const { find, asked } = openScene();
    const first = find();
    const others = Array.from({ length: 1_000 }, () => find());
    expect(asked).to.have.length(1);
    await asked[0]?.answer(aPage(1));
    expect((await first).page?.rev).to.equal(1);
    expect(asked).to.have.length(2);
    const late = find();
    await asked[1]?.answer(aPage(2, 1, { lock }));
    for (const { page } of await Promise.all(others)) expect(page?.rev).to.equal(2);
    await asked[2]?.answer(aPage(3));
    expect((await late).page?.rev, 'it arrived after the shared read began').to.equal(3);
    void find();
    expect(asked, 'no read was running').to.have.length(4);
  });

  it('reads other pages and other versions at the same time', () => {
    const { cache, find, asked } = openScene();
    for (const number of [null, null, 2, 1, 2]) void find(number);
    void cache.find('other', null, () => false);
    const begun = asked.map(({ slug, number }) => `${slug} ${number}`);
    expect(begun).to.deep.equal(['abc null', 'abc 2', 'abc 1', 'other null']);
  });

  it('fails only the requests of a failed read', async () => {
    const { find, asked } = openScene();
    const failing = rejectionOf(find());
    const next = find();
    await asked[0]?.fail(new Error('a fault of ours'));
    expect((await failing).message).to.equal('a fault of ours');
    await asked[1]?.answer(aPage());
    expect((await next).isConfirmed).to.equal(true);
  });

  it('fails also those that wait for the next read if the database is late, and then reads again', async () => {
    const { find, asked } = openScene();
    const late = unavailable('Database timeout.', 1, { reason: 'database_slow' });
    const failing = [find(), find(), find()].map(rejectionOf);
    await asked[0]?.fail(late);
    expect(await Promise.all(failing)).to.deep.equal([late, late, late]);
    const next = find();
    await asked[1]?.answer(aPage());
    expect((await next).isConfirmed).to.equal(true);
  });

  describe('while the database is down', () => {
    type Scene = ReturnType<typeof openScene>;

    async function findWhileDown({ find, asked }: Scene, number: number | null = null) {
      const found = find(number);
      await Promise.allSettled([found, asked.at(-1)?.fail(down())]);
      return found;
    }

    it('finds a page that was public within 60 s, and logs that once a minute with a count', async () => {
      const scene = openScene();
      await scene.known();
      scene.clock.advance(60_000);
      for (let n = 0; n < 100; n++) {
        const { page, isConfirmed } = await findWhileDown(scene);
        expect([page?.title, isConfirmed]).to.deep.equal(['title 1', false]);
      }
      expect(scene.log.lines.map(({ level, fields }) => [level, fields.cause])).to.deep.equal([
        ['warn', 'The database is down'],
      ]);
      await scene.known();
      scene.clock.advance(60_000);
      await findWhileDown(scene);
      expect(scene.log.lines.slice(1).map(({ fields }) => fields.count)).to.deep.equal([100]);
    });

    const fails: readonly (readonly [string, (scene: Scene) => Promise<unknown>])[] = [
      ['the page was never read', async () => undefined],
      ['another version was read', ({ known }) => known(aPage(1, 1, { latestVersion: 2 }), 1)],
      ['a read found it locked', ({ known }) => known(aPage(2, 1, { lock }))],
      ['a read found it deleted', ({ known }) => known(null)],
      ['a notice has come', async ({ notice }) => notice()],
      [
        'the drop has expired',
        async ({ known, clock }) => {
          await known(aPage(2, 1, { expiresAt: clock.now() + 10 }));
          clock.advance(10);
        },
      ],
      ['it was read more than 60 s ago', async ({ clock }) => clock.advance(60_001)],
    ];
    for (const [reason, prepare] of fails) {
      it(`fails if ${reason}`, async () => {
        const scene = openScene();
        if (!reason.includes('version') && !reason.includes('never')) await scene.known();
        await prepare(scene);
        const failure = rejectionOf(findWhileDown(scene));
        expect(await failure).to.include({ code: 'unavailable', isDown: true });
      });
    }

    it('fails if the page cannot be served without the database', async () => {
      const { cache, asked, known } = openScene();
      await known();
      const failure = rejectionOf(cache.find('abc', null, () => false));
      await asked[1]?.fail(down());
      expect(await failure).to.include({ isDown: true });
    });
  });

  it('fails if the database is only late or busy, although the page is in memory', async () => {
    for (const error of [unavailable('No connection was free.'), new Error('a fault of ours')]) {
      const { find, asked, known } = openScene();
      await known();
      const failure = rejectionOf(find());
      await asked[1]?.fail(error);
      expect(await failure).to.equal(error);
    }
  });
});
