import type { Config } from '../../shared/config/config.ts';
import { documentCodes, htmlBody, sampleDrop } from '../drops/operations.ts';
import { dropShape, presentDrop } from '../drops/presenter.ts';
import { json, type Operation, type Refusal } from '../openapi/operation.ts';
import { pathParameter, toJsonSchema } from '../openapi/request-schema.ts';
import { presentUpload, uploadShape } from './presenter.ts';
import { createUploadReaders } from './requests.ts';

const fieldCodes: readonly Refusal[] = [
  'title_required',
  'title_too_long',
  'description_too_long',
  'context_too_large',
  'passcode_too_short',
  'invalid_slug',
  'not_found',
  'version_conflict',
];

/** What `createUploadReaders` checks besides the fields. */
const rules = {
  dependentRequired: { if_match: ['slug'] },
  not: { required: ['slug', 'passcode'] },
};

export function uploadOperations(config: Config) {
  const drop = presentDrop(sampleDrop, config.BASE_URL);
  const secret = '7VgtJt0pDdvDZbqS2q5qzu0HxOq1cX9b';
  return {
    create: {
      id: 'createUpload',
      tag: 'Drops',
      summary: 'Publish a file without its bytes in the request',
      description:
        'For agents: the document goes from a file to `upload_url` by PUT, without a token, and does not pass through the model. The body is that of `POST /api/drops` without `html`; with `slug` it is that of `PUT /api/drops/{slug}`, and `if_match` stands for If-Match. `title` may be left out: then a new drop has the title of the document, and a drop whose title is that of its latest document gets that of the new one. At most 100 in 10 minutes.',
      body: {
        required: false,
        schema: { ...toJsonSchema(createUploadReaders(config).schema), ...rules },
        example: { title: sampleDrop.title },
      },
      replies: [
        json(
          'Where to send the document.',
          uploadShape,
          presentUpload({ secret, expiresAt: 1795272814339 }, config.BASE_URL),
          {
            status: 201,
          },
        ),
      ],
      refusals: fieldCodes,
    },
    put: {
      id: 'putUpload',
      tag: 'Drops',
      summary: 'Send the document of an upload',
      description:
        'Publishes for the token that asked; revoking the token ends the address. The same bytes again get the same answer, other bytes 409 `upload_used`; such repeats are no writes, and at most 10 in 10 minutes. A refused document leaves the address usable. Without a Content-Type, or with `application/octet-stream`, the body is HTML too.',
      limits: ['writes_per_minute', 'writes_per_day', 'drops_per_account', 'versions_per_drop'],
      parameters: [
        pathParameter('secret', 'The last part of `upload_url`.', { type: 'string', minLength: 1 }),
      ],
      body: { required: true, html: htmlBody(config) },
      replies: [
        json('A new drop.', dropShape, drop, {
          status: 201,
          headers: ['Location', 'ETag', 'Idempotency-Replayed'],
        }),
        json(
          'The drop with its new version.',
          dropShape,
          { ...drop, latest_version: 2 },
          {
            headers: ['ETag', 'Idempotency-Replayed'],
          },
        ),
      ],
      refusals: [
        ...documentCodes,
        'title_required',
        'not_found',
        'forbidden',
        'version_conflict',
        'invalid_json',
        ['invalid_json', 415],
        'upload_used',
        'idempotency_key_in_use',
        'rate_limited',
        'daily_quota_exceeded',
        'quota_exceeded',
        'version_limit_reached',
      ],
    },
  } as const satisfies Record<string, Operation>;
}
