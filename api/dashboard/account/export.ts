import { DropError } from '../../../shared/domain/errors.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { attachment } from '../../http/file-names.ts';
import { open, type Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { accountPaths } from '../paths.ts';
import { readAll } from './export-files.ts';
import { sendZip } from './zip.ts';

/** POST /account/export: everything that the account owns, as a zip file. One at a time for an account in each process. */
export function exportRoute({ services, sessions }: RouteParts): Route {
  const { drops, config, clock } = services;
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
        const entries = readAll(services, caller, accountName, slugs);
        await sendZip(res, entries, config.READ_SECONDS * 1_000);
      } finally {
        running.delete(accountId);
      }
    },
    { allowsSuspended: true },
  );
  return open('POST', accountPaths.export, send);
}

function alreadyRunning(): DropError {
  const message = 'An export of this account is running: wait until its download has ended';
  return new DropError('rate_limited', message, { retry_after_seconds: 60 });
}
