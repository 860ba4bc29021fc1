import { readFileSync } from 'node:fs';
import { createAssetSender } from '../http/content-encoding.ts';
import { servicePaths } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';

/** What scripts/build.js made of cli/. */
const builtFile = new URL('../../cli/cli.mjs', import.meta.url);
const placeholder = 'const DROPLEAF_SERVED_BY = null;';

/** The client as one file, which knows the address of this service. @throws Error if it is not built */
export function clientFileRoutes({ services: { config } }: RouteParts): readonly Route[] {
  const parts = readBuiltFile().split(placeholder);
  if (parts.length !== 2)
    throw new Error(`${builtFile.pathname} is not the built client: run "npm run build"`);
  const send = createAssetSender({
    type: 'text/javascript; charset=utf-8',
    cacheControl: 'no-cache', // a new release of the service has a new client
    bytes: Buffer.from(parts.join(`const DROPLEAF_SERVED_BY = ${JSON.stringify(config.BASE_URL)};`)),
  });
  return [open('GET', servicePaths.client, send)];
}

function readBuiltFile(): string {
  try {
    return readFileSync(builtFile, 'utf8');
  } catch (cause) {
    throw new Error(`the client is not built: run "npm run build" (no ${builtFile.pathname})`, { cause });
  }
}
