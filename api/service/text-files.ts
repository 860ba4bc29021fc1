import type { Response } from 'express';
import { splitList } from '../../shared/config/config.ts';
import { notFound } from '../../shared/domain/errors.ts';
import { dayMs } from '../../shared/domain/windows.ts';
import { securityTxtPath } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendText } from '../http/send.ts';

/**
 * Crawlers may fetch pages, because only then they see `X-Robots-Tag: noindex` (api/http). A page that they must not
 * fetch would be listed under an address that they found elsewhere.
 */
const robotsTxt = `# Each page says in X-Robots-Tag whether it may be listed.
User-agent: *
Allow: /api/onboard
Disallow: /api/
`;

/** RFC 9116 recommends less than a year. */
const securityTxtDays = 180;

export function textFileRoutes({ services: { config, clock } }: RouteParts): readonly Route[] {
  const contacts = splitList(config.SECURITY_CONTACT);
  const languages = splitList(config.SECURITY_LANGUAGES).join(', ');

  function send(res: Response, text: string): void {
    res.setHeader('Cache-Control', 'public, max-age=3600');
    sendText(res, 200, 'text/plain', text);
  }

  return [
    /** RFC 9309 */
    open('GET', '/robots.txt', (_req, res) => send(res, robotsTxt)),

    /** RFC 9116. @throws DropError `not_found` if no contact is set */
    open('GET', securityTxtPath, (_req, res) => {
      if (contacts.length === 0) throw notFound('page');
      const today = Math.floor(clock.now() / dayMs);
      const lines = [
        ...contacts.map((contact) => `Contact: ${contact}`),
        `Expires: ${new Date((today + securityTxtDays) * dayMs).toISOString()}`,
        ...splitList(config.SECURITY_POLICY).map((policy) => `Policy: ${policy}`),
        ...(languages === '' ? [] : [`Preferred-Languages: ${languages}`]),
        `Canonical: ${config.BASE_URL}${securityTxtPath}`,
      ];
      send(res, `${lines.join('\n')}\n`);
    }),
  ];
}
