import type { Request, Response } from 'express';
import type { Services } from '../../shared/open-services.ts';
import { allowIndexing, sendPage } from '../http/send.ts';
import { homePage } from './home-page.ts';

export function homeHandlers({ config }: Services) {
  const page = homePage(config);
  return {
    show(_req: Request, res: Response): void {
      if (config.INDEXABLE) allowIndexing(res);
      sendPage(res, 200, page);
    },
  };
}
