import type { Mongo } from '../../shared/adapters/mongo/connection.ts';
import { createMongoStores } from '../../shared/adapters/mongo/stores.ts';
import type { Redis } from '../../shared/adapters/redis/connection.ts';
import { createRedisViewStore } from '../../shared/adapters/redis/view-store.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Stores } from '../../shared/ports/engine.ts';
import type { Faults } from './faults.ts';

/** The stores of jobs, over these connections. @param faults inject inside the store of views, too */
export function createSceneStores(
  connection: Mongo['connection'],
  redis: Redis,
  clock: Clock,
  faults?: Faults,
): Stores {
  const wrap = <T extends object>(part: T): T => faults?.wrap(part) ?? part;
  const { viewTotals, ...stores } = createMongoStores(connection, clock);
  return {
    ...stores,
    views: createRedisViewStore({ ...redis, client: wrap(redis.client) }, wrap(viewTotals)),
  };
}
