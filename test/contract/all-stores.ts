import { describeAccessRequestStoreContract } from './access-request-store.contract.ts';
import { describeAccountStoreContract } from './account-store.contract.ts';
import { describeArchiveStoreContract } from './archive-store.contract.ts';
import { describeAuditLogContract } from './audit-log.contract.ts';
import { describeBlobStoreContracts } from './blob-store.contract.ts';
import { describeCommentBoundsContract } from './comment-bounds.contract.ts';
import { describeCommentInboxContract } from './comment-inbox.contract.ts';
import { describeCommentStoreContract } from './comment-store.contract.ts';
import { describeCredentialStoresContract } from './credential-stores.contract.ts';
import { describeDailyQuotaContract } from './daily-quota.contract.ts';
import { describeDropAccessContract } from './drop-access.contract.ts';
import { describeDropExpiryContract } from './drop-expiry.contract.ts';
import { describeDropStoreContract } from './drop-store.contract.ts';
import { describeIdempotencyStoreContract } from './idempotency-store.contract.ts';
import { describeIdentityStoreContract } from './identity-store.contract.ts';
import { describeModerationStoreContract } from './moderation-store.contract.ts';
import { describePendingTaskStoreContract } from './pending-task-store.contract.ts';
import { describeRenderStoreContract } from './render-store.contract.ts';
import { describeReportStoreContract } from './report-store.contract.ts';
import { describeSecretStoreContract } from './secret-store.contract.ts';
import { describeSignInStoreContract } from './sign-in-store.contract.ts';
import type { OpenStores } from './stores.ts';
import { describeUploadStoreContract } from './upload-store.contract.ts';
import { describeViewStoreContract } from './view-store.contract.ts';

/** The contract of every store port, for one engine. */
export function describeAllStores(engine: string, openStores: OpenStores): void {
  for (const describeContract of [
    describeAccountStoreContract,
    describeIdentityStoreContract,
    describeCredentialStoresContract,
    describeSignInStoreContract,
    describeDropStoreContract,
    describeDropAccessContract,
    describeAccessRequestStoreContract,
    describeDropExpiryContract,
    describeDailyQuotaContract,
    describeModerationStoreContract,
    describeIdempotencyStoreContract,
    describeUploadStoreContract,
    describeAuditLogContract,
    describePendingTaskStoreContract,
    describeBlobStoreContracts,
    describeRenderStoreContract,
    describeReportStoreContract,
    describeCommentStoreContract,
    describeCommentBoundsContract,
    describeCommentInboxContract,
    describeViewStoreContract,
    describeSecretStoreContract,
    describeArchiveStoreContract,
  ]) {
    describeContract(engine, openStores);
  }
}
