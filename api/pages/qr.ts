import type { Request, Response } from 'express';
import { correction, generate } from 'lean-qr';
import { toSvgSource } from 'lean-qr/extras/svg';
import { readSlug } from '../http/parameters.ts';
import { pageUrl } from '../http/paths.ts';

const daySeconds = 86_400;
/** Modules of white around the code (ISO/IEC 18004). */
const quietZone = 4;

/**
 * GET /p/{slug}/qr.svg: the address of the page as a QR code, black on white in every colour scheme, because not every
 * reader reads the reverse. It contains nothing of the drop, so every valid slug has one, and nothing is looked up.
 */
export function qrHandler(baseUrl: string) {
  return (req: Request, res: Response): void => {
    const code = generate(pageUrl(baseUrl, readSlug(req)), { minCorrectionLevel: correction.M });
    const svg = toSvgSource(code, { on: '#000', off: '#fff', pad: quietZone, scale: 8 });
    res.setHeader('Content-Type', 'image/svg+xml');
    res.setHeader('Content-Length', Buffer.byteLength(svg));
    res.setHeader('Cache-Control', `public, max-age=${daySeconds}`);
    res.end(req.method === 'HEAD' ? undefined : svg);
  };
}
