import { createMongoAccountStore } from '../../shared/adapters/mongo/account-store.ts';
import { createMongoContextStore, createMongoHtmlStore } from '../../shared/adapters/mongo/blob-store.ts';
import { createMongoCardStore } from '../../shared/adapters/mongo/card-store.ts';
import type { Mongo } from '../../shared/adapters/mongo/connection.ts';
import { createMongoDropStore } from '../../shared/adapters/mongo/drop-store.ts';
import { createMongoIdempotencyStore } from '../../shared/adapters/mongo/idempotency-store.ts';
import { createMongoPendingTaskStore } from '../../shared/adapters/mongo/pending-task-store.ts';
import { createMongoRenderStore } from '../../shared/adapters/mongo/render-store.ts';
import { createMongoReportStore } from '../../shared/adapters/mongo/report-store.ts';
import { createMongoSessionStore } from '../../shared/adapters/mongo/session-store.ts';
import { createMongoSignInStore } from '../../shared/adapters/mongo/sign-in-store.ts';
import { createMongoTokenStore } from '../../shared/adapters/mongo/token-store.ts';
import { createMongoUploadStore } from '../../shared/adapters/mongo/upload-store.ts';
import { createMongoViewTotals } from '../../shared/adapters/mongo/view-totals.ts';
import type { Redis } from '../../shared/adapters/redis/connection.ts';
import { createRedisViewStore } from '../../shared/adapters/redis/view-store.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Faults } from './faults.ts';
import type { SceneStores } from './stage.ts';

/** The stores of jobs, over these connections. @param faults inject inside the store of views, too */
export function createMongoStores(
  connection: Mongo['connection'],
  redis: Redis,
  clock: Clock,
  faults?: Faults,
): SceneStores {
  const wrap = <T extends object>(part: T): T => faults?.wrap(part) ?? part;
  const html = createMongoHtmlStore(connection);
  const contexts = createMongoContextStore(connection);
  return {
    drops: createMongoDropStore(connection, { html, contexts }, clock),
    pendingTasks: createMongoPendingTaskStore(connection),
    idempotency: createMongoIdempotencyStore(connection),
    uploads: createMongoUploadStore(connection),
    accounts: createMongoAccountStore(connection),
    tokens: createMongoTokenStore(connection),
    html,
    contexts,
    renders: createMongoRenderStore(connection),
    cards: createMongoCardStore(connection),
    sessions: createMongoSessionStore(connection),
    signIns: createMongoSignInStore(connection),
    reports: createMongoReportStore(connection),
    views: createRedisViewStore(
      { ...redis, client: wrap(redis.client) },
      wrap(createMongoViewTotals(connection)),
    ),
  };
}
