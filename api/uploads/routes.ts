import type { Config } from '../../shared/config/config.ts';
import type { WriteIds } from '../../shared/drops/drop.ts';
import { capTable, limitTable } from '../../shared/limits/limit-table.ts';
import type { OpenUpload } from '../../shared/uploads/uploads.ts';
import { checkNotEmpty, withTitle } from '../drops/html-body.ts';
import { describedHtml, documentCodes, dropReply, sampleDrop } from '../drops/operations.ts';
import { sendWritten } from '../drops/presenter.ts';
import { warnIn } from '../drops/warnings.ts';
import { checkUtf8, htmlBody } from '../http/body.ts';
import { visitorOf } from '../http/client-address.ts';
import { htmlTooLarge } from '../http/content.ts';
import { hashRequest } from '../http/idempotency-key.ts';
import { call, openCall, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson } from '../http/send.ts';
import { type ErrorCase, json, type Operation } from '../openapi/operation.ts';
import { toJsonSchema } from '../openapi/request-schema.ts';
import { contextOf, presentUpload, UploadReaders, uploadShape } from './schema.ts';

const fieldCodes: readonly ErrorCase[] = [
  'title_required',
  'title_too_long',
  'description_too_long',
  'context_too_large',
  'passcode_too_short',
  'invalid_slug',
  'not_found',
  'version_conflict',
];

/** What `UploadReaders` checks besides the fields. */
const rules = {
  dependentRequired: {
    if_match: ['slug'],
    people_add: ['slug'],
    people_remove: ['slug'],
    resolves: ['slug'],
    resolves_reply: ['slug', 'resolves'],
  },
  not: { required: ['slug', 'passcode'] },
};

function uploadOperations(config: Config) {
  const sample = { secret: '7VgtJt0pDdvDZbqS2q5qzu0HxOq1cX9b', expiresAt: 1795272814339 };
  const upload = presentUpload(sample, config.BASE_URL);
  const headers = ['ETag', 'Idempotency-Replayed'] as const;
  return {
    create: {
      id: 'createUpload',
      tag: 'Drops',
      summary: 'Publish a file without its bytes in the request',
      description:
        'For agents: the document goes from a file to `upload_url` by PUT, without a token, and does not pass through the model. The body is that of `POST /api/drops` without `html`; with `slug` it is that of `PUT /api/drops/{slug}`, and `if_match` stands for If-Match. `title` may be left out: then a new drop has the title of the document, and a drop whose title is that of its latest document gets that of the new one. At most 100 in 10 minutes.',
      body: {
        required: false,
        schema: { ...toJsonSchema(new UploadReaders(config).schema), ...rules },
        example: { title: sampleDrop.title },
      },
      replies: [json('Where to send the document.', uploadShape, upload, { status: 201 })],
      refusals: fieldCodes,
    },
    put: {
      id: 'putUpload',
      tag: 'Drops',
      summary: 'Send the document of an upload',
      description:
        'Publishes for the token that asked; revoking the token ends the address. The same bytes again get the same answer, other bytes 409 `upload_used`; such repeats are no writes, and at most 10 in 10 minutes. A refused document leaves the address usable, 10 times in 10 minutes. Without a Content-Type, or with `application/octet-stream`, the body is HTML too.',
      limits: [limitTable.write, limitTable.writeOfDay, capTable.drops, capTable.versions],
      body: { required: true, html: describedHtml(config) },
      replies: [
        dropReply('A new drop.', config, {}, { status: 201, headers: ['Location', ...headers] }),
        dropReply('The drop with its new version.', config, { latestVersion: 2 }, { headers }),
      ],
      refusals: [
        ...documentCodes,
        'title_required',
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

/** `curl -T` sends no Content-Type. */
const uploadTypes = /^(text\/html|application\/octet-stream|)$/;

/** One-time uploads: the request with a token, then the document without one. */
export function uploadRoutes({ services, readBody }: RouteParts): readonly Route[] {
  const { uploads, drops, titles, followingTitles, resolvedAlready, config } = services;
  const docs = uploadOperations(config);
  const readers = new UploadReaders(config);
  const { BASE_URL: baseUrl, HTML_MAX_BYTES: maxBytes } = config;
  const rules = { ...htmlBody, types: uploadTypes, maxBytes, tooLarge: () => htmlTooLarge(maxBytes) };

  function publish(upload: OpenUpload, html: Uint8Array, warn: (warning: string) => void) {
    const { caller, target } = upload;
    return async (ids?: WriteIds) => {
      if (target !== null) {
        const version = readers.toReplace(upload, html);
        const unchanged = await resolvedAlready.replyInstead(caller, target, version, { ids, warn });
        return unchanged ?? followingTitles.addVersion(caller, target, version, { ids, warn });
      }
      const input = readers.toCreate(upload, html);
      return drops.create(
        caller,
        await withTitle(titles, caller, input, 'ask for an address with title'),
        ids,
      );
    };
  }

  return [
    call('POST', '/api/uploads', 'documentChange', docs.create, async (_req, res, caller, { json }) => {
      const { request, details } = readers.read(json);
      sendJson(res, presentUpload(await uploads.create(caller, request, details), baseUrl), 201);
    }),

    openCall('PUT', '/u/:secret', docs.put, async (req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      const upload = await uploads.open(String(req.params.secret));
      const { caller, target } = upload;
      res.locals.accountId = caller.accountId; // for the log and the count of unread answers (server/listener.ts)
      // Everybody who has seen the address can begin a document: until it is whole, it costs its sender alone.
      await readBody(req, visitorOf(req.ip).network, rules, async (html) => {
        await uploads.admit(upload);
        checkUtf8(html);
        checkNotEmpty(html);
        const hash = await hashRequest(req, html);
        const written = await uploads.publish(upload, hash, publish(upload, html, warnIn(res)));
        const isNew = target === null;
        if (isNew) res.setHeader('Location', `/api/drops/${written.drop.slug}`);
        const document = { html, context: contextOf(upload) };
        await sendWritten(res, written, services, { isNew, document });
      });
    }),
  ];
}
