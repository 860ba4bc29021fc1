import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** Adds the recorded views to drops and their days. */
export function createViewsAggregate({
  engine,
  clock,
}: Pick<WorkerDeps, 'engine' | 'clock'>): JobHandlers['views.aggregate'] {
  return () => engine.views.aggregate(clock.now());
}
