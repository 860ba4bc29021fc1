import { readFileSync } from 'node:fs';
import { knownForm as mongoForm } from './adapters/mongo/form.ts';
import { knownForm as sqliteForm } from './adapters/sqlite/form.ts';

/** The number of this release, from the package.json beside dist/. */
export function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version; // proof: our own file
}

/** The form of the stored data that this release works on. */
export function storeForm(engine: 'embedded' | 'scale-out'): number {
  return engine === 'embedded' ? sqliteForm() : mongoForm;
}
