import type { Request, Response } from 'express';
import type { Config } from '../../shared/config/config.ts';
import type { Caller } from '../../shared/domain/account.ts';
import type { Version } from '../../shared/domain/drop.ts';
import type { Services } from '../../shared/open-services.ts';
import { sampleDrop } from '../drops/operations.ts';
import { dropShape, presentDrop, slugShape } from '../drops/presenter.ts';
import { maxVersionNumber, readSlug, readVersionNumber } from '../http/parameters.ts';
import { sendJson } from '../http/send.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { pathParameter, slugParameter } from '../openapi/request-schema.ts';
import { fields, flag, integer, list, named, nullable, text, time, type Wire } from '../openapi/shape.ts';

const versionNumber = integer('The number of the version.', 1, { examples: [1] });
const sizeBytes = integer('UTF-8 bytes of the HTML as posted.', 1, { examples: [1024] });

const listItemShape = named(
  'VersionListItem',
  fields({
    version: versionNumber,
    size_bytes: sizeBytes,
    has_context: flag('Whether the version has a reasoning trace.'),
    created_at: time('When the version was posted.'),
  }),
);

const versionShape = named(
  'Version',
  fields({
    slug: slugShape,
    version: versionNumber,
    size_bytes: sizeBytes,
    context: nullable(text('The reasoning trace of this version. null: none.')),
    created_at: time('When the version was posted.'),
    is_latest: flag('Whether viewers see this version.'),
  }),
);

function presentListItem(version: Version): Wire<typeof listItemShape> {
  return {
    version: version.number,
    size_bytes: version.sizeBytes,
    has_context: version.hasContext,
    created_at: version.createdAt,
  };
}

function presentVersion(
  slug: string,
  { version, context, isLatest }: { version: Version; context: string | null; isLatest: boolean },
): Wire<typeof versionShape> {
  return {
    slug,
    version: version.number,
    size_bytes: version.sizeBytes,
    context,
    created_at: version.createdAt,
    is_latest: isLatest,
  };
}

export function versionOperations(config: Config) {
  const version: Version = {
    id: '01a3000000000000000000000000beef',
    number: 1,
    sizeBytes: 49,
    hasContext: true,
    mediaType: 'text/html',
    createdAt: sampleDrop.createdAt,
  };
  const context = 'Made from the figures of May.';
  const read = presentVersion(sampleDrop.slug, { version, context, isLatest: true });
  const parameters = [
    slugParameter,
    pathParameter('n', 'The number of the version.', {
      type: 'integer',
      minimum: 1,
      maximum: maxVersionNumber,
    }),
  ];
  const refusals = ['invalid_slug', 'not_found'] as const;

  return {
    list: {
      id: 'listVersions',
      tag: 'Versions',
      summary: 'List the versions of a drop',
      description: 'All versions, newest first.',
      parameters: [slugParameter],
      replies: [json('The versions.', list(listItemShape), [presentListItem(version)])],
      refusals,
    },
    read: {
      id: 'readVersion',
      tag: 'Versions',
      summary: 'Read a version',
      description: 'The version with its reasoning trace. Its HTML is at `/p/{slug}/raw?v={n}`.',
      parameters,
      replies: [json('The version.', versionShape, read)],
      refusals,
    },
    remove: {
      id: 'deleteVersion',
      tag: 'Versions',
      summary: 'Delete a version',
      description: 'The only version of a drop cannot be deleted: delete the drop instead.',
      parameters,
      replies: [
        json(
          'The drop. If the latest version was deleted, `latest_version` is the highest number that remains.',
          dropShape,
          presentDrop(sampleDrop, config.BASE_URL),
        ),
      ],
      refusals: [...refusals, 'last_version_cannot_be_deleted'],
    },
  } as const satisfies Record<string, Operation>;
}

/** Spec 4.4: the versions of a drop. */
export function versionHandlers({ drops, config }: Services) {
  return {
    async list(req: Request, res: Response, caller: Caller): Promise<void> {
      sendJson(res, (await drops.listVersions(caller, readSlug(req))).map(presentListItem));
    },

    async read(req: Request, res: Response, caller: Caller): Promise<void> {
      const slug = readSlug(req);
      sendJson(res, presentVersion(slug, await drops.getVersion(caller, slug, readVersionNumber(req))));
    },

    async remove(req: Request, res: Response, caller: Caller): Promise<void> {
      const drop = await drops.removeVersion(caller, readSlug(req), readVersionNumber(req));
      sendJson(res, presentDrop(drop, config.BASE_URL));
    },
  };
}
