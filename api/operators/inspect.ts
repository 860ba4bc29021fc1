import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import type { PageWithVersion } from '../../shared/drops/drop.ts';
import { queryOf, readSlug, toPositiveInteger } from '../http/parameters.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendBytes } from '../http/send.ts';
import type { Session } from '../http/session.ts';
import type { Shown } from '../http/show.ts';
import { setDownloadHeaders } from '../versions/source.ts';
import {
  framePolicy,
  type Inspection,
  inspectPage,
  withoutConnections,
  withoutLinks,
} from './inspect-page.ts';
import { gonePage, nameOf, type OperatorPage, operatorPages } from './pages.ts';
import { operatorPaths } from './parts.ts';

/** Time for which an inspection that was logged shows the version. */
const inspectMs = 60 * 60_000;
const purpose = 'operator inspection';

/**
 * A version as viewers see it, also if locked or taken down. The POST logs the inspection and seals a grant for the session.
 */
export function inspectRoutes(parts: RouteParts): readonly Route[] {
  const { moderation, pages, sealer, clock, config } = parts.services;
  const { page, form } = operatorPages(parts);

  /** @returns what to show instead: there is no such page or version */
  async function find(slug: string, number: number | null): Promise<PageWithVersion | OperatorPage> {
    try {
      return pages.requireVersion(await pages.find(slug, number));
    } catch (error) {
      const code = error instanceof DropError && error.code;
      if (code === 'not_found') return gonePage('page');
      if (code === 'version_not_found') return gonePage('version');
      throw error;
    }
  }

  /** Shows something of the page, unless the grant is for another inspection, or has expired, or the version was deleted. */
  function granted(
    show: (inspection: Inspection, req: Request, res: Response) => Promise<Shown<OperatorPage>>,
  ) {
    return async (req: Request, res: Response, session: Session): Promise<Shown<OperatorPage>> => {
      const slug = readSlug(req);
      const { g: grant } = queryOf(req);
      const content = typeof grant === 'string' ? await sealer.open(purpose, grant) : null;
      const read = (name: string): unknown =>
        typeof content === 'object' && content !== null ? Reflect.get(content, name) : undefined;
      const number = read('number');
      if (typeof grant !== 'string' || typeof number !== 'number' || read('session') !== session.id)
        return `${operatorPaths.page(slug)}?notice=inspection-ended`;
      const found = await find(slug, number);
      if (!('version' in found)) return found;
      // Another version may have its number now.
      return found.version.id === read('version')
        ? show({ page: found, grant }, req, res)
        : gonePage('version');
    };
  }

  const loadsAll = (req: Request) => queryOf(req).load === 'all';

  return [
    page(
      operatorPaths.inspect(':slug'),
      granted(async (inspection, req) =>
        inspectPage(inspection, await pages.document(inspection.page), {
          loadsAll: loadsAll(req),
          baseUrl: config.BASE_URL,
        }),
      ),
    ),

    /** The latest version unless `version` names another. */
    form(operatorPaths.inspect(':slug'), 'changes_per_minute', async (req, _, session, sent) => {
      const slug = readSlug(req);
      const found = await find(slug, toPositiveInteger(sent.get('version')));
      if (!('version' in found)) return found;
      const { id: version, number } = found.version;
      await moderation.inspect(slug, number, { by: nameOf(session) });
      const content = { session: session.id, version, number };
      const grant = await sealer.seal(purpose, content, clock.now() + inspectMs);
      return `${operatorPaths.inspect(slug)}?${new URLSearchParams({ g: grant })}`;
    }),

    page(
      operatorPaths.frame(':slug'),
      granted(async (inspection, req, res) => {
        const body = await pages.body(inspection.page, 'identity');
        if (body === null) return gonePage('version');
        res.setHeader('Content-Security-Policy', framePolicy(loadsAll(req)));
        res.setHeader('Referrer-Policy', 'no-referrer');
        res.setHeader('X-DNS-Prefetch-Control', 'off');
        const inert = withoutLinks(body.bytes);
        sendBytes(res, 'text/html', loadsAll(req) ? inert : withoutConnections(inert));
        return null;
      }),
    ),

    page(
      operatorPaths.source(':slug'),
      granted(async (inspection, _, res) => {
        const document = await pages.document(inspection.page);
        setDownloadHeaders(res, inspection.page.slug, inspection.page.version.number);
        sendBytes(res, 'text/html', document);
        return null;
      }),
    ),
  ];
}
