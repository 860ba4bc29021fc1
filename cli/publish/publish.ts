import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { type Drop, type DropState, readLive, readSourceOf, requestDrop } from '../drop.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { hasFields, isAbsentOr, isCount, isListOf, isNullOr, isText } from '../guards.ts';
import type { ApiRequest } from '../http.ts';
import { keyOfFirst, type Published, recall, remember } from '../project-file.ts';
import { describeReaders, requireSharing } from '../sharing.ts';
import { formatTime } from '../table.ts';
import { hash, type Page } from './page.ts';
import { detailsOf, type PublishOptions, pageRequest } from './request.ts';
import { areResolved, replyToEach } from './resolved.ts';
import { titlesOf } from './titles.ts';

export interface Outcome {
  readonly drop: Drop;
  /** `replied`: the page is unchanged, and its comments are resolved already. */
  readonly did: 'created' | 'published' | 'changed' | 'replied' | 'nothing';
}

/** For people. */
export function describeOutcome({ drop, did }: Outcome): string {
  const said = {
    created: `Published "${drop.title}"`,
    published: `Published version ${drop.latest_version} of "${drop.title}"`,
    changed: `The page is unchanged, its details have changed; version ${drop.latest_version} is live`,
    replied: `The page is unchanged, and the comments are resolved already: the reply is added; version ${drop.latest_version} is live`,
    nothing: `Unchanged: version ${drop.latest_version} of "${drop.title}" is live`,
  };
  const lock = drop.locked ? ' Viewers need the passcode.' : '';
  const expiry = drop.expires_at === undefined ? '' : ` It expires at ${formatTime(drop.expires_at)} UTC.`;
  return [`${said[did]}.${lock}${expiry}`, describeReaders(drop)].join(' ').trimEnd();
}

/**
 * Makes the drop, or its next version, and remembers it. @throws CliError: not published, or unknown; a passcode may be set
 */
export async function publish(context: Context, page: Page, options: PublishOptions): Promise<Outcome> {
  const known = page.file === null ? null : recall(page.file, context.url);
  const slug = options.slug ?? (options.isNew ? undefined : known?.slug);
  if (slug === undefined && options.resolves !== undefined)
    throw usageError('--resolves needs a page that is published: name it with --slug');
  if (options.access !== undefined && options.access !== 'link') await requireSharing(context);
  if (slug === undefined) return create(context, page, options);
  return update(context, page, options, { slug, known: known?.slug === slug ? known : null });
}

async function create(context: Context, page: Page, options: PublishOptions): Promise<Outcome> {
  const title = options.title ?? page.ownTitle ?? undefined;
  if (title === undefined) throw usageError('the page has no <title>: add one, or --title');
  // A passcode goes with the page in one request, so that the page is never public.
  const post = (key: string) =>
    requestDrop(
      context.api,
      'POST',
      '',
      pageRequest(page, { ...options, title }, { 'Idempotency-Key': key }),
    );
  const first = await keyOf(context, page, options);
  if (typeof first !== 'string') return update(context, page, options, { slug: first.slug, known: first });
  const state = await post(first).catch((error: unknown) => {
    // An earlier try with this key was answered, and its answer lost: it made a drop that was deleted since, or another page.
    if (!isGone(error) && !hasCode(error, 'idempotency_key_reused')) throw error;
    if (!isGone(error)) {
      const hint = `see ${context.name} list`;
      context.output.warn(`an earlier publish of this file seems to have made another page: ${hint}`);
    }
    return post(randomUUID());
  });
  await rememberDrop(context, page, state);
  return { drop: state.drop, did: 'created' };
}

/** A drop that cannot be remembered gets a key that is not either. @returns what another process published meanwhile */
async function keyOf(
  { url }: Context,
  { file }: Page,
  { isNew }: PublishOptions,
): Promise<string | Published> {
  if (file === null || isNew) return randomUUID();
  try {
    return await keyOfFirst(file, url);
  } catch (error) {
    if (error instanceof CliError) return randomUUID(); // `rememberDrop` warns, after the page was published
    throw error;
  }
}

async function update(
  context: Context,
  page: Page,
  options: PublishOptions,
  { slug, known }: { slug: string; known: Published | null },
): Promise<Outcome> {
  const live = await readLive(context.api, slug).catch((error: unknown) => {
    throw isGone(error) ? gone(context, slug, known, error) : error;
  });
  const liveHash = await hashToReplace(context, page, { live, known, isForced: options.isForced ?? false });
  let state = live;
  let did: Outcome['did'] = 'nothing';
  // Each change is of the state that the one before left.
  const ifMatch = (): Record<string, string> =>
    options.isForced || state.etag === undefined ? {} : { 'If-Match': state.etag };
  const change = async (method: string, below: string, request: ApiRequest) => {
    state = await requestDrop(context.api, method, `/${slug}${below}`, request).catch(
      async (error: unknown) => {
        if (!hasCode(error, 'version_conflict')) throw error;
        throw conflict(context, await readLive(context.api, slug), null, error); // somebody changed it a moment ago
      },
    );
  };

  // First, so that the new version is never public.
  if (options.passcode !== undefined) {
    await change('POST', '/passcode', { json: { passcode: options.passcode }, headers: ifMatch() });
    did = 'changed';
  }
  const isNeeded =
    options.isForced || !(await isUnchanged(context, page, { live, known, liveHash }, options));
  if (isNeeded) {
    const title = options.title ?? (await nextTitle(context, page, live.drop));
    const { passcode: _, ...others } = options;
    await change(
      'PUT',
      '',
      pageRequest(page, { ...others, title }, { ...ifMatch(), 'Idempotency-Key': randomUUID() }),
    );
    did = 'published';
  } else if (Object.keys(detailsOf(options)).length > 0) {
    await change('PATCH', '', { json: detailsOf(options), headers: ifMatch() });
    did = 'changed';
  }
  if (!isNeeded && options.resolves !== undefined && options.reply !== undefined) {
    await replyToEach(context, options.resolves, options.reply);
    if (did === 'nothing') did = 'replied';
  }
  if (did !== 'nothing' || state.etag !== known?.etag) {
    const contextHash = did === 'published' ? undefined : known?.context_sha256;
    await rememberDrop(context, page, state, contextHash);
  }
  return { drop: state.drop, did };
}

