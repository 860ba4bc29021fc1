import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** Expires sign-ins past their time, and removes those that expired SIGN_IN_KEEP_SECONDS ago (spec 3). */
export function createSignInExpire({
  engine,
  clock,
  config,
}: Pick<WorkerDeps, 'engine' | 'clock' | 'config'>): JobHandlers['sign-in.expire'] {
  return async () => {
    const now = clock.now();
    await engine.signIns.expire(now);
    await engine.signIns.removeExpiredBefore(now - config.SIGN_IN_KEEP_SECONDS * 1_000);
  };
}
