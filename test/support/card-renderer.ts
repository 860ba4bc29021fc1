import type { CardContent, DrawCard } from '../../shared/cards/card.ts';

/** What `createCardRenderer` draws instead of a picture. */
export function drawnText({ kind, title, description }: Omit<CardContent, 'day' | 'host'>): string {
  return `${kind}: ${title}, ${description}`;
}

/** Draws cards as text, at once. @param before awaited before each card */
export function createCardRenderer(
  before: (content: CardContent) => Promise<void> = async () => undefined,
): DrawCard {
  return async (content) => {
    await before(content);
    return Buffer.from(drawnText(content));
  };
}
