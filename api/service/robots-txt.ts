import type { Request, Response } from 'express';
import { sendText } from '../http/send.ts';

/**
 * Which pages may be listed they say themselves (`X-Robots-Tag`, http/send.ts), and a crawler that may not come here
 * could not read it: it would list the addresses that it finds elsewhere. What answers with JSON alone is closed.
 */
const text = `# Pages say by themselves, in X-Robots-Tag, whether they may be listed.
User-agent: *
Allow: /api/onboard
Disallow: /api/
`;

/** GET /robots.txt (RFC 9309). */
export function robotsHandlers() {
  return {
    show(_req: Request, res: Response): void {
      res.setHeader('Cache-Control', 'public, max-age=3600');
      sendText(res, 200, 'text/plain', text);
    },
  };
}
