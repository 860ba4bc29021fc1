import type { Request, Response } from 'express';
import type { PageWithVersion } from '../../shared/domain/drop.ts';
import type { Services } from '../../shared/open-services.ts';
import { readSlug } from '../http/parameters.ts';
import { sendJson } from '../http/send.ts';
import { createGate, setPageCaching } from './gate.ts';

/** What browser/viewer.ts reads. */
export interface Latest {
  /** The number of the latest version. */
  readonly latest_version: number;
  /** Its internal id, as in the address of the frame: a number is used again if its version is deleted. */
  readonly id: string;
  /** Unix ms. */
  readonly created_at: number;
}

/**
 * GET /p/{slug}/latest: viewer pages that are open ask every 20 s whether there is a newer version. Answered from memory
 * if the page is public, so that a crowd before one page costs no read of the database. Counts no view.
 */
export function latestHandler(services: Services) {
  const { pages } = services;
  const gate = createGate(services);

  return async (req: Request, res: Response): Promise<void> => {
    // What comes from memory must be sent before anything is awaited.
    const known = pages.getCached(readSlug(req), null);
    const page = known ?? (await gate.open(req, res, null));
    setPageCaching(res, page);
    sendJson(res, present(page));
  };
}

function present({ version }: PageWithVersion): Latest {
  return { latest_version: version.number, id: version.id, created_at: version.createdAt };
}
