import { object } from 'yup';
import type { Config } from '../../shared/config/config.ts';
import type { OwnedVersion, WriteIds } from '../../shared/drops/drop.ts';
import { capTable } from '../../shared/limits/limit-table.ts';
import { readResolvesQuery, resolvesParameters } from '../comments/resolves.ts';
import { dropFieldTexts } from '../drops/fields.ts';
import { dropReply, sampleDrop } from '../drops/operations.ts';
import { sendDrop, sendWritten } from '../drops/presenter.ts';
import { ifMatchParameter, readTarget } from '../http/if-match.ts';
import { type ApiRequest, queryOf, readSlug, readVersionNumber } from '../http/parameters.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson } from '../http/send.ts';
import { oneOfField, validate } from '../http/validate.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { queryParameters } from '../openapi/request-schema.ts';
import { presentVersion, presentVersionListItem, versionListShape, versionShape } from './presenter.ts';
import { diffRoute, sourceRoutes } from './source.ts';

const includeQuery = object({
  include: oneOfField('include', ['published_by']).meta({
    description: '`published_by`: also with what each version was published.',
  }),
});

/** @throws DropError `invalid_arg` */
function asksForPublisher(req: ApiRequest): boolean {
  return validate(includeQuery, queryOf(req), 'query').include !== undefined;
}

function versionOperations(config: Config) {
  const sha256 = '96e3afeae430d6349206c36440b47b2d85a34f51ae6653562c666994868637ae';
  const version: OwnedVersion = {
    id: '01a3000000000000000000000000beef',
    number: 1,
    sizeBytes: 49,
    hasContext: true,
    mediaType: 'text/html',
    createdAt: sampleDrop.createdAt,
    publishedBy: null,
    sha256,
  };
  const context = dropFieldTexts.context.example;
  const read = presentVersion(sampleDrop.slug, { version, context, sha256, isLatest: true });

  return {
    list: {
      id: 'listVersions',
      tag: 'Versions',
      summary: 'List the versions of a drop',
      description: 'All versions, newest first. Old ones have no `sha256`.',
      parameters: queryParameters(includeQuery),
      replies: [json('The versions.', versionListShape, [presentVersionListItem(version)])],
    },
    read: {
      id: 'readVersion',
      tag: 'Versions',
      summary: 'Read a version',
      description: 'With its reasoning trace. Its HTML is at `/api/drops/{slug}/v/{n}/html`.',
      parameters: queryParameters(includeQuery),
      replies: [json('The version.', versionShape, read)],
    },
    remove: {
      id: 'deleteVersion',
      tag: 'Versions',
      summary: 'Delete a version',
      description: 'The only version of a drop cannot be deleted: delete the drop instead.',
      parameters: [ifMatchParameter],
      replies: [
        dropReply(
          'The drop. If the latest version was deleted, `latest_version` is the highest number that remains.',
          config,
        ),
      ],
      refusals: ['last_version_cannot_be_deleted'],
    },
    restore: {
      id: 'restoreVersion',
      tag: 'Versions',
      summary: 'Restore a version',
      description:
        'Publishes the version once more: a new version has the same HTML and reasoning trace. Title, description, metadata and passcode stay as they are. A write like PUT, also if the version is the latest one; a body is ignored.',
      limits: [capTable.versions],
      parameters: [ifMatchParameter, ...resolvesParameters],
      replies: [dropReply('The drop with its new version.', config, { latestVersion: 3 })],
      refusals: ['daily_quota_exceeded', 'quota_exceeded', 'version_limit_reached'],
    },
  } as const satisfies Record<string, Operation>;
}

/** Spec 4.4: the versions of a drop. */
export function versionRoutes(parts: RouteParts): readonly Route[] {
  const { drops, idempotency, config } = parts.services;
  const docs = versionOperations(config);
  const path = '/api/drops/:slug/v/:n';

  return [
    call('GET', '/api/drops/:slug/versions', 'withToken', docs.list, async (req, res, caller) => {
      const slug = readSlug(req);
      const hasPublisher = asksForPublisher(req);
      const versions = await drops.listVersions(caller, slug);
      sendJson(
        res,
        versions.map((version) => presentVersionListItem(version, hasPublisher)),
      );
    }),

    diffRoute(parts),
    ...sourceRoutes(parts),

    call('GET', path, 'withToken', docs.read, async (req, res, caller) => {
      const slug = readSlug(req);
      const number = readVersionNumber(req);
      const hasPublisher = asksForPublisher(req);
      sendJson(res, presentVersion(slug, await drops.getVersion(caller, slug, number), hasPublisher));
    }),

    call('DELETE', path, 'changeWithoutBody', docs.remove, async (req, res, caller) => {
      const drop = await drops.removeVersion(caller, readTarget(req), readVersionNumber(req));
      await sendDrop(res, drop, parts.services);
    }),

    call('POST', `${path}/restore`, 'writeWithoutBody', docs.restore, async (req, res, caller, content) => {
      const target = readTarget(req);
      const number = readVersionNumber(req);
      const resolves = readResolvesQuery(queryOf(req));
      const restore = (ids?: WriteIds) => drops.restoreVersion(caller, target, number, ids, { resolves });
      const written = await idempotency.once(caller, content.idempotentRequest, target.slug, restore);
      await sendWritten(res, written, parts.services);
    }),
  ];
}
