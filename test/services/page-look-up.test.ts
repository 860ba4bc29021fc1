import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { rejectionOf } from '../support/rejection.ts';
import { aPage, down, lock, openScene } from './page-cache-scene.ts';

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
