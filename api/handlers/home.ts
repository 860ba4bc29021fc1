import type { Request, Response } from 'express';
import type { Services } from '../../shared/open-services.ts';
import { allowIndexing } from '../noindex.ts';
import { homePage } from '../pages/home.ts';
import { sendPage } from './send-page.ts';

export function homeHandlers({ config }: Services) {
  const page = homePage(config);
  return {
    show(_req: Request, res: Response): void {
      if (config.INDEXABLE) allowIndexing(res);
      sendPage(res, 200, page);
    },
  };
}
