import type { ServerResponse } from 'node:http';
import type { Caller } from '../../shared/domain/account.ts';
import type { WriteIds } from '../../shared/domain/drop.ts';
import type { Services } from '../../shared/open-services.ts';
import { readTarget } from '../http/if-match.ts';
import { type ApiRequest, queryOf, readSlug } from '../http/parameters.ts';
import { sendJson, sendNothing } from '../http/send.ts';
import { createHtmlBodyReaders } from './html-body.ts';
import { createDropQueryReader } from './list-query.ts';
import { presentDropList } from './presenter.ts';
import { createDropBodyReaders } from './requests.ts';
import { sendDrop, sendWritten } from './send-drop.ts';

/** Spec 4.4: the drops themselves. */
export function dropHandlers({ drops, idempotency, titles, config }: Services) {
  const bodies = createDropBodyReaders(config);
  const htmlBodies = createHtmlBodyReaders(bodies, titles);
  const readQuery = createDropQueryReader(config);
  const baseUrl = config.BASE_URL;

  return {
    async list(req: ApiRequest, res: ServerResponse, caller: Caller): Promise<void> {
      const query = readQuery(queryOf(req));
      sendJson(res, presentDropList(await drops.list(caller, query), query, baseUrl));
    },

    async create(req: ApiRequest, res: ServerResponse, caller: Caller): Promise<void> {
      const input =
        req.document === undefined
          ? bodies.readCreate(req.body)
          : await htmlBodies.readCreate(caller, req.document, queryOf(req));
      const create = (ids?: WriteIds) => drops.create(caller, input, ids);
      const written = await idempotency.once(caller, req.keyed ?? null, null, create);
      res.setHeader('Location', `/api/drops/${written.drop.slug}`);
      sendWritten(res, written, baseUrl, 201);
    },

    async read(req: ApiRequest, res: ServerResponse, caller: Caller): Promise<void> {
      sendDrop(res, await drops.get(caller, readSlug(req)), baseUrl);
    },

    async replace(req: ApiRequest, res: ServerResponse, caller: Caller): Promise<void> {
      const target = readTarget(req);
      const input =
        req.document === undefined
          ? bodies.readReplace(req.body)
          : htmlBodies.readReplace(req.document, queryOf(req));
      const add = (ids?: WriteIds) => drops.addVersion(caller, target, input, ids);
      sendWritten(res, await idempotency.once(caller, req.keyed ?? null, target.slug, add), baseUrl);
    },

    async patch(req: ApiRequest, res: ServerResponse, caller: Caller): Promise<void> {
      const target = readTarget(req);
      sendDrop(res, await drops.change(caller, target, bodies.readPatch(req.body)), baseUrl);
    },

    async remove(req: ApiRequest, res: ServerResponse, caller: Caller): Promise<void> {
      await drops.remove(caller, readTarget(req));
      sendNothing(res);
    },

    async setPasscode(req: ApiRequest, res: ServerResponse, caller: Caller): Promise<void> {
      const target = readTarget(req);
      sendDrop(res, await drops.setPasscode(caller, target, bodies.readPasscode(req.body)), baseUrl);
    },
  };
}
