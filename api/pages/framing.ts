import { basename } from 'node:path';
import { digestOf } from '../../shared/domain/etag.ts';
import type { Framing } from '../../shared/pages/body.ts';
import type { Assets } from '../html/assets.ts';

/** Of the digest, in ETags. */
const digestCharacters = 10;

/**
 * The script of `/p/{slug}/raw?framed=1`: browser/framed.ts. It talks to nobody but the service, whose origin it is told here.
 * @throws Error if the text could end the element
 */
export function createFraming(assets: Assets, { BASE_URL }: { readonly BASE_URL: string }): Framing {
  const source = assets.find(basename(assets.pathOf('framed.js')))?.bytes.toString('latin1') ?? '';
  if (/<\/script|<!--/i.test(source)) throw new Error('framed.js cannot stand in a page');
  const script = Buffer.from(
    `<script data-viewer="${new URL(BASE_URL).origin}">${source}</script>`,
    'latin1',
  );
  return { script, digest: digestOf(script).slice(0, digestCharacters) };
}
