import type { WriteIds } from '../../shared/domain/drop.ts';
import type { OpenUpload } from '../../shared/services/uploads.ts';
import { withTitle } from '../drops/document-title.ts';
import { checkNotEmpty } from '../drops/html-body.ts';
import { sendWritten } from '../drops/send-drop.ts';
import { htmlTooLarge } from '../http/access.ts';
import { checkUtf8, htmlBody } from '../http/body.ts';
import { hashRequest } from '../http/idempotency-key.ts';
import { call, openCall, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson } from '../http/send.ts';
import { uploadOperations } from './operations.ts';
import { presentUpload } from './presenter.ts';
import { createUploadReaders } from './requests.ts';

/** `curl -T` sends no Content-Type. */
const uploadTypes = /^(text\/html|application\/octet-stream|)$/;

/** One-time uploads: the request with a token, then the document without one. */
export function uploadRoutes({ services, readBody }: RouteParts): readonly Route[] {
  const { uploads, drops, titles, followingTitles, config } = services;
  const docs = uploadOperations(config);
  const readers = createUploadReaders(config);
  const { BASE_URL: baseUrl, HTML_MAX_BYTES: maxBytes } = config;
  const rules = { ...htmlBody, types: uploadTypes, maxBytes, tooLarge: () => htmlTooLarge(maxBytes) };

  function publish(upload: OpenUpload, html: Uint8Array) {
    const { caller, target } = upload;
    return async (ids?: WriteIds) => {
      if (target !== null)
        return followingTitles.addVersion(caller, target, readers.toReplace(upload, html), ids);
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
      await uploads.admit(upload);
      await readBody(req, caller.accountId, rules, async (html) => {
        checkUtf8(html);
        checkNotEmpty(html);
        const hash = await hashRequest(req, html);
        const written = await uploads.publish(upload, hash, publish(upload, html));
        if (target === null) res.setHeader('Location', `/api/drops/${written.drop.slug}`);
        sendWritten(res, written, baseUrl, target === null ? 201 : 200);
      });
    }),
  ];
}
