import { readFileSync } from 'node:fs';

/** The number of this release, from the package.json beside dist/. */
export function readRelease(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version; // proof: our own file
}
