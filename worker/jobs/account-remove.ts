import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/**
 * Removes what the deletion of an account has left: because its process ended, or because a write that began before it
 * created a drop after it. `store.reconcile` enqueues it again until the account is erased.
 */
export function createAccountRemove({
  accounts,
}: Pick<WorkerDeps, 'accounts'>): JobHandlers['account.remove'] {
  return ({ accountId }) => accounts.finishRemoval(accountId);
}
