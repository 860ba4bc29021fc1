import { createMongoBlobStore } from '../../shared/adapters/mongo/blob-store.ts';
import type { Mongo } from '../../shared/adapters/mongo/connection.ts';
import { createMongoContextStore } from '../../shared/adapters/mongo/context-store.ts';
import { createMongoDropStore } from '../../shared/adapters/mongo/drop-store.ts';
import { createMongoPendingTaskStore } from '../../shared/adapters/mongo/pending-task-store.ts';
import { createMongoRenderStore } from '../../shared/adapters/mongo/render-store.ts';
import { createMongoReportStore } from '../../shared/adapters/mongo/report-store.ts';
import { createMongoSignInStore } from '../../shared/adapters/mongo/sign-in-store.ts';
import { createMongoViewTotals } from '../../shared/adapters/mongo/view-totals.ts';
import type { Redis } from '../../shared/adapters/redis/connection.ts';
import { createRedisViewCounter } from '../../shared/adapters/redis/view-counter.ts';
import type { SceneStores } from './stage.ts';

/** The stores of jobs, over these connections. */
export function createMongoStores(connection: Mongo['connection'], redis: Redis): SceneStores {
  return {
    drops: createMongoDropStore(connection),
    pendingTasks: createMongoPendingTaskStore(connection),
    html: createMongoBlobStore(connection, 'html'),
    contexts: createMongoContextStore(connection),
    renders: createMongoRenderStore(connection),
    signIns: createMongoSignInStore(connection),
    reports: createMongoReportStore(connection),
    views: createRedisViewCounter(redis),
    viewTotals: createMongoViewTotals(connection),
  };
}
