import { existsSync } from 'node:fs';
import type { Context } from './context.ts';
import { usageError } from './errors.ts';
import { recall } from './project-file.ts';
import { pathOfPage } from './publish/source.ts';

/** The drop that an argument names. */
export interface Target {
  readonly slug: string;
  /** null: the live one. */
  readonly version: number | null;
  /** The published file that the argument is; null: it is a slug or an address. */
  readonly file: string | null;
}

/** What commands say of such an argument. */
export const targetHelp = 'the slug of the page, its address, or the file that was published';

/**
 * @param text `abc`, `https://drops.example/p/abc?v=2`, or a file that `.dropleaf.json` knows; all but addresses may end with
 * a version, as in `abc@2` @throws CliError if it is none of these
 */
export function readTarget(text: string, { url }: Pick<Context, 'url'>): Target {
  if (/^https?:\/\//i.test(text)) return readAddress(text, url);
  const [, name = text, at] = existsSync(text) ? [] : (/^(.+)@(\d{1,9})$/.exec(text) ?? []);
  const version = readVersion(at);
  const isFile = existsSync(name);
  const file = pathOfPage(name);
  const known = isFile ? recall(file, url) : null;
  if (known !== null) return { slug: known.slug, version, file };
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return { slug: name, version, file: null };
  const problem = isFile ? `${name} was not published to ${url}` : `there is no such page or file: ${name}`;
  throw usageError(`${problem}. Name ${targetHelp}`);
}

function readAddress(text: string, url: string): Target {
  const address = URL.canParse(text) ? new URL(text) : null;
  const [, slug] = /^\/p\/([A-Za-z0-9_-]{1,64})(?:\/raw)?\/?$/.exec(address?.pathname ?? '') ?? [];
  if (address === null || slug === undefined)
    throw usageError(`the address of a page is as ${url}/p/abc (got ${text})`);
  if (address.origin !== url) {
    throw usageError(
      `that page is on ${address.origin}, and this client uses ${url}: add --url ${address.origin}`,
    );
  }
  return { slug, version: readVersion(address.searchParams.get('v') ?? undefined), file: null };
}

function readVersion(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(`a version is a number from 1 (got ${text})`);
}
