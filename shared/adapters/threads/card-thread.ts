import { constants, platform, setPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { Resvg } from '@resvg/resvg-js';
import satori from 'satori';
import { type CardContent, cardHeight, cardWidth } from '../../domain/card.ts';
import { createCardFonts } from './card-fonts.ts';
import { cardOf } from './card-template.ts';
import { encodeIndexedPng } from './indexed-png.ts';

export interface CardTask {
  readonly content: CardContent;
}

/** A picture is 6 MB that V8 does not know of: left to itself it would free them only after gigabytes. */
const picturesInMemory = 5;

const fonts = createCardFonts();
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
let pictures = 0;

// On Linux the priority is the thread's: requests go before cards. Elsewhere it would be the process's.
if (platform() === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

/** Draws one card. @returns a PNG */
export async function drawCard({ id, content }: CardTask & { readonly id: number }): Promise<Uint8Array> {
  parentPort?.postMessage(id);
  const used = fonts.open();
  const card = cardOf(content, used);
  // Text becomes paths and there is no image: nothing is left to load.
  const svg = await satori(card as never, { width: cardWidth, height: cardHeight, fonts: used.list() }); // proof: satori takes any element like React's
  const png = toPng(svg);
  pictures += 1;
  if (pictures % picturesInMemory === 0) {
    await nextTurn(); // until then the last picture is in use
    collectGarbage();
  }
  return png;
}

function toPng(svg: string): Uint8Array {
  const image = new Resvg(svg, { font: { loadSystemFonts: false } }).render();
  return new Uint8Array(encodeIndexedPng(image.pixels, cardWidth, cardHeight) ?? image.asPng());
}
