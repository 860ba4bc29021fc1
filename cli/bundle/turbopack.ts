import querystring from 'node:querystring';
import type { Edit } from './edits.ts';

/** The list to which chunks of Turbopack add themselves. */
export const turbopackGlobal = 'TURBOPACK';

const ownElement = 'document.currentScript';
/** In so many units of UTF-16 a chunk begins. */
const maxStart = 300;
/** Next has its files in this folder, and its runtime names chunks relative to it. */
const chunkFolder = '_next/';

/** What the names of chunks in a chunk are relative to. null: it is none */
export function chunkRootOf(text: string, { href }: URL): URL | null {
  const end = href.lastIndexOf(`/${chunkFolder}`);
  if (end === -1 || !text.slice(0, maxStart).includes(turbopackGlobal)) return null;
  return new URL(href.slice(0, end + 1 + chunkFolder.length));
}

/** A chunk tells the runtime its name by the address of its element, which is not that of its file any more: it says its name. */
export function chunkNameEdits(text: string, url: URL): Edit[] {
  const root = chunkRootOf(text, url);
  const start = text.slice(0, maxStart).indexOf(ownElement);
  if (root === null || start === -1) return [];
  const name = querystring.unescape(url.pathname.slice(root.pathname.length));
  return [{ start, end: start + ownElement.length, text: JSON.stringify(name) }];
}
