import { expect } from 'chai';
import { until } from '../support/until.ts';
import { aPage, aTurn, lock, maxAgeMs, openScene } from './page-cache-scene.ts';

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
    for (const hidden of [
      null,
      aPage(2, 1, { lock }),
      aPage(2, 1, { access: 'members' }),
      aPage(2, 1, { isTakenDown: true }),
    ]) {
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

  it('keeps five versions of a drop, and no restricted, locked, missing or removed page', async () => {
    const { known, title } = openScene();
    for (const number of [1, 2, 3, 4, 5, 6]) await known(aPage(1, number, { latestVersion: 6 }), number);
    const kept = [1, 2, 3, 4, 5, 6].filter((number) => title(number) !== undefined);
    expect(kept).to.deep.equal([2, 3, 4, 5, 6]);
    for (const hidden of [aPage(1, 6, { access: 'named' }), aPage(1, 6, { lock }), null]) {
      await known(aPage(1, 6, { latestVersion: 6 }));
      expect(title()).to.equal('title 1');
      await known(hidden);
      expect(title()).to.equal(undefined);
    }
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
