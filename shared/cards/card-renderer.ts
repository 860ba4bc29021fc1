import type { CardContent } from './card.ts';

/** Draws share cards. Titles can be hostile, so this never runs on the event loop. */
export interface CardRenderer {
  /**
   * Fetches nothing. If the text cannot be drawn in time, the card shows the host alone.
   * @returns a PNG of 1200 × 630 pixels
   * @throws if not even that card can be drawn
   */
  render(content: CardContent): Promise<Uint8Array>;

  /** Waits for all cards, then ends the thread. */
  close(): Promise<void>;
}
