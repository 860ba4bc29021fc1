import { createHash } from 'node:crypto';
import { dayMs } from '../domain/time-windows.ts';

/** Raise it when the same content is drawn differently: stored cards are then drawn again. */
const template = 3;

/** The size of every card in pixels: what `og:image` recommends. */
export const cardWidth = 1_200;
export const cardHeight = 630;

/** What a share card says. */
export interface CardContent {
  /** `page`: a public drop; `locked`: any drop with a passcode; `generic`: any page of this service. */
  readonly kind: 'page' | 'locked' | 'generic';
  /** '' unless the card is of a page. */
  readonly title: string;
  readonly description: string;
  /** The UTC day on which the drop was created, Unix ms; null: none is shown. */
  readonly day: number | null;
  readonly host: string;
}

export interface CardSource {
  readonly title: string;
  readonly description: string | null;
  /** Unix ms. */
  readonly createdAt: number;
}

/** New versions do not change it. */
export function pageCard({ title, description, createdAt }: CardSource, host: string): CardContent {
  const day = createdAt - (createdAt % dayMs);
  return { kind: 'page', title, description: description ?? '', day, host };
}

/** A card that says nothing of the drop. */
export function plainCard(kind: 'locked' | 'generic', host: string): CardContent {
  return { kind, title: '', description: '', day: null, host };
}

/**
 * Draws a card in a thread, because titles can be hostile, and fetches nothing. Leaves out text that cannot be drawn in time.
 * @returns a PNG of 1200 × 630 pixels @throws if not even the host can be drawn
 */
export type DrawCard = (content: CardContent) => Promise<Uint8Array>;

/** Equal for equal content in the same template. URL-safe. */
export function cardDigest({ kind, title, description, day, host }: CardContent): string {
  const shown = JSON.stringify([template, kind, title, description, day, host]);
  return createHash('sha256').update(shown).digest('base64url').slice(0, 22);
}
