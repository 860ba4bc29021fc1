import type { Caller } from '../../../shared/accounts/account.ts';
import { DropError, nullIfNotFound } from '../../../shared/domain/errors.ts';
import type { Drop, OwnedVersion } from '../../../shared/drops/drop.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import { presentDrop } from '../../drops/presenter.ts';
import { open, type Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { presentVersionListItem } from '../../versions/presenter.ts';
import { accountPaths } from '../paths.ts';
import { sendZip, type ZipEntry } from './zip.ts';

/** A slug and its version: safe names on every system, as no title is. */
const fileOf = (slug: string, { number }: OwnedVersion) => `drops/${slug}/v${number}.html`;
const contextFileOf = (slug: string, { number }: OwnedVersion) => `drops/${slug}/v${number}-context.md`;

/** POST /account/export: everything that the account owns, as a zip file. One at a time for an account in each process. */
export function exportRoute({ services, sessions }: RouteParts): Route {
  const { config, clock } = services;
  const running = new Set<string>();

  const send = sessions.sessionForm(
    'changes_per_minute',
    async (_, res, { caller, accountName }) => {
      const { accountId } = caller;
      if (running.has(accountId)) throw alreadyRunning();
      running.add(accountId);
      try {
        const slugs = await services.drops.listSlugs(caller);
        const date = new Date(clock.now()).toISOString().slice(0, 10);
        res.setHeader('Content-Type', 'application/zip');
        res.setHeader('Content-Disposition', `attachment; filename="dropleaf-${date}.zip"`);
        const entries = readAll(services, caller, { accountName, slugs });
        await sendZip(res, entries, config.READ_SECONDS * 1_000);
      } finally {
        running.delete(accountId);
      }
    },
    { allowsSuspended: true },
  );
  return open('POST', accountPaths.export, send);
}

/** The documents of each drop, and last `drops.json`, which lists what the archive contains. */
async function* readAll(
  services: Services,
  caller: Caller,
  { accountName, slugs }: { accountName: string; slugs: readonly string[] },
): AsyncGenerator<ZipEntry> {
  const { config, clock } = services;
  const exported: string[] = [];
  const deleted: string[] = [];
  for (const slug of slugs) {
    const found = await readDrop(services, caller, slug).catch(nullIfNotFound);
    if (found === null) {
      deleted.push(slug);
      continue;
    }
    const { drop, versions, views } = found;
    const sent: object[] = [];
    for (const version of versions) {
      const files = await readFiles(services, caller, slug, version).catch(nullIfNotFound);
      if (files === null) continue; // deleted meanwhile
      yield* files;
      const [html, context] = files.map(({ path }) => path);
      const record = presentVersionListItem(version, { publishedBy: true });
      sent.push({ ...record, file: html, ...(context !== undefined && { context_file: context }) });
    }
    exported.push(JSON.stringify({ ...presentDrop(drop, config.BASE_URL), versions: sent, views }));
    if (sent.length < versions.length) deleted.push(slug);
  }
  const changedAt = clock.now();
  const head = { exported_at: changedAt, user_id: caller.accountId, name: accountName };
  // Drops that were deleted, or lost versions, while the archive was made: what was sent of them is listed all the same.
  const about = JSON.stringify({ ...head, changed_during_export: deleted }).slice(0, -1);
  const json = `${about},"drops":[\n${exported.join(',\n')}\n]}\n`;
  yield { path: 'drops.json', bytes: Buffer.from(json), changedAt };
}

/** Versions oldest first, and the views of each UTC day that has any. */
async function readDrop({ drops, viewStats }: Services, caller: Caller, slug: string) {
  const drop: Drop = await drops.get(caller, slug);
  const versions = await drops.listVersions(caller, slug);
  const days = await viewStats.listDays(drop);
  const views = Array.from(days, ([date, count]) => ({ date, views: count }));
  return { drop, versions: versions.toReversed(), views };
}

/** The document and, if there is one, the context. */
async function readFiles(
  { drops }: Services,
  caller: Caller,
  slug: string,
  version: OwnedVersion,
): Promise<ZipEntry[]> {
  const { createdAt: changedAt } = version;
  const html = await drops.readHtml(caller, slug, version);
  const context = await drops.readContext(caller, slug, version);
  return [
    { path: fileOf(slug, version), bytes: html, changedAt },
    ...(context === null ? [] : [{ path: contextFileOf(slug, version), bytes: context, changedAt }]),
  ];
}

function alreadyRunning(): DropError {
  const message = 'An export of this account is running: wait until its download has ended';
  return new DropError('rate_limited', message, { retry_after_seconds: 60 });
}
