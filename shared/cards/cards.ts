import { createHash } from 'node:crypto';
import type { CardStore } from '../blobs/blob-store.ts';
import { unavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import type { MemoryReading } from '../metrics/metrics.ts';
import { CountedCache } from '../pages/counted-cache.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { withTimeout } from '../util/promises.ts';
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

interface Deps {
  readonly cards: CardStore;
  readonly drawCard: DrawCard;
  readonly log: Log;
  readonly config: { readonly BASE_URL: string; readonly PAGE_CACHE_BYTES: number };
  readonly requestWaitMs?: number;
}

/** Share cards, found by the digest of what they show. A card is drawn for its first reader, after one of each other owner. */
export class Cards {
  readonly #store: CardStore;
  readonly #drawCard: DrawCard;
  readonly #log: Log;
  readonly #host: string;
  readonly #requestWaitMs: number;
  readonly #turns = new FairQueue(1, maxWaiting);
  /** By digest. */
  readonly #counted;
  /** By drop id and digest. */
  readonly #inFlight = new Map<string, RunningDraw>();
  /** Cards that say nothing of a drop: drawn once in a process. */
  readonly #plain = new Map<'locked' | 'generic', Promise<Card>>();
  #isClosing = false;

  constructor({ cards, drawCard, log, config, requestWaitMs = defaultWaitMs }: Deps) {
    this.#store = cards;
    this.#drawCard = drawCard;
    this.#log = log;
    this.#host = new URL(config.BASE_URL).host;
    this.#requestWaitMs = requestWaitMs;
    this.#counted = new CountedCache<Card>(config.PAGE_CACHE_BYTES * share, ({ png }) => png.byteLength);
  }

  /** A part of the card's address, because other websites cache cards by address. */
  digest(source: CardSource): string {
    return cardDigest(pageCard(source, this.#host));
  }

  /** undefined: it is not in memory. */
  getCached(source: CardSource): Card | undefined {
    const card = this.#counted.cache.get(this.digest(source));
    this.#counted.count(card !== undefined);
    return card;
  }

  /** The memory for cards and how often it had one. */
  reading(): MemoryReading {
    return this.#counted.reading();
  }

  /** How many cards wait to be drawn. */
  waiting(): number {
    return this.#turns.waiting();
  }

  /** After about 2.5 s a generic card that names the host alone. `isFinal`: false for that, which no cache may keep. */
  async get(owner: CardOwner): Promise<{ readonly card: Card; readonly isFinal: boolean }> {
    const content = pageCard(owner, this.#host);
    const digest = cardDigest(content);
    let card = this.#counted.cache.get(digest) ?? (await this.#findStored(owner.dropId, digest));
    card ??= await this.#drawForRequest(owner, content);
    if (card === null) return { card: await this.#genericNow(), isFinal: false };
    this.#counted.cache.set(digest, card);
    return { card, isFinal: true };
  }

  /** The card of every locked drop. */
  locked(): Promise<Card> {
    return this.#drawPlain('locked');
  }

  /** Cards that wait for their turn fail. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const ends = [...this.#inFlight.values()].map(({ end }) => end);
    await Promise.allSettled([...ends, ...this.#plain.values()]);
  }

  async #findStored(dropId: string, digest: string): Promise<Card | null> {
    const stored = await this.#store.find(dropId);
    return stored?.digest === digest ? toCard(stored.png) : null;
  }

  async #drawForRequest(owner: CardOwner, content: CardContent): Promise<Card | null> {
    const waitMs = this.#requestWaitMs;
    try {
      return await withTimeout(
        waitMs,
        this.#draw(owner, content),
        () => new Error(`not drawn within ${waitMs} ms`),
      );
    } catch (err) {
      const { dropId } = owner;
      this.#log.warn({ err, dropId }, 'a card was not drawn in time; a generic one was sent');
      return null;
    }
  }

  #draw({ dropId, ownerId }: CardOwner, content: CardContent): Promise<Card> {
    const digest = cardDigest(content);
    const key = `${dropId}/${digest}`;
    const running = this.#inFlight.get(key);
    if (running !== undefined) return running.card;
    const card = this.#drawInTurn(ownerId, content);
    const end = card
      .then(
        (drawn) => this.#keep(dropId, digest, drawn),
        () => undefined, // the requests that wait report it
      )
      .finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, { card, end });
    return card;
  }

  async #keep(dropId: string, digest: string, card: Card): Promise<void> {
    this.#counted.cache.set(digest, card);
    try {
      await this.#store.put(dropId, { digest, png: card.png });
    } catch (err) {
      this.#log.warn({ err, dropId }, 'a card could not be stored');
    }
  }

  /** @throws DropError `unavailable` if the generic card is not drawn either */
  async #genericNow(): Promise<Card> {
    const late = () => unavailable('Too many cards are being drawn.');
    return withTimeout(genericWaitMs, this.#drawPlain('generic'), late);
  }

  #drawPlain(kind: 'locked' | 'generic'): Promise<Card> {
    const known = this.#plain.get(kind);
    if (known !== undefined) return known;
    const drawn = this.#drawInTurn(kind, plainCard(kind, this.#host));
    this.#plain.set(kind, drawn);
    drawn.catch(() => this.#plain.delete(kind)); // the next request tries again
    return drawn;
  }

  /** @throws DropError `unavailable` if too many cards wait, or the process stops */
  async #drawInTurn(turn: string, content: CardContent): Promise<Card> {
    const card = await this.#turns.run([turn], async () => {
      if (this.#isClosing) throw unavailable('The service is stopping.');
      return toCard(await this.#drawCard(content));
    });
    if (card === undefined) throw unavailable('Too many cards are being drawn.');
    return card;
  }
}

function toCard(bytes: Uint8Array): Card {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { png, etag: `"${createHash('sha256').update(png).digest('base64url').slice(0, 22)}"` };
}
