import type { Caller } from '../../../shared/accounts/account.ts';
import { commentStates } from '../../../shared/comments/comment.ts';
import type { CommentFilter, CommentPage } from '../../../shared/comments/lists.ts';
import { nullIfNotFound } from '../../../shared/domain/errors.ts';
import type { OwnedVersion } from '../../../shared/drops/drop.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import type { KnownIdentity } from '../../../shared/identities/identities.ts';
import { presentComment } from '../../comments/presenter.ts';
import { presentDrop } from '../../drops/presenter.ts';
import { fileNameOf } from '../../http/file-names.ts';
import { presentVersionListItem } from '../../versions/presenter.ts';
import type { ZipEntry } from './zip.ts';

const commentsAtOnce = 500;

type ExportServices = Pick<Services, 'identities' | 'drops' | 'comments' | 'viewStats' | 'config' | 'clock'>;

/** The documents of each drop, and last `drops.json`, which lists what the archive contains. */
export async function* readAll(
  services: ExportServices,
  caller: Caller,
  accountName: string,
  slugs: readonly string[],
): AsyncGenerator<ZipEntry> {
  const names = new Set<string>();
  const exported: string[] = [];
  const changed: string[] = [];
  for (const slug of slugs) {
    const record = yield* readDrop(services, caller, slug, names);
    if (record.json !== null) exported.push(record.json);
    if (!record.isWhole) changed.push(slug);
  }
  const changedAt = services.clock.now();
  const ways = (await services.identities.listOf(caller.accountId)).map(presentWay);
  const head = {
    exported_at: changedAt,
    user_id: caller.accountId,
    name: accountName,
    ways_to_sign_in: ways,
  };
  // What was sent of drops that were deleted, or lost versions, while the archive was made is listed all the same.
  const about = JSON.stringify({ ...head, changed_during_export: changed }).slice(0, -1);
  const json = `${about},"drops":[\n${exported.join(',\n')}\n]}\n`;
  yield { path: 'drops.json', bytes: Buffer.from(json), changedAt };
}

function presentWay({ createdAt, ...way }: KnownIdentity): object {
  return { ...way, created_at: createdAt };
}

/** What `drops.json` says of a drop. */
interface DropRecord {
  /** null: the drop was deleted before anything of it was sent. */
  readonly json: string | null;
  /** false: the drop was deleted, or lost a version, meanwhile. */
  readonly isWhole: boolean;
}

/** The files of a drop. @param names that its folder must not have, in lower case; its own is added */
async function* readDrop(
  services: ExportServices,
  caller: Caller,
  slug: string,
  names: Set<string>,
): AsyncGenerator<ZipEntry, DropRecord> {
  const found = await findDrop(services, caller, slug).catch(nullIfNotFound);
  if (found === null) return { json: null, isWhole: false };
  const { drop, versions, views } = found;
  const name = unusedName(fileNameOf(drop.title, slug), slug, names);
  const sent: object[] = [];
  for (const version of versions) {
    const files = await readFiles(services, caller, slug, name, version).catch(nullIfNotFound);
    if (files === null) continue; // deleted meanwhile
    yield* files;
    const [html, context] = files.map(({ path }) => path);
    const record = presentVersionListItem(version, true);
    sent.push({ ...record, file: html, ...(context !== undefined && { context_file: context }) });
  }
  const written = yield* readComments(services, caller, slug, name);
  const record = presentDrop(drop, services.config.BASE_URL);
  const json = JSON.stringify({ ...record, versions: sent, views, comment_files: written.files });
  return { json, isWhole: written.isWhole && sent.length === versions.length };
}

/** No system takes two folders for one another: titles may be equal, or differ in case. */
function unusedName(wanted: string, slug: string, names: Set<string>): string {
  let name = wanted;
  while (names.has(name.toLowerCase())) name += ` (${slug})`;
  names.add(name.toLowerCase());
  return name;
}

/** Versions oldest first, and the views of each UTC day that has any. @throws DropError `not_found` */
async function findDrop({ drops, viewStats }: ExportServices, caller: Caller, slug: string) {
  const drop = await drops.get(caller, slug);
  const versions = await drops.listVersions(caller, slug);
  const days = await viewStats.listDays(drop);
  const views = Array.from(days, ([date, count]) => ({ date, views: count }));
  return { drop, versions: versions.toReversed(), views };
}

/** The comments, oldest change first, in files that fit into the memory. `isWhole`: false: the drop was deleted meanwhile. */
async function* readComments(
  { comments, config, clock }: ExportServices,
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
  { drops }: ExportServices,
  caller: Caller,
  slug: string,
  name: string,
  version: OwnedVersion,
): Promise<ZipEntry[]> {
  const { number, createdAt: changedAt } = version;
  const path = `drops/${name}/${name} v${number}`;
  const html = await drops.readHtml(caller, slug, version);
  const context = await drops.readContext(caller, slug, version);
  const files = [{ path: `${path}.html`, bytes: html, changedAt }];
  if (context !== null) files.push({ path: `${path} context.md`, bytes: context, changedAt });
  return files;
}
