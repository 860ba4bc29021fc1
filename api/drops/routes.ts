import type { WriteIds } from '../../shared/drops/drop.ts';
import { readTarget } from '../http/if-match.ts';
import { queryOf, readSlug } from '../http/parameters.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson, sendNothing } from '../http/send.ts';
import { HtmlBodyReaders } from './html-body.ts';
import { DropQueryReader } from './list-query.ts';
import { dropOperations } from './operations.ts';
import { presentDropList, sendDrop, sendWritten } from './presenter.ts';
import { DropBodyReaders } from './requests.ts';
import { sharedRoute } from './shared.ts';
import { viewsRoute } from './views.ts';
import { sharingWarnings, warnIn } from './warnings.ts';

/** Spec 4.4: the drops themselves. */
export function dropRoutes(parts: RouteParts): readonly Route[] {
  const { services } = parts;
  const { drops, comments, idempotency, titles, followingTitles, config } = services;
  const docs = dropOperations(config);
  const bodies = new DropBodyReaders(config);
  const htmlBodies = new HtmlBodyReaders(bodies, titles);
  const queries = new DropQueryReader(config);
  const path = '/api/drops/:slug';

  return [
    call('GET', '/api/drops', 'withToken', docs.list, async (req, res, caller) => {
      const query = queries.read(queryOf(req));
      const found = await drops.list(caller, query);
      const counts = await comments.count(found.drops.map(({ id }) => id));
      sendJson(res, presentDropList(found, query, config.BASE_URL, counts));
    }),

    call('POST', '/api/drops', 'write', docs.create, async (req, res, caller, content) => {
      const input =
        content.html === null
          ? bodies.readCreate(content.json)
          : await htmlBodies.readCreate(caller, content.html, queryOf(req));
      const create = (ids?: WriteIds) => drops.create(caller, input, ids);
      const written = await idempotency.once(caller, content.idempotentRequest, null, create);
      res.setHeader('Location', `/api/drops/${written.drop.slug}`);
      await sendWritten(res, written, services, { isNew: true, document: input });
    }),

    call('GET', path, 'withToken', docs.read, async (req, res, caller) => {
      await sendDrop(res, await drops.get(caller, readSlug(req)), services);
    }),

    call('PUT', path, 'write', docs.replace, async (req, res, caller, content) => {
      const target = readTarget(req);
      const isDocument = content.html !== null;
      const input = isDocument
        ? htmlBodies.readReplace(content.html, queryOf(req))
        : bodies.readReplace(content.json);
      // Spec 4.4: with JSON, a title that is left out stays.
      const add = (ids?: WriteIds) =>
        isDocument
          ? followingTitles.addVersion(caller, target, input, { ids, warn: warnIn(res) })
          : drops.addVersion(caller, target, input, ids);
      const written = await idempotency.once(caller, content.idempotentRequest, target.slug, add);
      await sendWritten(res, written, services, { document: input });
    }),

    call('PATCH', path, 'documentChange', docs.patch, async (req, res, caller, { json }) => {
      const target = readTarget(req);
      const drop = await drops.change(caller, target, bodies.readPatch(json));
      sharingWarnings(drop, config).forEach(warnIn(res));
      await sendDrop(res, drop, services);
    }),

    call('DELETE', path, 'changeWithoutBody', docs.remove, async (req, res, caller) => {
      await drops.remove(caller, readTarget(req));
      sendNothing(res);
    }),

    call('POST', `${path}/passcode`, 'smallChange', docs.setPasscode, async (req, res, caller, { json }) => {
      const target = readTarget(req);
      await sendDrop(res, await drops.setPasscode(caller, target, bodies.readPasscode(json)), services);
    }),

    viewsRoute(parts),
    sharedRoute(parts),
  ];
}
