import type { Context } from '../context.ts';
import { readLive } from '../drop.ts';
import { CliError } from '../errors.ts';
import { type Published, recallAll } from '../project-file.ts';
import { fields, isText, optional } from '../shape.ts';
import { hash, type Page, type PageOptions, readPage } from './page.ts';

/** A published file beside its page. */
export interface FileStatus {
  readonly file: string;
  readonly slug: string;
  /** The address of its page. */
  readonly url: string;
  /** The version that was published from it. */
  readonly version: number;
  readonly status: 'unchanged' | 'changed' | 'newer there' | 'gone' | 'expired' | 'unreadable';
  /** Whether it was changed here, too, and not only there. */
  readonly changed_here?: true;
  /** Why it is unreadable. */
  readonly problem?: string;
}

const atOnce = 8;

/** @returns the files that `.dropleaf.json` in the folder knows, in its order @throws CliError if the service does not answer */
export async function readStatus(context: Context, folder: string): Promise<FileStatus[]> {
  const rest = recallAll(folder, context.url);
  const found: FileStatus[] = [];
  while (rest.length > 0)
    found.push(...(await Promise.all(rest.splice(0, atOnce).map((one) => statusOf(context, ...one)))));
  return found;
}

async function statusOf(context: Context, file: string, known: Published): Promise<FileStatus> {
  const { slug, version, sha256 } = known;
  const say = (status: FileStatus['status'], more: Partial<FileStatus> = {}): FileStatus => ({
    ...{ file, status, slug, url: `${context.url}/p/${slug}`, version },
    ...more,
  });
  const there = await hashOfLive(context, known);
  if (there === null)
    return say((known.expires_at ?? Number.POSITIVE_INFINITY) <= Date.now() ? 'expired' : 'gone');
  let page: Page;
  try {
    page = await readAgain(context, file, known);
  } catch (error) {
    if (error instanceof CliError) return say('unreadable', { problem: error.message });
    throw error;
  }
  if (there !== sha256 && there !== page.sha256)
    return say('newer there', page.sha256 === sha256 ? {} : { changed_here: true });
  const isSameContext = page.context === null || page.context.sha256 === known.context_sha256;
  return say(page.sha256 === there && isSameContext ? 'unchanged' : 'changed');
}

/** What makes of a file what was published from it the last time. @param known null: it is not remembered */
export function asBefore(file: string, known: Published | null): PageOptions {
  return {
    file,
    html: known?.as === 'html',
    text: known?.as === 'text',
    context: known !== null && known.context_sha256 === undefined ? false : undefined,
  };
}

/** The page that a file makes; nothing is refused or asked. */
export function readAgain(context: Context, file: string, known: Published | null): Promise<Page> {
  const options = { ...asBefore(file, known), allowMissing: true, allowSecrets: true };
  return readPage({ ...context, canAsk: false }, options);
}

const hasDigest = fields({ sha256: optional(isText) });

/** The SHA-256 of the live source; null: there is no such page. */
async function hashOfLive({ api }: Context, { slug, etag, sha256 }: Published): Promise<string | null> {
  try {
    const live = await readLive(api, slug);
    if (etag !== undefined && live.etag === etag) return sha256;
    const path = `/api/drops/${slug}/v/${live.drop.latest_version}`;
    const told = (await api.request('GET', path)).json(hasDigest).sha256;
    return told ?? hash((await api.request('GET', `${path}/html`)).bytes); // older services do not tell it
  } catch (error) {
    if (error instanceof CliError && error.status === 404) return null;
    throw error;
  }
}
