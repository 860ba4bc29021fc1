import { createMongoContextStore, createMongoHtmlStore } from '../../shared/adapters/mongo/blob-store.ts';
import type { Mongo } from '../../shared/adapters/mongo/connection.ts';
import { createMongoDropStore } from '../../shared/adapters/mongo/drop-store.ts';
import { createMongoPendingTaskStore } from '../../shared/adapters/mongo/pending-task-store.ts';
import { createMongoRenderStore } from '../../shared/adapters/mongo/render-store.ts';
import { createMongoReportStore } from '../../shared/adapters/mongo/report-store.ts';
import { createMongoSignInStore } from '../../shared/adapters/mongo/sign-in-store.ts';
import { createMongoViewTotals } from '../../shared/adapters/mongo/view-totals.ts';
import type { Redis } from '../../shared/adapters/redis/connection.ts';
import { createRedisViewStore } from '../../shared/adapters/redis/view-store.ts';
import type { Faults } from './faults.ts';
import type { SceneStores } from './stage.ts';

/** The stores of jobs, over these connections. @param faults inject inside the store of views, too */
export function createMongoStores(
  connection: Mongo['connection'],
  redis: Redis,
  faults?: Faults,
): SceneStores {
  const wrap = <T extends object>(part: T): T => faults?.wrap(part) ?? part;
  return {
    drops: createMongoDropStore(connection),
    pendingTasks: createMongoPendingTaskStore(connection),
    html: createMongoHtmlStore(connection),
    contexts: createMongoContextStore(connection),
    renders: createMongoRenderStore(connection),
    signIns: createMongoSignInStore(connection),
    reports: createMongoReportStore(connection),
    views: createRedisViewStore(
      { ...redis, client: wrap(redis.client) },
      wrap(createMongoViewTotals(connection)),
    ),
  };
}
