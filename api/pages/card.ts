import type { Request, Response } from 'express';
import type { Card } from '../../shared/cards/cards.ts';
import { edgeSeconds } from '../../shared/config/config.ts';
import { notFound } from '../../shared/domain/errors.ts';
import { isPublic, isRestricted } from '../../shared/drops/access.ts';
import type { Page } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { isFresh } from '../http/entity-tags.ts';
import { readSlug } from '../http/parameters.ts';
import type { ServiceResponse } from '../http/send.ts';
import { refuseTakenDown } from './public-page.ts';
import { RawHeaders } from './raw-headers.ts';

/** GET /p/{slug}/card.png, for previews of links; no view. The query only changes the address, by which websites cache. */
export function cardHandler(services: Services) {
  const { pages, cards, clock, config } = services;
  const headers = new RawHeaders(config, edgeSeconds(config), clock);

  function send(req: Request, res: Response, page: Page, card: Card, isFinal: boolean): void {
    headers.setForCard(res, page, isFinal);
    if (isFinal && isPublic(page)) {
      res.setHeader('ETag', card.etag);
      if (isFresh(req.headers['if-none-match'], card.etag)) {
        res.writeHead(304).end();
        return;
      }
    }
    const answer: ServiceResponse = res;
    answer.locals.sharedBytes = card.png;
    res.setHeader('Content-Type', 'image/png');
    res.setHeader('Content-Length', card.png.byteLength);
    res.end(req.method === 'HEAD' ? undefined : card.png);
  }

  return async (req: Request, res: Response): Promise<void> => {
    const slug = readSlug(req);
    const known = pages.getCached(slug, null);
    const card = known === null ? undefined : cards.getCached(known);
    if (known !== null && card !== undefined) {
      send(req, res, known, card, true);
      return;
    }
    const page = await pages.find(slug, null);
    if (isRestricted(page)) throw notFound('page'); // websites that show cards show them to everybody
    refuseTakenDown(page);
    if (page.lock !== null) send(req, res, page, await cards.locked(), true);
    else {
      const found = await cards.get(page);
      send(req, res, page, found.card, found.isFinal);
    }
  };
}
