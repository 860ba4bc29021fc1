import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Request, Response } from 'express';
import { notFound } from '../../shared/domain/errors.ts';
import { digestOf } from '../../shared/domain/etag.ts';
import { servicePaths } from '../http/paths.ts';
import { sendPage } from '../http/send.ts';
import { createAssetSender } from '../http/send-asset.ts';
import { docsPage } from './docs-page.ts';
import { docsScript } from './docs-script.ts';

const scriptType = 'text/javascript; charset=utf-8';
/** Another script has another name. */
const forEver = 'public, max-age=31536000, immutable';

/** Redoc shows its maker's logo from a CDN: here nothing is loaded from anywhere else. Its link stays. */
const foreignLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const noLogo = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';

/** A colour that no theme reaches, of patterns; docs-style.ts has its own. */
const fixedColour = '#0e7c86';

/** GET /docs: the description, readable. */
export function docsHandlers() {
  const bundle = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
  const files = new Map<string, ReturnType<typeof createAssetSender>>([
    asset('redoc', adapt(readFileSync(bundle, 'utf8'))),
    asset('start', docsScript),
  ]);
  const page = docsPage([...files.keys()].map((name) => `${servicePaths.docs}/${name}`));

  return {
    show(_req: Request, res: Response): void {
      res.setHeader('Cache-Control', 'no-cache');
      sendPage(res, 200, page);
    },

    async readScript(req: Request, res: Response): Promise<void> {
      const send = files.get(String(req.params.file));
      if (send === undefined) throw notFound('path');
      await send(req, res);
    },
  };
}

function adapt(bundle: string): string {
  return bundle.replaceAll(foreignLogo, noLogo).replaceAll(fixedColour, 'var(--leaf)');
}

/** By a name that holds its digest. */
function asset(name: string, text: string) {
  const bytes = Buffer.from(text);
  const digest = digestOf(bytes)
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 16);
  const sender = createAssetSender({ type: scriptType, bytes, cacheControl: forEver });
  return [`${name}-${digest}.js`, sender] as const;
}
