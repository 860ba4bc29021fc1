import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** What scripts/build.js made of browser/. */
const builtFolder = new URL('../../browser/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

export interface AssetFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The built scripts, style sheets and icons of our pages. */
export interface Assets {
  /** The path below BASE_URL: `style.css` → `/assets/style-1f2e3d4c5b6a.css`. @throws Error if nothing of that name was built */
  pathOf(name: string): string;
  /** By the name in `pathOf`, which has the hash. @returns null for none */
  find(hashedName: string): AssetFile | null;
}

export const assetsPath = '/assets/';
export const manifestPath = '/manifest.webmanifest';

/** Reads all of them. @throws Error if they are not built */
export function loadAssets(): Assets {
  const names = new Map(Object.entries(readNames()));
  const files = new Map(
    [...names.values()].map((name) => {
      const type = types[extname(name)] ?? 'application/octet-stream';
      return [name, { type, bytes: readFileSync(new URL(name, builtFolder)) }];
    }),
  );
  return {
    pathOf(name) {
      const built = names.get(name);
      if (built === undefined) throw new Error(`browser/ has no ${name}`);
      return assetsPath + built;
    },
    find: (name) => files.get(name) ?? null,
  };
}

function readNames(): Record<string, string> {
  const list = new URL('assets.json', builtFolder);
  try {
    return JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>; // proof: scripts/build.js wrote it
  } catch (cause) {
    throw new Error(`browser/ is not built: run "npm run build" (no ${list.pathname})`, { cause });
  }
}
