import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Window } from '../../domain/windows.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';

/**
 * Counts in this process. The window's id is part of what is counted, so the caller's clock decides when a new
 * one begins; the library's own timers, which hold no process up, only forget what is over.
 */
export function createMemoryRateLimiter(): RateLimiter {
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 0 });

  return {
    async take(key, limit, window) {
      const { consumedPoints } = await counter.penalty(nameOf(key, window), 1, keptFor(window));
      if (consumedPoints <= limit) return true;
      await counter.reward(nameOf(key, window), 1, keptFor(window)); // a refused one does not count
      return false;
    },

    async giveBack(key, window) {
      const counted = await counter.get(nameOf(key, window));
      if (counted === null || counted.consumedPoints < 1) return;
      await counter.reward(nameOf(key, window), 1, keptFor(window));
    },
  };
}

function nameOf(key: string, window: Window): string {
  return `${window.durationMs}/${window.id}/${key}`;
}

function keptFor(window: Window): { customDuration: number } {
  return { customDuration: window.durationMs / 1000 };
}
