import { createHash } from 'node:crypto';
import type { CardStore } from '../blobs/blob-store.ts';
import { unavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import { createCountedCache } from '../pages/counted-cache.ts';
import { withTimeout } from '../util/promises.ts';
import { createFairQueue } from '../util/queues.ts';
import { type CardContent, type CardSource, cardDigest, type DrawCard, pageCard, plainCard } from './card.ts';

/** Programs that preview links wait about five seconds. */
const defaultWaitMs = 2_500;
/** How long it then waits for the generic card. */
const genericWaitMs = 500;
/** Cards that wait to be drawn. */
const maxWaiting = 64;
/** Memory for cards, as a share of PAGE_CACHE_BYTES. */
const share = 1 / 8;

/** A PNG with its strong ETag. */
export interface Card {
  readonly png: Buffer;
  readonly etag: string;
}

export interface CardOwner extends CardSource {
  readonly dropId: string;
  readonly ownerId: string;
}

interface RunningDraw {
  readonly card: Promise<Card>;
  /** Resolves when the card is stored, or cannot be. */
  readonly end: Promise<void>;
}

/** Share cards, found by the digest of what they show. A card is drawn for its first reader, after one of each other owner. */
export function createCards(deps: {
  cards: CardStore;
  drawCard: DrawCard;
  log: Log;
  config: { readonly BASE_URL: string; readonly PAGE_CACHE_BYTES: number };
  requestWaitMs?: number;
}) {
  const { cards: store, drawCard, log, config, requestWaitMs = defaultWaitMs } = deps;
  const { host } = new URL(config.BASE_URL);
  const turns = createFairQueue(1, maxWaiting);
  /** By digest. */
  const counted = createCountedCache<Card>(config.PAGE_CACHE_BYTES * share, ({ png }) => png.byteLength);
  const memory = counted.cache;
  /** By drop id and digest. */
  const inFlight = new Map<string, RunningDraw>();
  /** Cards that say nothing of a drop: drawn once in a process. */
  const plain = new Map<'locked' | 'generic', Promise<Card>>();
  let isClosing = false;

  /** @throws DropError `unavailable` if too many cards wait, or the process stops */
  async function drawInTurn(turn: string, content: CardContent): Promise<Card> {
    const card = await turns.run([turn], async () => {
      if (isClosing) throw unavailable('The service is stopping.');
      return toCard(await drawCard(content));
    });
    if (card === undefined) throw unavailable('Too many cards are being drawn.');
    return card;
  }

  function drawPlain(kind: 'locked' | 'generic'): Promise<Card> {
    const known = plain.get(kind);
    if (known !== undefined) return known;
    const drawn = drawInTurn(kind, plainCard(kind, host));
    plain.set(kind, drawn);
    drawn.catch(() => plain.delete(kind)); // the next request tries again
    return drawn;
  }

  function draw({ dropId, ownerId }: CardOwner, content: CardContent): Promise<Card> {
    const digest = cardDigest(content);
    const key = `${dropId}/${digest}`;
    const running = inFlight.get(key);
    if (running !== undefined) return running.card;
    const card = drawInTurn(ownerId, content);
    async function keep(drawn: Card): Promise<void> {
      memory.set(digest, drawn);
      try {
        await store.put(dropId, { digest, png: drawn.png });
      } catch (err) {
        log.warn({ err, dropId }, 'a card could not be stored');
      }
    }
    const end = card
      .then(keep, () => undefined) // the requests that wait report it
      .finally(() => inFlight.delete(key));
    inFlight.set(key, { card, end });
    return card;
  }

  async function findStored(dropId: string, digest: string): Promise<Card | null> {
    const stored = await store.find(dropId);
    return stored?.digest === digest ? toCard(stored.png) : null;
  }

  async function drawForRequest(owner: CardOwner, content: CardContent): Promise<Card | null> {
    const timeoutError = () => new Error(`not drawn within ${requestWaitMs} ms`);
    return withTimeout(requestWaitMs, draw(owner, content), timeoutError).catch((err: unknown) => {
      log.warn({ err, dropId: owner.dropId }, 'a card was not drawn in time; a generic one was sent');
      return null;
    });
  }

  /** @throws DropError `unavailable` if the generic card is not drawn either */
  async function genericNow(): Promise<Card> {
    return withTimeout(genericWaitMs, drawPlain('generic'), () =>
      unavailable('Too many cards are being drawn.'),
    );
  }

  return {
    /** A part of the card's address, because other websites cache cards by address. */
    digest: (source: CardSource): string => cardDigest(pageCard(source, host)),

    /** undefined: it is not in memory. */
    getCached(source: CardSource): Card | undefined {
      const card = memory.get(cardDigest(pageCard(source, host)));
      counted.count(card !== undefined);
      return card;
    },

    reading: counted.reading,

    waiting: turns.waiting,

    /** After about 2.5 s a generic card that names the host alone. `isFinal`: false for that, which no cache may keep. */
    async get(owner: CardOwner): Promise<{ readonly card: Card; readonly isFinal: boolean }> {
      const content = pageCard(owner, host);
      const digest = cardDigest(content);
      let card = memory.get(digest) ?? (await findStored(owner.dropId, digest));
      card ??= await drawForRequest(owner, content);
      if (card === null) return { card: await genericNow(), isFinal: false };
      memory.set(digest, card);
      return { card, isFinal: true };
    },

    /** The card of every locked drop. */
    locked: (): Promise<Card> => drawPlain('locked'),

    /** Cards that wait for their turn fail. */
    async close(): Promise<void> {
      isClosing = true;
      await Promise.allSettled([...[...inFlight.values()].map(({ end }) => end), ...plain.values()]);
    },
  };
}

function toCard(bytes: Uint8Array): Card {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { png, etag: `"${createHash('sha256').update(png).digest('base64url').slice(0, 22)}"` };
}
