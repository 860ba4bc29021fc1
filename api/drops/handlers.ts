import type { Request, Response } from 'express';
import type { Caller } from '../../shared/domain/account.ts';
import type { Services } from '../../shared/open-services.ts';
import { readSlug } from '../http/parameters.ts';
import { sendJson } from '../http/send.ts';
import { createDropQueryReader } from './list-query.ts';
import { presentDrop, presentDropList } from './presenter.ts';
import { createDropBodyReaders } from './requests.ts';

/** Spec 4.4: the drops themselves. */
export function dropHandlers({ drops, config }: Services) {
  const bodies = createDropBodyReaders(config);
  const readQuery = createDropQueryReader(config);
  const baseUrl = config.BASE_URL;

  return {
    async list(req: Request, res: Response, caller: Caller): Promise<void> {
      const query = readQuery(req.query);
      sendJson(res, presentDropList(await drops.list(caller, query), query, baseUrl));
    },

    async create(req: Request, res: Response, caller: Caller): Promise<void> {
      const drop = await drops.create(caller, bodies.readCreate(req.body));
      res.setHeader('Location', `/api/drops/${drop.slug}`);
      sendJson(res, presentDrop(drop, baseUrl), 201);
    },

    async read(req: Request, res: Response, caller: Caller): Promise<void> {
      sendJson(res, presentDrop(await drops.get(caller, readSlug(req)), baseUrl));
    },

    async replace(req: Request, res: Response, caller: Caller): Promise<void> {
      const slug = readSlug(req);
      const drop = await drops.addVersion(caller, slug, bodies.readReplace(req.body));
      sendJson(res, presentDrop(drop, baseUrl));
    },

    async patch(req: Request, res: Response, caller: Caller): Promise<void> {
      const slug = readSlug(req);
      sendJson(res, presentDrop(await drops.change(caller, slug, bodies.readPatch(req.body)), baseUrl));
    },

    async remove(req: Request, res: Response, caller: Caller): Promise<void> {
      await drops.remove(caller, readSlug(req));
      res.status(204).end();
    },

    async setPasscode(req: Request, res: Response, caller: Caller): Promise<void> {
      const slug = readSlug(req);
      const drop = await drops.setPasscode(caller, slug, bodies.readPasscode(req.body));
      sendJson(res, presentDrop(drop, baseUrl));
    },
  };
}
