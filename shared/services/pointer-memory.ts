import { LRUCache } from 'lru-cache';
import type { Page, ShownPage } from '../domain/drop.ts';
import type { Clock } from '../ports/clock.ts';

/** How long what was read may stand in for a read. */
const trustedForMs = 60_000;
/** About as many pages as fit into the memory for their bodies; a pointer is a few hundred bytes. */
const maxSlugs = 10_000;
/** The latest, the same by its number in the viewer's frame, and some that people compare it with. */
const maxNumbersOfSlug = 4;

/** When a read began: as time, and in the order of all reads of this process. */
export interface Begun {
  readonly order: number;
  /** Unix ms. What the read found was true then or later. */
  readonly at: number;
}

interface Known {
  readonly page: ShownPage;
  readonly begun: Begun;
}

/** Which version stood at a public address, as completed reads found it. Bounded; the longest unread goes first. */
export function createPointerMemory(clock: Clock) {
  const memory = new LRUCache<string, Map<number | null, Known>>({ max: maxSlugs });

  return {
    /** A public page. What a read that began later has found stays. */
    keep(page: ShownPage, number: number | null, begun: Begun): void {
      let numbers = memory.get(page.slug);
      if (numbers === undefined) {
        numbers = new Map();
        memory.set(page.slug, numbers);
      }
      if (begun.order < (numbers.get(number)?.begun.order ?? 0)) return;
      numbers.delete(number); // so that it stands last: the first is the one that was confirmed longest ago
      numbers.set(number, { page, begun });
      if (numbers.size > maxNumbersOfSlug) {
        const [oldest = null] = numbers.keys();
        numbers.delete(oldest);
      }
    },

    /** @param number undefined: all of the slug */
    forget(slug: string, number?: number | null): void {
      if (number === undefined) memory.delete(slug);
      else memory.get(slug)?.delete(number);
    },

    /** What was public there within the last minute; null: nothing that is known. */
    recall(slug: string, number: number | null): ShownPage | null {
      const known = memory.get(slug)?.get(number);
      if (known === undefined) return null;
      const age = clock.now() - known.begun.at;
      return age >= 0 && age <= trustedForMs ? known.page : null;
    },
  };
}

/** Whether everybody may see the page, and there is one to see. */
export function isPublic(page: Page | null): page is ShownPage {
  return page !== null && !page.isTakenDown && page.lock === null && page.version !== null;
}
