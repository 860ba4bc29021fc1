import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { applyPlan, planRender } from '../../shared/html/insertion.ts';
import { type PictureCase, pictureCases } from './picture-cases.ts';

/** Of a picture on a page that is `width` wide. */
interface Box {
  readonly left: number;
  readonly width: number;
  readonly height: number;
  /** Whether a box of the author around it clips or scrolls it, and does not leave the page itself. */
  readonly isClipped: boolean;
}

export type MakePage = (html: string) => string;

export const asPosted: MakePage = (html) => html;
export const asRendered: MakePage = (html) => {
  const bytes = Buffer.from(html);
  return Buffer.from(applyPlan(bytes, planRender(bytes))).toString();
};

/** Serves the pictures of the cases, and each case as it is made by `ways`: /WAY/NUMBER. */
export async function servePictures(ways: readonly MakePage[], cases: readonly PictureCase[] = pictureCases) {
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    const [, width, height, kind] = /^\/img\/(\d+)x(\d+)\.(png|svg)$/.exec(url) ?? [];
    const [, way, number] = /^\/(\d+)\/(\d+)$/.exec(url) ?? [];
    const shown = cases[Number(number)];
    response.setHeader('cache-control', 'max-age=600');
    if (kind === 'png') {
      response.setHeader('content-type', 'image/png');
      response.end(pngOf(Number(width), Number(height)));
    } else if (kind === 'svg') {
      response.setHeader('content-type', 'image/svg+xml');
      response.end(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`);
    } else {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(shown ? ways[Number(way)]?.(documentOf(shown)) : '<!doctype html>');
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // proof: it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What is wrong with each case, made in this way, at this width, by its id. */
export async function judgePictures(
  page: Page,
  url: string,
  way: number,
  width: number,
  cases: readonly PictureCase[] = pictureCases,
): Promise<Map<string, string>> {
  await page.goto(url);
  const before = await page.evaluate<Box[][]>(measure(0, width, cases.length));
  const after = await page.evaluate<Box[][]>(measure(way, width, cases.length));
  const faults = new Map<string, string>();
  for (const [n, one] of cases.entries()) {
    const disk = before[n] ?? [];
    const mayShrink = disk.some((box) => leaves(box, width));
    const judge = mayShrink ? faultOfShrunk : faultOfKept;
    const fault = disk.map((box, k) => judge(box, after[n]?.[k], width, one)).find((told) => told !== null);
    if (fault) faults.set(one.id, fault);
  }
  return faults;
}

const tolerance = 1.5;
/** So much of a picture is left. */
const least = 40;
const phone = 320;

/** Whether it is cut off at the right edge of the page. */
function leaves({ left, width, isClipped }: Box, pageWidth: number): boolean {
  return !isClipped && left + width > pageWidth + tolerance;
}

/** Of a page on which all fits. */
function faultOfKept(disk: Box, raw: Box | undefined): string | null {
  if (raw === undefined) return 'is gone';
  return isNear(disk.width, raw.width) && isNear(disk.height, raw.height) ? null : tell(disk, raw, '');
}

/** Of a page on which something does not fit: it may shrink, and so may what stands beside it. */
function faultOfShrunk(
  disk: Box,
  raw: Box | undefined,
  width: number,
  { anyHeight, mayOverflow }: PictureCase,
): string | null {
  if (raw === undefined) return 'is gone';
  if (leaves(raw, width) && !mayOverflow && disk.width > phone) return tell(disk, raw, ', too wide');
  if (raw.width > disk.width + tolerance) return tell(disk, raw, ', grew');
  if (!anyHeight && !isAlike(disk, raw)) return tell(disk, raw, ', another shape');
  return raw.width < Math.min(least, disk.width) - tolerance ? tell(disk, raw, ', too small') : null;
}

function isAlike(disk: Box, raw: Box): boolean {
  const difference = Math.abs(raw.width * disk.height - raw.height * disk.width);
  return difference <= 0.03 * raw.width * disk.height + 2 * disk.width;
}

function tell(disk: Box, raw: Box, fault: string): string {
  const size = ({ width, height }: Box) => `${Math.round(width)} × ${Math.round(height)}`;
  return `${size(disk)} became ${size(raw)}${fault}`;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= tolerance;
}

function documentOf({ html, css }: PictureCase): string {
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Case</title><style>${css ?? ''}</style></head><body>${html}</body></html>`;
}

/** Runs in the page: opens each case in a frame of this width and measures its pictures. */
function measure(way: number, width: number, count: number): string {
  return `(async () => {
  document.body.replaceChildren();
  const frames = Array.from({ length: ${count} }, (_, n) => {
    const frame = document.createElement('iframe');
    frame.style = 'border:0;width:${width}px;height:800px;position:absolute;top:0;left:0;visibility:hidden';
    frame.src = '/${way}/' + n;
    document.body.append(frame);
    return frame;
  });
  await Promise.all(frames.map((frame) => new Promise((loaded) => { frame.onload = loaded; })));
  return frames.map(({ contentDocument: inner, contentWindow: own }) => Array.from(
    inner.querySelectorAll('img,svg,video,iframe,canvas,object,embed,input[type=image]'),
    (element) => {
      const { left, width, height } = element.getBoundingClientRect();
      let isClipped = false;
      for (let box = element.parentElement; box && box !== inner.body; box = box.parentElement)
        if (own.getComputedStyle(box).overflowX !== 'visible')
          isClipped ||= box.getBoundingClientRect().right <= ${width} + 1;
      return { left, width, height, isClipped };
    }));
})()`;
}

/** A picture of one colour. */
function pngOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1; // one bit a pixel, grey
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height);
  const parts: [string, Buffer][] = [
    ['IHDR', header],
    ['IDAT', deflateSync(rows)],
    ['IEND', Buffer.alloc(0)],
  ];
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, ...parts.map(([type, data]) => chunkOf(type, data))]);
}

function chunkOf(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
