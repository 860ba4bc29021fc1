import { unavailable } from '../../shared/domain/errors.ts';

/** Bytes of request bodies that are held right now, by all requests together. */
export interface BodyBudget {
  /** @throws DropError `unavailable` when there is no room for `bytes` more */
  take(bytes: number): void;
  giveBack(bytes: number): void;
}

export function createBodyBudget(maxBytes: number): BodyBudget {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > maxBytes) throw unavailable('Too many large requests at a time: try again.');
      held += bytes;
    },
    giveBack(bytes) {
      held -= bytes;
    },
  };
}
