import type { Request, Response } from 'express';
import type { Services } from '../../shared/open-services.ts';
import { sendJson } from '../http/send.ts';
import { healthy } from './health-presenter.ts';

/** For load balancers and watchdogs. */
export function healthHandlers(services: Services) {
  return {
    /** The process runs. */
    alive(_req: Request, res: Response): void {
      res.setHeader('Cache-Control', 'no-store');
      sendJson(res, healthy);
    },

    /** It can do its work. @throws DropError `unavailable` */
    async ready(_req: Request, res: Response): Promise<void> {
      res.setHeader('Cache-Control', 'no-store');
      await services.ready();
      sendJson(res, healthy);
    },
  };
}
