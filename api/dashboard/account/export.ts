import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Caller } from '../../../shared/accounts/account.ts';
import { commentStates } from '../../../shared/comments/comment.ts';
import type { CommentFilter, CommentPage } from '../../../shared/comments/lists.ts';
import { DropError, nullIfNotFound } from '../../../shared/domain/errors.ts';
import type { OwnedVersion } from '../../../shared/drops/drop.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { presentComment } from '../../comments/presenter.ts';
import { presentDrop } from '../../drops/presenter.ts';
import { attachment, fileNameOf } from '../../http/file-names.ts';
import { open, type Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import type { ServiceResponse } from '../../http/send.ts';
import { presentVersionListItem } from '../../versions/presenter.ts';
import { accountPaths } from '../paths.ts';

const commentsAtOnce = 500;

/** One file of an archive. */
interface ZipEntry {
  /** With `/` between folders. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Unix ms. */
  readonly changedAt: number;
}

/** POST /account/export: everything that the account owns, as a zip file. One at a time for an account in each process. */
export function exportRoute({ services, sessions }: RouteParts): Route {
  const { drops, comments, viewStats, config, clock } = services;
  const running = new Set<string>();

  const send = sessions.sessionForm(
    limitTable.change,
    async (_, res, __, ___, admit) => {
      const { caller, accountName } = await admit();
      const { accountId } = caller;
      if (running.has(accountId)) throw alreadyRunning();
      running.add(accountId);
      try {
        const slugs = await drops.listSlugs(caller);
        const date = new Date(clock.now()).toISOString().slice(0, 10);
        res.setHeader('Content-Type', 'application/zip');
        const about = { title: `Dropleaf ${accountName}`, slug: accountId };
        res.setHeader('Content-Disposition', attachment(about, ` ${date}.zip`));
        await sendZip(res, readAll(caller, accountName, slugs), config.READ_SECONDS * 1_000);
      } finally {
        running.delete(accountId);
      }
    },
    { allowsSuspended: true },
  );

  /** The documents of each drop, and last `drops.json`, which lists what the archive contains. */
  async function* readAll(
    caller: Caller,
    accountName: string,
    slugs: readonly string[],
  ): AsyncGenerator<ZipEntry> {
    const names = new Set<string>();
    const exported: string[] = [];
    const deleted: string[] = [];
    for (const slug of slugs) {
      const found = await readDrop(caller, slug).catch(nullIfNotFound);
      if (found === null) {
        deleted.push(slug);
        continue;
      }
      const { drop, versions, ...more } = found;
      let name = fileNameOf(drop.title, slug);
      // No system takes two folders for one another: titles may be equal, or differ in case.
      while (names.has(name.toLowerCase())) name += ` (${slug})`;
      names.add(name.toLowerCase());
      const sent: object[] = [];
      for (const version of versions) {
        const files = await readFiles(caller, slug, name, version).catch(nullIfNotFound);
        if (files === null) continue; // deleted meanwhile
        yield* files;
        const [html, context] = files.map(({ path }) => path);
        const record = presentVersionListItem(version, true);
        sent.push({ ...record, file: html, ...(context !== undefined && { context_file: context }) });
      }
      const written = yield* readComments(caller, slug, name);
      const record = { ...presentDrop(drop, config.BASE_URL), versions: sent, ...more };
      exported.push(JSON.stringify({ ...record, comment_files: written.files }));
      if (!written.isWhole || sent.length < versions.length) deleted.push(slug);
    }
    const changedAt = clock.now();
    const head = { exported_at: changedAt, user_id: caller.accountId, name: accountName };
    // What was sent of drops that were deleted, or lost versions, while the archive was made is listed all the same.
    const about = JSON.stringify({ ...head, changed_during_export: deleted }).slice(0, -1);
    const json = `${about},"drops":[\n${exported.join(',\n')}\n]}\n`;
    yield { path: 'drops.json', bytes: Buffer.from(json), changedAt };
  }

  /** Versions oldest first, and the views of each UTC day that has any. */
  async function readDrop(caller: Caller, slug: string) {
    const drop = await drops.get(caller, slug);
    const versions = await drops.listVersions(caller, slug);
    const days = await viewStats.listDays(drop);
    const views = Array.from(days, ([date, count]) => ({ date, views: count }));
    return { drop, versions: versions.toReversed(), views };
  }

  /** The comments, oldest change first, in files that fit into the memory. `isWhole`: false: the drop was deleted meanwhile. */
  async function* readComments(
    caller: Caller,
    slug: string,
    name: string,
  ): AsyncGenerator<ZipEntry, { files: string[]; isWhole: boolean }> {
    const files: string[] = [];
    for (let after: number | null = null; ; ) {
      const filter: CommentFilter = { slug, states: commentStates, after, limit: commentsAtOnce };
      const part: CommentPage | null = await comments.list(caller, filter).catch(nullIfNotFound);
      if (part === null) return { files, isWhole: false };
      if (part.comments.length === 0) return { files, isWhole: true };
      const path = `drops/${name}/comments ${files.length + 1}.json`;
      const json = JSON.stringify(part.comments.map((comment) => presentComment(comment, config.BASE_URL)));
      yield { path, bytes: Buffer.from(json), changedAt: clock.now() };
      files.push(path);
      if (!part.hasMore) return { files, isWhole: true };
      after = part.next;
    }
  }

  /** The document and, if there is one, the context. */
  async function readFiles(
    caller: Caller,
    slug: string,
    name: string,
    version: OwnedVersion,
  ): Promise<ZipEntry[]> {
    const { number, createdAt: changedAt } = version;
    const path = `drops/${name}/${name} v${number}`;
    const html = await drops.readHtml(caller, slug, version);
    const context = await drops.readContext(caller, slug, version);
    return [
      { path: `${path}.html`, bytes: html, changedAt },
      ...(context === null ? [] : [{ path: `${path} context.md`, bytes: context, changedAt }]),
    ];
  }

  return open('POST', accountPaths.export, send);
}

function alreadyRunning(): DropError {
  const message = 'An export of this account is running: wait until its download has ended';
  return new DropError('rate_limited', message, { retry_after_seconds: 60 });
}

/**
 * Sends the entries as one zip file; at most two are in memory. If they fail it has no directory: no program takes it for whole.
 * @param idleMs the client is cut off if it reads nothing for this time
 */
async function sendZip(
  res: ServiceResponse,
  entries: AsyncIterable<ZipEntry>,
  idleMs: number,
): Promise<void> {
  const zip = new ZipFile();
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  res.setTimeout(idleMs, () => res.destroy());
  zip.outputStream.once('data', () => {
    res.locals.begunAt = performance.now();
  });
  zip.outputStream.pipe(res);
  try {
    for await (const entry of entries) {
      if (!(await begin(zip, entry, gone.signal))) return;
    }
    zip.end();
    if (!res.closed) await once(res, 'close');
  } catch (error) {
    res.destroy();
    throw error;
  }
}

/** Resolves when everything before the entry has been sent; false: the client has disconnected. */
function begin(zip: ZipFile, { path, bytes, changedAt }: ZipEntry, gone: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(false);
    if (gone.aborted) return stop();
    gone.addEventListener('abort', stop, { once: true });
    zip.once('error', reject);
    zip.addReadStreamLazy(path, { mtime: new Date(changedAt), size: bytes.byteLength }, (open) => {
      gone.removeEventListener('abort', stop);
      zip.off('error', reject);
      open(null, Readable.from([bytes], { objectMode: false }));
      resolve(true);
    });
  });
}
