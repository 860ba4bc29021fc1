import type { WriteIds } from '../../shared/drops/drop.ts';
import { readTarget } from '../http/if-match.ts';
import { queryOf, readSlug } from '../http/parameters.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson, sendNothing } from '../http/send.ts';
import { createHtmlBodyReaders } from './html-body.ts';
import { createDropQueryReader } from './list-query.ts';
import { dropOperations } from './operations.ts';
import { presentDropList, sendDrop, sendWritten } from './presenter.ts';
import { createDropBodyReaders } from './requests.ts';
import { viewsRoute } from './views.ts';

/** Spec 4.4: the drops themselves. */
export function dropRoutes(parts: RouteParts): readonly Route[] {
  const { drops, idempotency, titles, config } = parts.services;
  const docs = dropOperations(config);
  const bodies = createDropBodyReaders(config);
  const htmlBodies = createHtmlBodyReaders(bodies, titles);
  const readQuery = createDropQueryReader(config);
  const baseUrl = config.BASE_URL;
  const path = '/api/drops/:slug';

  return [
    call('GET', '/api/drops', 'withToken', docs.list, async (req, res, caller) => {
      const query = readQuery(queryOf(req));
      sendJson(res, presentDropList(await drops.list(caller, query), query, baseUrl));
    }),

    call('POST', '/api/drops', 'write', docs.create, async (req, res, caller, content) => {
      const input =
        content.html === null
          ? bodies.readCreate(content.json)
          : await htmlBodies.readCreate(caller, content.html, queryOf(req));
      const create = (ids?: WriteIds) => drops.create(caller, input, ids);
      const written = await idempotency.once(caller, content.idempotentRequest, null, create);
      res.setHeader('Location', `/api/drops/${written.drop.slug}`);
      sendWritten(res, written, baseUrl, 201);
    }),

    call('GET', path, 'withToken', docs.read, async (req, res, caller) => {
      sendDrop(res, await drops.get(caller, readSlug(req)), baseUrl);
    }),

    call('PUT', path, 'write', docs.replace, async (req, res, caller, content) => {
      const target = readTarget(req);
      const input =
        content.html === null
          ? bodies.readReplace(content.json)
          : htmlBodies.readReplace(content.html, queryOf(req));
      const add = (ids?: WriteIds) => drops.addVersion(caller, target, input, ids);
      sendWritten(res, await idempotency.once(caller, content.idempotentRequest, target.slug, add), baseUrl);
    }),

    call('PATCH', path, 'documentChange', docs.patch, async (req, res, caller, { json }) => {
      const target = readTarget(req);
      sendDrop(res, await drops.change(caller, target, bodies.readPatch(json)), baseUrl);
    }),

    call('DELETE', path, 'changeWithoutBody', docs.remove, async (req, res, caller) => {
      await drops.remove(caller, readTarget(req));
      sendNothing(res);
    }),

    call('POST', `${path}/passcode`, 'smallChange', docs.setPasscode, async (req, res, caller, { json }) => {
      const target = readTarget(req);
      sendDrop(res, await drops.setPasscode(caller, target, bodies.readPasscode(json)), baseUrl);
    }),

    viewsRoute(parts),
  ];
}
