import type { OwnedVersion } from '../../shared/drops/drop.ts';
import type { Drops } from '../../shared/drops/drops.ts';
import { slugShape } from '../drops/presenter.ts';
import {
  fields,
  flagShape,
  integerShape,
  list,
  named,
  nullable,
  oneOfShape,
  optional,
  textShape,
  timeShape,
  type Wire,
} from '../openapi/shape.ts';

const versionNumber = integerShape('The number of the version.', 1, { examples: [1] });
const sha256 = textShape('SHA-256 of the HTML as posted, in hex.', { pattern: '^[0-9a-f]{64}$' });
const sizeBytes = integerShape('UTF-8 bytes of the HTML as posted.', 1, { examples: [1024] });

const publisher = optional(
  nullable(
    named(
      'Publisher',
      fields(
        {
          kind: oneOfShape('`token`: a token of the API. `session`: somebody signed in to the dashboard.', [
            'token',
            'session',
          ]),
          id: textShape(
            'Of the token, as in `GET /api/tokens`, or of the session. It may have been revoked since.',
          ),
          label: nullable(textShape('The label that it had then. null: none.')),
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
    sha256: optional(textShape('As that of the version.')),
    has_context: flagShape('Whether the version has a reasoning trace.'),
    created_at: timeShape('When the version was posted.'),
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
    context: nullable(textShape('The reasoning trace of this version. null: none.')),
    created_at: timeShape('When the version was posted.'),
    is_latest: flagShape('Whether viewers see this version.'),
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
