import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { notFound } from '../../shared/domain/errors.ts';
import { type AssetFile, type Assets, assetsPath, manifestPath } from '../html/assets.ts';
import { createAssetSender } from '../http/content-encoding.ts';
import { servicePaths } from '../http/paths.ts';
import { anyOrigin, type Handler, open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';

/** For fixed addresses, because a release can change what they are. */
const aDay = 'public, max-age=86400';

/** Scripts, style sheets, icons and the manifest of our pages. */
export function assetRoutes({ assets }: RouteParts): readonly Route[] {
  const senders = new Map<string, Handler>();
  const sendNamed = (name: string) => createAssetSender({ ...findBuilt(assets, name), cacheControl: aDay });
  const bytes = Buffer.from(JSON.stringify(manifestOf(assets)));
  const sendManifest = createAssetSender({ type: 'application/manifest+json', cacheControl: aDay, bytes });

  return [
    /** The name contains a hash of the content. */
    open('GET', `${assetsPath}:name`, async (req, res) => {
      const name = String(req.params.name);
      const file = assets.find(name);
      if (file === null) throw notFound('path');
      const cacheControl = 'public, max-age=31536000, immutable';
      const send = senders.get(name) ?? createAssetSender({ ...file, cacheControl });
      senders.set(name, send);
      // An error page in the viewer's frame has no origin, or a drop's own (CONTENT_ORIGIN), and needs the style sheet.
      await forAnyPage(send)(req, res);
    }),

    /** Browsers ask for these two addresses also for pages without our `link` elements, such as raw pages, which have no origin. */
    open('GET', '/favicon.ico', forAnyPage(sendNamed('favicon.ico'))),
    open('GET', '/apple-touch-icon.png', forAnyPage(sendNamed('apple-touch-icon.png'))),

    /** https://www.w3.org/TR/appmanifest/ */
    open('GET', manifestPath, anyOrigin(sendManifest)),
  ];
}

/** Pages of every origin may show the file. */
function forAnyPage(send: Handler): Handler {
  return (req, res) => {
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    return send(req, res);
  };
}

function findBuilt(assets: Assets, name: string): AssetFile {
  const file = assets.find(basename(assets.pathOf(name)));
  if (file === null) throw new Error(`browser/ has no ${name}`);
  return file;
}

function manifestOf(assets: Assets) {
  const icon = (name: string, sizes: string) => {
    return { src: assets.pathOf(name), sizes, type: 'image/png', purpose: 'any maskable' };
  };
  return {
    name: 'Dropleaf',
    short_name: 'Dropleaf',
    description: 'Publish self-contained HTML pages',
    id: '/',
    start_url: '/',
    display: 'minimal-ui',
    background_color: '#f4f6f2',
    theme_color: '#1d6b41',
    icons: [icon('icon-192.png', '192x192'), icon('icon-512.png', '512x512')],
  };
}

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
