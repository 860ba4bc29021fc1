import { unavailable } from '../../shared/domain/errors.ts';

/** Bytes of request bodies that are held right now, by all requests together and by each client. */
export interface BodyBudget {
  /** @throws DropError `unavailable` when there is no room for `bytes` more */
  take(client: string, bytes: number): void;
  giveBack(client: string, bytes: number): void;
}

/**
 * One client has at most a part of the room, so that it cannot lock out all others with bodies that never end.
 * @param largestBody room for one of these is any client's, however little there is
 * @param parts a client has one of so many
 */
export function createBodyBudget(maxBytes: number, largestBody: number, parts = 2): BodyBudget {
  const maxOfOne = Math.max(maxBytes / parts, largestBody);
  const heldBy = new Map<string, number>();
  let held = 0;
  return {
    take(client, bytes) {
      const mine = (heldBy.get(client) ?? 0) + bytes;
      if (held + bytes > maxBytes || mine > maxOfOne) {
        throw unavailable('Too many large requests at a time: try again.');
      }
      held += bytes;
      heldBy.set(client, mine);
    },
    giveBack(client, bytes) {
      const mine = (heldBy.get(client) ?? 0) - bytes;
      held -= bytes;
      if (mine > 0) heldBy.set(client, mine);
      else heldBy.delete(client);
    },
  };
}
