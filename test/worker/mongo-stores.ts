import type { Clock } from '../../shared/domain/clock.ts';
import type { Stores } from '../../shared/engines/engine.ts';
import type { Mongo } from '../../shared/mongo/connection.ts';
import { createMongoStores } from '../../shared/mongo/stores.ts';
import type { Redis } from '../../shared/redis/connection.ts';
import { RedisViews } from '../../shared/views/redis.ts';
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
    views: new RedisViews({ ...redis, client: wrap(redis.client) }, wrap(viewTotals)),
  };
}
