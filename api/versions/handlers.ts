import type { Request, Response } from 'express';
import type { Caller } from '../../shared/domain/account.ts';
import type { Services } from '../../shared/open-services.ts';
import { presentDrop, presentVersion, presentVersionListItem } from '../drops/presenter.ts';
import { readSlug, readVersionNumber } from '../http/parameters.ts';
import { sendJson } from '../http/send.ts';

/** Spec 4.4: the versions of a drop. */
export function versionHandlers({ drops, config }: Services) {
  return {
    async list(req: Request, res: Response, caller: Caller): Promise<void> {
      const versions = await drops.listVersions(caller, readSlug(req));
      sendJson(res, versions.map(presentVersionListItem));
    },

    async read(req: Request, res: Response, caller: Caller): Promise<void> {
      const slug = readSlug(req);
      sendJson(res, presentVersion(slug, await drops.getVersion(caller, slug, readVersionNumber(req))));
    },

    async remove(req: Request, res: Response, caller: Caller): Promise<void> {
      const drop = await drops.removeVersion(caller, readSlug(req), readVersionNumber(req));
      sendJson(res, presentDrop(drop, config.BASE_URL));
    },
  };
}
