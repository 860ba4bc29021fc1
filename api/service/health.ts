import { openCall, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson } from '../http/send.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { exactShape, fields, named, type Wire } from '../openapi/shape.ts';

const healthShape = named('Health', fields({ status: exactShape('The check passed.', 'ok') }));
const healthy: Wire<typeof healthShape> = { status: 'ok' };

const healthOperations = {
  alive: {
    id: 'readHealth',
    tag: 'Health',
    summary: 'Check that the process runs',
    description: 'For process monitors.',
    replies: [json('The process runs.', healthShape, healthy)],
  },
  ready: {
    id: 'readReadiness',
    tag: 'Health',
    summary: 'Check that the service can work',
    description:
      'For load balancers and alerts. Answers 503 with `details.reason` while the database cannot be reached (`database_unreachable`) or does not answer in time (`database_slow`), ' +
      'or accepts no writes: `disk_full`, `disk_failed`, `database_read_only` (reading works then), or has the form of a newer release: `store_is_newer`.',
    replies: [json('The service can work.', healthShape, healthy)],
    refusals: ['unavailable'],
  },
} as const satisfies Record<string, Operation>;

export function healthRoutes({ services }: RouteParts): readonly Route[] {
  return [
    openCall('GET', '/healthz', healthOperations.alive, (_req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      sendJson(res, healthy);
    }),

    /** @throws DropError `unavailable` */
    openCall('GET', '/readyz', healthOperations.ready, async (_req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      await services.ready();
      sendJson(res, healthy);
    }),
  ];
}
