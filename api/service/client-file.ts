import { readFileSync } from 'node:fs';
import type { Config } from '../../shared/config/config.ts';
import { createAssetSender } from '../http/content-encoding.ts';

/** What scripts/build.js made of cli/. */
const builtFile = new URL('../../cli/cli.mjs', import.meta.url);
const placeholder = 'const DROPLEAF_SERVED_BY = null;';

/** GET /cli.mjs: the client as one file, which knows the address of this service. @throws Error if it is not built */
export function createClientFileSender({ BASE_URL }: Pick<Config, 'BASE_URL'>) {
  const parts = readBuiltFile().split(placeholder);
  if (parts.length !== 2)
    throw new Error(`${builtFile.pathname} is not the built client: run "npm run build"`);
  return createAssetSender({
    type: 'text/javascript; charset=utf-8',
    cacheControl: 'no-cache', // a new release of the service has a new client
    bytes: Buffer.from(parts.join(`const DROPLEAF_SERVED_BY = ${JSON.stringify(BASE_URL)};`)),
  });
}

function readBuiltFile(): string {
  try {
    return readFileSync(builtFile, 'utf8');
  } catch (cause) {
    throw new Error(`the client is not built: run "npm run build" (no ${builtFile.pathname})`, { cause });
  }
}