/** Whether a version would be the one that is live, and would resolve nothing. */
async function isUnchanged(
  { api }: Context,
  page: Page,
  { live, known, liveHash }: { live: DropState; known: Published | null; liveHash: string },
  { resolves }: PublishOptions,
): Promise<boolean> {
  const { slug, latest_version: number } = live.drop;
  if (known === null && resolves === undefined) return false; // what is named by --slug is replaced
  if (known !== null && !isSamePage(page, known, liveHash)) return false;
  if (known === null) {
    const { sha256, context } = (await api.request('GET', `/api/drops/${slug}/v/${number}`)).json(isVersion);
    if (sha256 !== page.sha256 || (context ?? undefined) !== page.context?.text) return false;
  }
  return resolves === undefined || areResolved(api, slug, resolves);
}

/** Absent: the service is of an earlier release. */
const isVersion = hasFields({ sha256: isAbsentOr(isText), context: isAbsentOr(isNullOr(isText)) });

/** A title from the document, or the file's name, follows the page; restores keep it, so the version before counts too. */
async function nextTitle({ api }: Context, page: Page, { slug, title }: Drop): Promise<string | undefined> {
  if (page.ownTitle === null || page.ownTitle === title) return undefined;
  const versions = (await api.request('GET', `/api/drops/${slug}/versions`)).json(areVersions);
  for (const { version } of versions.slice(0, 2)) {
    const bytes = await readSourceOf(api, slug, version);
    if ((await titlesOf(bytes, page.fileTitle)).includes(title)) return page.ownTitle;
  }
  return undefined;
}

/** Newest first. */
const areVersions = isListOf(hasFields({ version: isCount }));

/** A file that cannot be written is no failure. @param contextHash SHA-256 of the live context, if the page brings none */
async function rememberDrop(
  { url, output }: Context,
  page: Page,
  { drop, etag }: DropState,
  contextHash?: string,
): Promise<void> {
  if (page.file === null) return;
  const published: Published = {
    slug: drop.slug,
    version: drop.latest_version,
    etag,
    sha256: page.sha256,
    context_sha256: page.context?.sha256 ?? contextHash,
    as: page.as,
    context: page.contextFrom,
    expires_at: drop.expires_at,
  };
  try {
    await remember(page.file, url, published);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    output.warn(`${error.message}. To publish the next version: --slug ${drop.slug}`);
  }
}

/** A context belongs to one version: without a new one the old version stays as it is. */
export function isSamePage(page: Page, known: Published, liveHash: string): boolean {
  const isSameContext = page.context?.sha256 === known.context_sha256;
  return (
    page.sha256 === liveHash && (isSameContext || (page.context === null && page.contextFrom !== 'none'))
  );
}

/**
 * Only the page counts, not a new title or passcode. A live page that is this one is an earlier try whose answer was lost.
 * @returns its SHA-256 in hex; '' if that does not matter @throws CliError if it is somebody else's
 */
async function hashToReplace(
  context: Context,
  page: Page,
  { live, known, isForced }: { live: DropState; known: Published | null; isForced: boolean },
): Promise<string> {
  if (known === null || isForced) return '';
  const found = await hashOfLive(context, live, known);
  if (found === known.sha256 || found === page.sha256) return found;
  throw conflict(context, live, known.version);
}

/** The SHA-256 of the source that is live, in hex. */
export async function hashOfLive({ api }: Context, live: DropState, known: Published): Promise<string> {
  if (live.etag !== undefined && live.etag === known.etag) return known.sha256;
  return hash(await readSourceOf(api, live.drop.slug, null));
}

function conflict(
  { name }: Context,
  { drop, etag }: DropState,
  version: number | null,
  cause?: unknown,
): CliError {
  const { slug, latest_version: latest, url, updated_at: at } = drop;
  const facts = { slug, latest_version: latest, updated_at: at, etag };
  const since = version === null ? '' : `; you published version ${version} from this file`;
  const diff = version === null || version >= latest ? `diff ${slug}` : `diff ${slug} ${version} ${latest}`;
  return new CliError(
    [
      `not published: ${url} has changed. Version ${latest} is live, from ${new Date(at).toISOString()}${since}.`,
      `See what changed:  ${name} ${diff}`,
      `Save what is live: ${name} get ${slug} -o live.html`,
      'Overwrite it:      publish the file with --force',
    ].join('\n'),
    { exitCode: exitCodes.conflict, code: 'version_conflict', facts, cause },
  );
}

function gone({ url, name }: Context, slug: string, known: Published | null, cause: unknown): CliError {
  const what = known === null ? slug : `${slug}, which this file was published as,`;
  const hint = known === null ? `See ${name} list` : 'Make a new page: the same command with --new';
  const message = `not published: ${what} is not on ${url}: it was deleted, has expired, or belongs to another account. ${hint}`;
  return new CliError(message, { exitCode: exitCodes.notFound, code: 'not_found', cause });
}

export function isGone(error: unknown): boolean {
  return error instanceof CliError && error.status === 404;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof CliError && error.code === code;
}
