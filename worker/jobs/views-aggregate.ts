import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { ViewAggregation } from '../../shared/services/view-aggregation.ts';

export function handleViewsAggregate({
  viewAggregation,
}: {
  viewAggregation: ViewAggregation;
}): JobHandlers['views.aggregate'] {
  return () => viewAggregation.aggregate();
}
