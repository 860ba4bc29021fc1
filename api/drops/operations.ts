import type { Config } from '../../shared/config/config.ts';
import { sampleBody, sampleDrop, sampleQuery, sampleVersion } from '../openapi/examples.ts';
import { json, type Operation, type Refusal, type RequestBody } from '../openapi/operation.ts';
import type { RequestSchemas } from '../openapi/requests.ts';
import {
  dropListShape,
  dropShape,
  presentDrop,
  presentDropList,
  presentVersion,
  presentVersionListItem,
  versionListShape,
  versionShape,
} from './presenter.ts';

const ofDrop: readonly Refusal[] = ['invalid_slug', 'not_found'];
const ofDetails: readonly Refusal[] = ['title_required', 'title_too_long', 'description_too_long'];
const ofDocument: readonly Refusal[] = ['html_required', 'html_too_large', 'context_too_large'];

/** Spec 4.4: the drops and their versions. */
export function dropOperations(config: Config, requests: RequestSchemas) {
  const slug = [requests.slug];
  const drop = presentDrop(sampleDrop, config.BASE_URL);
  const list = presentDropList({ drops: [sampleDrop], total: 1 }, sampleQuery, config.BASE_URL);
  const changed = (latestVersion: number) => presentDrop({ ...sampleDrop, latestVersion }, config.BASE_URL);

  return {
    list: {
      id: 'listDrops',
      tag: 'Drops',
      summary: 'List your drops',
      description:
        'One page of the list. Drops that sort alike come newest first. A parameter with a misspelt name is ignored: check that the `metadata` of a match is what you asked for.',
      parameters: [...requests.list, requests.filters],
      replies: [json('One page of the list.', dropListShape, list)],
    },
    create: {
      id: 'createDrop',
      tag: 'Drops',
      summary: 'Publish a page',
      description: 'Makes a drop with version 1 at a new address.',
      limits: ['drops_per_account'],
      body: body(requests.create, sampleBody),
      replies: [
        json('The drop. Its page is public now.', dropShape, drop, { status: 201, headers: ['Location'] }),
      ],
      refusals: [...ofDetails, ...ofDocument, 'passcode_too_short', 'daily_quota_exceeded', 'quota_exceeded'],
    },
    read: {
      id: 'readDrop',
      tag: 'Drops',
      summary: 'Read a drop',
      description: 'A drop of the caller.',
      parameters: slug,
      replies: [json('The drop.', dropShape, drop)],
      refusals: ofDrop,
    },
    replace: {
      id: 'replaceDrop',
      tag: 'Drops',
      summary: 'Publish a new version',
      description:
        'Always makes a version, at the same address. `title`, `description` and `metadata` stay as they are when they are left out. `context` does not stay: each version has its own, or none. `passcode` is refused: use `POST /api/drops/{slug}/passcode`.',
      limits: ['versions_per_drop'],
      parameters: slug,
      body: body(requests.replace, { html: sampleBody.html }),
      replies: [json('The drop with its new version.', dropShape, changed(2))],
      refusals: [...ofDrop, ...ofDetails, ...ofDocument, 'daily_quota_exceeded', 'version_limit_reached'],
    },
    patch: {
      id: 'changeDrop',
      tag: 'Drops',
      summary: 'Change title, description or metadata',
      description:
        'Makes no version. A field that is left out stays as it is. `html` is refused with `metadata_only_on_patch`, `passcode` with `invalid_arg`: use PUT, and `POST /api/drops/{slug}/passcode`.',
      parameters: slug,
      body: body(requests.patch, { metadata: { project: 'demo' } }, false),
      replies: [json('The changed drop.', dropShape, drop)],
      refusals: [...ofDrop, ...ofDetails, 'metadata_only_on_patch'],
    },
    remove: {
      id: 'deleteDrop',
      tag: 'Drops',
      summary: 'Delete a drop',
      description: 'Deletes the drop and all its versions for good.',
      parameters: slug,
      replies: [{ status: 204, description: 'The drop is deleted.' }],
      refusals: ofDrop,
    },
    setPasscode: {
      id: 'setPasscode',
      tag: 'Drops',
      summary: 'Lock or unlock a drop',
      description:
        'Sets or changes the passcode; an empty one removes it. Viewers who had entered the old passcode must enter the new one. It is a soft gate, not encryption.',
      parameters: slug,
      body: body(requests.passcode, { passcode: 'open sesame' }),
      replies: [
        json('The drop; `locked` says whether it has a passcode now.', dropShape, { ...drop, locked: true }),
      ],
      refusals: [...ofDrop, 'passcode_required', 'passcode_too_short'],
    },
    listVersions: {
      id: 'listVersions',
      tag: 'Versions',
      summary: 'List the versions of a drop',
      description: 'All versions, newest first.',
      parameters: slug,
      replies: [json('The versions.', versionListShape, [presentVersionListItem(sampleVersion)])],
      refusals: ofDrop,
    },
    readVersion: {
      id: 'readVersion',
      tag: 'Versions',
      summary: 'Read a version',
      description: 'With its reasoning trace. Its HTML is at `/p/{slug}/raw?v={n}`.',
      parameters: [...slug, requests.version],
      replies: [
        json(
          'The version.',
          versionShape,
          presentVersion(sampleDrop.slug, {
            version: sampleVersion,
            context: 'Made from the figures of May.',
            isLatest: true,
          }),
        ),
      ],
      refusals: ofDrop,
    },
    removeVersion: {
      id: 'deleteVersion',
      tag: 'Versions',
      summary: 'Delete a version',
      description: 'The only version of a drop cannot be deleted: delete the drop instead.',
      parameters: [...slug, requests.version],
      replies: [
        json('The drop. `latest_version` is another one if the latest was deleted.', dropShape, drop),
      ],
      refusals: [...ofDrop, 'last_version_cannot_be_deleted'],
    },
  } as const satisfies Record<string, Operation>;
}

function body(schema: RequestBody['schema'], example: unknown, required = true): RequestBody {
  return { schema, example, required };
}
