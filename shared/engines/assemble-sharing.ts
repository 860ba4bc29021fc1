import { AccessRequests } from '../access-requests/access-requests.ts';
import type { Clock } from '../domain/clock.ts';
import type { Drops } from '../drops/drops.ts';
import type { Readers } from '../identities/readers.ts';
import type { Limits } from '../limits/limits.ts';
import type { Engine } from './engine.ts';

/** What people ask of owners. */
export function assembleSharing(parts: {
  clock: Clock;
  engine: Engine;
  readers: Readers;
  drops: Drops;
  limits: Limits;
}) {
  const { clock, engine, readers, drops, limits } = parts;
  const accessRequests = new AccessRequests({
    requests: engine.accessRequests,
    accounts: engine.accounts,
    readers,
    drops,
    limits,
    clock,
  });
  return { accessRequests };
}
