import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { Views } from '../../shared/services/views.ts';

export function handleViewsAggregate({
  views,
}: {
  views: Pick<Views, 'aggregate'>;
}): JobHandlers['views.aggregate'] {
  return () => views.aggregate();
}
