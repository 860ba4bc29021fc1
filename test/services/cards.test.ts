import { expect } from 'chai';
import type { CardStore, StoredCard } from '../../shared/blobs/blob-store.ts';
import { Cards } from '../../shared/cards/cards.ts';
import { unavailable } from '../../shared/domain/errors.ts';
import { createCardRenderer } from '../support/card-renderer.ts';
import { createGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const aDrop = (title: string, ownerId = 'o') => ({
  dropId: `id of ${title}`,
  ownerId,
  title,
  description: null,
  createdAt: 0,
});

/** Over a store in memory and a renderer that draws when the test says so. */
function openScene({ requestWaitMs = 60_000 } = {}) {
  const stored = new Map<string, StoredCard>();
  const drawn: string[] = [];
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const store: CardStore = {
    put: async (dropId, card) => void stored.set(dropId, card),
    find: async (dropId) => stored.get(dropId) ?? null,
    delete: async (dropIds) => dropIds.forEach((id) => void stored.delete(id)),
    listIds: async () => [...stored.keys()],
  };
  const gate = createGate();
  const log = createRecordingLog();
  const drawCard = createCardRenderer(async ({ kind, title }) => {
    drawn.push(kind === 'page' ? title : kind);
    if (isHeld && kind === 'page') await new Promise<void>((resolve) => waiting.push(resolve));
  });
  const cards = new Cards({
    cards: gate.wrap(store),
    drawCard,
    log,
    requestWaitMs,
    config: { BASE_URL: 'https://drops.example', PAGE_CACHE_BYTES: 1_000_000 },
  });
  const textOf = async (drop: ReturnType<typeof aDrop>) => {
    const { card, isFinal } = await cards.get(drop);
    return { text: card.png.toString(), isFinal };
  };
  return {
    cards,
    stored,
    drawn,
    gate,
    log,
    textOf,
    hold() {
      isHeld = true;
    },
    /** Lets the card that is drawn be finished. @returns whether there was one */
    async next(): Promise<boolean> {
      await new Promise(setImmediate);
      const finish = waiting.shift();
      finish?.();
      await new Promise(setImmediate);
      return finish !== undefined;
    },
  };
}

describe('Cards', () => {
  it('draws a card once for parallel requests, stores it, and finds it there later', async () => {
    const { cards, stored, drawn, textOf } = openScene();
    const drop = aDrop('one');
    await Promise.all([textOf(drop), textOf(drop), textOf(drop)]);
    expect(drawn).to.deep.equal(['one']);
    expect(cards.getCached(drop)?.png.toString()).to.equal('page: one, ');
    const other = openScene();
    for (const [id, card] of stored) other.stored.set(id, card);
    expect(await other.textOf(drop)).to.deep.equal({ text: 'page: one, ', isFinal: true });
    expect(other.drawn).to.deep.equal([]);
  });

  it('never answers with the stored card of an earlier title', async () => {
    const { cards, textOf } = openScene();
    const before = aDrop('before');
    await textOf(before);
    const after = { ...before, title: 'after' };
    expect(cards.getCached(after)).to.equal(undefined);
    expect((await textOf(after)).text).to.equal('page: after, ');
    expect(cards.digest(after)).to.not.equal(cards.digest(before));
  });

  it('draws the card of one owner after one card of another, of which 45 wait', async () => {
    const { drawn, hold, next, textOf } = openScene();
    hold();
    const many = Array.from({ length: 45 }, (_, i) => textOf(aDrop(`hostile ${i}`, 'hostile')));
    const other = textOf(aDrop('other', 'another'));
    await next();
    await next();
    await other;
    expect(drawn.indexOf('other')).to.be.at.most(2);
    while (await next());
    await Promise.all(many);
  });

  it('answers with a generic card that is not final, if the card takes too long; later with the card', async () => {
    const { cards, hold, next, textOf, log } = openScene({ requestWaitMs: 20 });
    const drop = aDrop('slow');
    await cards.locked();
    hold();
    const early = textOf(drop);
    await until(() => log.lines.length > 0, 'the wait is over');
    await next();
    expect(await early).to.deep.equal({ text: 'generic: , ', isFinal: false });
    expect(log.lines[0]?.message).to.include('not drawn in time');
    expect(await textOf(drop)).to.deep.equal({ text: 'page: slow, ', isFinal: true });
  });

  it('answers with a card that could not be stored', async () => {
    const { drawn, gate, hold, log, next, textOf } = openScene();
    hold();
    const answer = textOf(aDrop('one'));
    await until(() => drawn.length > 0, 'it is drawn');
    gate.refuse(unavailable('The database is down.'));
    await next();
    expect((await answer).text).to.equal('page: one, ');
    await until(() => log.lines.length > 0, 'the failure is logged');
    expect(log.lines[0]?.message).to.equal('a card could not be stored');
  });
});
