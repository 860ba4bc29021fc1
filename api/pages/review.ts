import { basename } from 'node:path';
import { defensiveStyle } from '../../shared/html/insertion.ts';
import type { Body, BodyFacts } from '../../shared/pages/page-bodies.ts';
import type { Assets } from '../html/assets.ts';

/**
 * GET /p/{slug}/review: the raw page with browser/framed.ts, for the viewer's frame while its comments are open. @returns adds
 * the script to a body without encoding: after our style, before the page's own scripts; at the end of a page without that
 */
export function createReview(assets: Assets) {
  const source = assets.find(basename(assets.pathOf('framed.js')))?.bytes ?? '';
  const script = Buffer.from(`<script>${source}</script>`);

  return (body: Body | BodyFacts): Body | BodyFacts => {
    const byteLength = body.byteLength + script.length;
    const facts: BodyFacts = { encoding: 'identity', byteLength, etag: null, isFinal: true };
    if (!('bytes' in body)) return facts;
    const page = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength);
    const style = page.indexOf(defensiveStyle);
    const at = style < 0 ? page.length : style + defensiveStyle.length;
    return { ...facts, bytes: Buffer.concat([page.subarray(0, at), script, page.subarray(at)]) };
  };
}
