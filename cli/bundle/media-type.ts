import { lookup } from 'mrmime';

/** What files begin with, in hex, whatever their names say. */
const beginnings: readonly (readonly [type: string, beginning: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/avif', /^.{8}667479706176696[673]/],
  ['image/bmp', /^424d.{8}00000000/],
  ['image/x-icon', /^00000[12]00/],
  ['font/woff', /^774f4646/],
  ['font/woff2', /^774f4632/],
  ['font/otf', /^4f54544f/],
  ['font/ttf', /^00010000/],
  ['audio/wav', /^52494646.{8}57415645/],
  ['audio/mpeg', /^494433/],
  ['audio/flac', /^664c6143/],
  ['video/webm', /^1a45dfa3/],
  ['application/pdf', /^255044462d/],
];

const unknown = 'application/octet-stream';

/** By the first bytes, else by the extension of the name. @returns without parameters */
export function mediaTypeOf(name: string, bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 32)).toString('hex');
  const known = beginnings.find(([, beginning]) => beginning.test(start));
  return known?.[0] ?? lookup(name) ?? unknown;
}

/** What the attributes and style sheets of a page may show. A page that names a key or a password file does not get it. */
export function isShown(type: string): boolean {
  return /^(?:image|font|audio|video)\/|^text\/vtt$|^application\/pdf$|^application\/vnd\.ms-fontobject$/.test(
    type,
  );
}
