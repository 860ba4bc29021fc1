import { createMongoStores } from '../../shared/adapters/mongo/stores.ts';
import { createRedisViewStore } from '../../shared/adapters/redis/view-store.ts';
import { openTestMongo } from '../support/mongo.ts';
import { useRedis } from '../support/redis.ts';
import { describeAccountStoreContract } from './account-store.contract.ts';
import { describeAuditLogContract } from './audit-log.contract.ts';
import { describeBlobStoreContract } from './blob-store.contract.ts';
import { describeDropStoreContract } from './drop-store.contract.ts';
import { describeModerationStoreContract } from './moderation-store.contract.ts';
import { describePendingTaskStoreContract } from './pending-task-store.contract.ts';
import { describeRenderStoreContract } from './render-store.contract.ts';
import { describeReportStoreContract } from './report-store.contract.ts';
import { describeSecretStoreContract } from './secret-store.contract.ts';
import { describeSignInStoreContract } from './sign-in-store.contract.ts';
import type { Stores } from './stores.ts';
import { describeTokenStoreContract } from './token-store.contract.ts';
import { describeViewStoreContract } from './view-store.contract.ts';

describe('MongoDB and Redis', () => {
  const redis = useRedis();

  async function openStores(): Promise<Stores> {
    const { mongo, giveBack } = await openTestMongo();
    const { viewTotals, ...stores } = createMongoStores(mongo.connection);
    return {
      ...stores,
      views: createRedisViewStore(await redis.open(), viewTotals),
      close: giveBack,
    };
  }

  describeAccountStoreContract('MongoDB', openStores);
  describeTokenStoreContract('MongoDB', openStores);
  describeSignInStoreContract('MongoDB', openStores);
  describeDropStoreContract('MongoDB', openStores);
  describeModerationStoreContract('MongoDB', openStores);
  describeAuditLogContract('MongoDB', openStores);
  describePendingTaskStoreContract('MongoDB', openStores);
  describeBlobStoreContract('MongoDB', openStores);
  describeRenderStoreContract('MongoDB', openStores);
  describeReportStoreContract('MongoDB', openStores);
  describeViewStoreContract('MongoDB and Redis', openStores);
  describeSecretStoreContract('MongoDB', openStores);
});
