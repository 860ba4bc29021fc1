import type { Request, Response } from 'express';
import { edgeSeconds } from '../../shared/config/config.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { sendBytes } from '../http/send.ts';
import { setDownloadHeaders } from '../versions/source.ts';
import { createGate } from './gate.ts';
import { createRawHeaders } from './raw-headers.ts';

/** A browser runs it at the end of the document, unless the document ends inside of a comment or a script of its own. */
const printScript = Buffer.from('\n<script>addEventListener("load", () => print())</script>\n');

/** The page to keep and to print. Neither counts a view: the viewer page that they are asked from has counted one. */
export function copyHandlers(services: Services) {
  const { pages, config, clock } = services;
  const gate = createGate(services);
  const rawHeaders = createRawHeaders(config, edgeSeconds(config), clock);

  return {
    /** GET /p/{slug}/download: the bytes as posted. */
    async download(req: Request, res: Response): Promise<void> {
      const page = await gate.open(req, res);
      const document = await pages.document(page);
      setDownloadHeaders(res, page.slug, page.version.number);
      sendBytes(res, 'text/html', document);
    },

    /**
     * GET /p/{slug}/print: the raw page, which asks the browser to print it. The viewer cannot print its frame whole: the
     * frame has another origin, and a printed viewer page shows one screen of it.
     */
    async print(req: Request, res: Response): Promise<void> {
      const page = await gate.open(req, res);
      const body = await pages.body(page, 'identity');
      if (body === null) throw notFound('version');
      rawHeaders.setForRefusal(res, null); // the same sandbox
      sendBytes(res, 'text/html', Buffer.concat([body.bytes, printScript]));
    },
  };
}
