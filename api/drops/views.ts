import { object } from 'yup';
import { maxViewDays, type ViewStats } from '../../shared/views/views.ts';
import { queryOf, readSlug, toPositiveInteger } from '../http/parameters.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson } from '../http/send.ts';
import { integerField, validate } from '../http/validate.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { queryParameters } from '../openapi/request-schema.ts';
import { fields, integerShape, list, named, textShape, type Wire } from '../openapi/shape.ts';

export const defaultViewDays = 30;

const viewsQuery = object({
  days: integerField('days', maxViewDays).meta({
    description: 'The number of days, up to today.',
    default: defaultViewDays,
  }),
});

const viewsShape = named(
  'Views',
  fields({
    view_count: integerShape('All views of the drop.', 0, { examples: [7] }),
    days: list(
      named(
        'DayViews',
        fields({
          date: textShape('The day in UTC.', { pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-01-31'] }),
          views: integerShape('The views on that day.', 0, { examples: [7] }),
        }),
      ),
    ),
  }),
);

export function presentViews(stats: Awaited<ReturnType<ViewStats['read']>>): Wire<typeof viewsShape> {
  return { view_count: stats.viewCount, days: stats.days };
}

/** docs/decisions/drops.md. */
const viewsOperation = {
  id: 'readViews',
  tag: 'Drops',
  summary: 'Read the views of a drop by day',
  description: `The views of each of the last days in UTC, oldest first, at most ${maxViewDays}. Updated every few seconds, as \`view_count\` of the drop.`,
  parameters: queryParameters(viewsQuery),
  replies: [json('The views.', viewsShape, { view_count: 7, days: [{ date: '2026-01-31', views: 7 }] })],
} as const satisfies Operation;

export function viewsRoute({ services: { viewStats } }: RouteParts): Route {
  return call('GET', '/api/drops/:slug/views', 'withToken', viewsOperation, async (req, res, caller) => {
    const slug = readSlug(req);
    const { days } = validate(viewsQuery, queryOf(req), 'query');
    const stats = await viewStats.read(caller, slug, toPositiveInteger(days) ?? defaultViewDays);
    sendJson(res, presentViews(stats));
  });
}
