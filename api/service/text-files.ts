import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { splitList } from '../../shared/config/config.ts';
import { notFound } from '../../shared/domain/errors.ts';
import { dayMs } from '../../shared/domain/time-windows.ts';
import { createAssetSender } from '../http/content-encoding.ts';
import { securityTxtPath, servicePaths, skillPath } from '../http/paths.ts';
import { anyOrigin, open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendText } from '../http/send.ts';
import { readServedText } from './served-text.ts';

/** Crawlers may fetch pages, because only then they see `X-Robots-Tag: noindex`: without, the bare address is listed. */
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

const cacheControl = 'no-cache'; // the index and the skill must be of one release: a digest binds them

/** Files that agents look for at fixed addresses, without a token. */
export function agentFileRoutes({ services: { config } }: RouteParts): readonly Route[] {
  const skill = readServedText('skill.md', config);
  const [, name, description = ''] = /^name: (.*)\ndescription: (.*)$/m.exec(skill) ?? [];
  const index = {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      {
        name,
        type: 'skill-md',
        description: JSON.parse(description), // a JSON string is a YAML string
        url: skillPath,
        digest: `sha256:${createHash('sha256').update(skill).digest('hex')}`,
      },
    ],
  };
  const file = (path: string, type: string, text: string) => {
    const rules = { type: `${type}; charset=utf-8`, cacheControl, bytes: Buffer.from(text) };
    return open('GET', path, anyOrigin(createAssetSender(rules)));
  };
  return [
    /** https://llmstxt.org */
    file(servicePaths.llms, 'text/plain', readServedText('llms.txt', config)),
    /** Agent Skills Discovery 0.2.0 */
    file(servicePaths.skills, 'application/json', JSON.stringify(index, null, 2)),
    /** https://agentskills.io/specification */
    file(skillPath, 'text/markdown', skill),
  ];
}
