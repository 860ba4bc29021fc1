import type { Context } from '../context.ts';
import { readLive } from '../drop.ts';
import { CliError } from '../errors.ts';
import { type Published, recallAll } from '../project-file.ts';
import { foldersBelow, hasProjectFile, maxFolders, refuseLinkOut } from '../published-folders.ts';
import { type Page, type PageOptions, readPage } from './page.ts';
import { hashOfLive, isGone, isSamePage } from './publish.ts';

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

/** @returns the files that `.dropleaf.json` in the folder, and in those below it, knows, in its order @throws CliError if the service does not answer */
export async function readStatus(context: Context, folder: string): Promise<FileStatus[]> {
  const { folders, isCut } = foldersBelow(folder);
  if (isCut)
    context.output.warn(
      `only the first ${maxFolders} folders of ${folder} were looked at: name one below it`,
    );
  const rest = folders.flatMap((one) =>
    one === folder ? recallAll(one, context.url) : recallBelow(context, one),
  );
  const found: FileStatus[] = [];
  while (rest.length > 0)
    found.push(
      ...(await Promise.all(rest.splice(0, atOnce).map((one) => statusOf(context, folder, ...one)))),
    );
  return found;
}

/** Of a folder below the one that the user named: a damaged `.dropleaf.json`, which somebody else may have made, is left out. */
function recallBelow({ url, output }: Context, folder: string): [file: string, published: Published][] {
  if (!hasProjectFile(folder)) return [];
  try {
    return recallAll(folder, url);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    output.warn(`${folder} is left out: ${error.message}`);
    return [];
  }
}

async function statusOf(
  context: Context,
  folder: string,
  file: string,
  known: Published,
): Promise<FileStatus> {
  const { slug, version, sha256 } = known;
  const say = (status: FileStatus['status'], more: Partial<FileStatus> = {}): FileStatus => ({
    file,
    status,
    slug,
    url: `${context.url}/p/${slug}`,
    version,
    ...more,
  });
  const there = await readLive(context.api, slug)
    .then((live) => hashOfLive(context, live, known))
    .catch((error: unknown) => {
      if (isGone(error)) return null;
      throw error;
    });
  if (there === null)
    return say((known.expires_at ?? Number.POSITIVE_INFINITY) <= Date.now() ? 'expired' : 'gone');
  let page: Page;
  try {
    refuseLinkOut(folder, file);
    page = await readAgain(context, file, known);
  } catch (error) {
    if (error instanceof CliError) return say('unreadable', { problem: error.message });
    throw error;
  }
  if (there !== sha256 && there !== page.sha256)
    return say('newer there', page.sha256 === sha256 ? {} : { changed_here: true });
  return say(isSamePage(page, known, there) ? 'unchanged' : 'changed');
}

/**
 * What makes of a file what was published from it the last time.
 * @param known null: it is not remembered @param said whether the file is HTML or text, which replaces what is remembered
 */
export function asBefore(
  file: string,
  known: Published | null,
  said: Pick<PageOptions, 'html' | 'text'> = {},
): PageOptions {
  const { html, text } = said;
  const isSaid = html !== undefined || text !== undefined;
  return {
    file,
    ...(isSaid ? { html, text } : { html: known?.as === 'html', text: known?.as === 'text' }),
    contextFrom: known?.context,
  };
}

/** The page that a file makes; nothing is refused or asked. */
export function readAgain(context: Context, file: string, known: Published | null): Promise<Page> {
  const options = { ...asBefore(file, known), allowMissing: true, allowSecrets: true };
  return readPage({ ...context, canAsk: false }, options);
}
