import type { Request, Response } from 'express';
import { splitList } from '../../shared/config/config.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { securityTxtPath } from '../http/paths.ts';
import { sendText } from '../http/send.ts';

/** RFC 9116 wants less than a year; it is made anew for each request, and said as of the day. */
const goodForDays = 180;
const dayMs = 86_400_000;

/** GET /.well-known/security.txt (RFC 9116): whom to tell of holes; there is none without a contact. */
export function securityTxtHandlers({ config, clock }: Services) {
  const contacts = splitList(config.SECURITY_CONTACT);
  const languages = splitList(config.SECURITY_LANGUAGES).join(', ');

  function text(): string {
    const today = Math.floor(clock.now() / dayMs);
    const expires = new Date((today + goodForDays) * dayMs).toISOString();
    return [
      ...contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${expires}`,
      ...splitList(config.SECURITY_POLICY).map((policy) => `Policy: ${policy}`),
      ...(languages === '' ? [] : [`Preferred-Languages: ${languages}`]),
      `Canonical: ${config.BASE_URL}${securityTxtPath}`,
      '',
    ].join('\n');
  }

  return {
    show(_req: Request, res: Response): void {
      if (contacts.length === 0) throw notFound('page');
      res.setHeader('Cache-Control', 'public, max-age=3600');
      sendText(res, 200, 'text/plain', text());
    },
  };
}
