import type { OwnedVersion } from '../../shared/drops/drop.ts';
import type { Drops } from '../../shared/drops/drops.ts';
import { slugShape } from '../drops/presenter.ts';
import {
  fields,
  flag,
  integer,
  list,
  named,
  nullable,
  oneOf,
  optional,
  text,
  time,
  type Wire,
} from '../openapi/shape.ts';

const versionNumber = integer('The number of the version.', 1, { examples: [1] });
const sha256 = text('SHA-256 of the HTML as posted, in hex.', { pattern: '^[0-9a-f]{64}$' });
const sizeBytes = integer('UTF-8 bytes of the HTML as posted.', 1, { examples: [1024] });

const publisher = optional(
  nullable(
    named(
      'Publisher',
      fields(
        {
          kind: oneOf('`token`: a token of the API. `session`: somebody signed in to the dashboard.', [
            'token',
            'session',
          ]),
          id: text(
            'Of the token, as in `GET /api/tokens`, or of the session. It may have been revoked since.',
          ),
          label: nullable(text('The label that it had then. null: none.')),
        },
        'With what the version was published. Only with `include=published_by`; null: before this was stored.',
      ),
    ),
  ),
);

const versionListItemShape = named(
  'VersionListItem',
  fields({
    version: versionNumber,
    size_bytes: sizeBytes,
    sha256: optional(text('As that of the version.')),
    has_context: flag('Whether the version has a reasoning trace.'),
    created_at: time('When the version was posted.'),
    published_by: publisher,
  }),
);

export const versionListShape = list(versionListItemShape);

export const versionShape = named(
  'Version',
  fields({
    slug: slugShape,
    version: versionNumber,
    size_bytes: sizeBytes,
    sha256,
    context: nullable(text('The reasoning trace of this version. null: none.')),
    created_at: time('When the version was posted.'),
    is_latest: flag('Whether viewers see this version.'),
    published_by: publisher,
  }),
);

/** @param hasPublisher whether the client asks for `published_by` */
export function presentVersionListItem(
  version: OwnedVersion,
  hasPublisher = false,
): Wire<typeof versionListItemShape> {
  return {
    version: version.number,
    size_bytes: version.sizeBytes,
    sha256: version.sha256 ?? undefined,
    has_context: version.hasContext,
    created_at: version.createdAt,
    published_by: hasPublisher ? presentPublisher(version) : undefined,
  };
}

/** @param hasPublisher whether the client asks for `published_by` */
export function presentVersion(
  slug: string,
  { version, context, sha256, isLatest }: Awaited<ReturnType<Drops['getVersion']>>,
  hasPublisher = false,
): Wire<typeof versionShape> {
  return {
    slug,
    version: version.number,
    size_bytes: version.sizeBytes,
    sha256,
    context,
    created_at: version.createdAt,
    is_latest: isLatest,
    published_by: hasPublisher ? presentPublisher(version) : undefined,
  };
}

function presentPublisher({ publishedBy }: OwnedVersion) {
  if (publishedBy === null) return null;
  const { kind, id, label } = publishedBy;
  return { kind, id, label };
}
