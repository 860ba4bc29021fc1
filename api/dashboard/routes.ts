import { newDropPath } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { exportHandler } from './account/export.ts';
import { accountPageHandlers } from './account/handlers.ts';
import { accountPaths } from './account/paths.ts';
import { sessionHandlers } from './account/sessions.ts';
import { editFormBytes } from './drop/edit-form.ts';
import { ownedDropHandlers } from './drop/handlers.ts';
import { historyHandlers } from './history/versions.ts';
import { deleteHandlers } from './list/delete.ts';
import { listHandlers } from './list/handlers.ts';
import { newDropHandlers } from './new/handlers.ts';
import { newVersionHandlers } from './new/version.ts';

/** The pages for owners. */
export function dashboardRoutes(parts: RouteParts): readonly Route[] {
  return [...listRoutes(parts), ...dropRoutes(parts), ...historyRoutes(parts), ...accountRoutes(parts)];
}

/** Before the pages of one drop, whose paths match these, too. */
function listRoutes({ services, readBody, sessions, layout }: RouteParts): readonly Route[] {
  const { withSession, sessionBody, sessionForm } = sessions;
  const list = listHandlers(services, layout);
  const newDrop = newDropHandlers(services, readBody, layout);
  const deletion = deleteHandlers(services, layout);
  return [
    open('GET', '/drops', withSession(list.show)),
    open('GET', newDropPath, withSession(newDrop.show)),
    open('POST', newDropPath, sessionBody('writes_per_minute', newDrop.publish)),
    open('GET', '/drops/delete', withSession(deletion.confirm)),
    open('POST', '/drops/delete', sessionForm('changes_per_minute', deletion.remove)),
  ];
}

function dropRoutes({ services, readBody, sessions, layout }: RouteParts): readonly Route[] {
  const { withSession, sessionBody, sessionForm } = sessions;
  const drop = ownedDropHandlers(services, layout);
  const newVersion = newVersionHandlers(services, readBody, layout);
  const maxBytes = editFormBytes(services.config);
  return [
    open('GET', '/drops/:slug', withSession(drop.show)),
    open('GET', '/drops/:slug/edit', withSession(drop.showEdit)),
    open('POST', '/drops/:slug/edit', sessionForm('changes_per_minute', drop.edit, { maxBytes })),
    open('GET', '/drops/:slug/passcode', withSession(drop.showPasscode)),
    open('POST', '/drops/:slug/passcode', sessionForm('changes_per_minute', drop.setPasscode)),
    open('GET', '/drops/:slug/new-version', withSession(newVersion.show)),
    open('POST', '/drops/:slug/new-version', sessionBody('writes_per_minute', newVersion.publish)),
    open('GET', '/drops/:slug/download', withSession(drop.download)),
  ];
}

function historyRoutes({ services, sessions, layout }: RouteParts): readonly Route[] {
  const { withSession, sessionForm } = sessions;
  const history = historyHandlers(services, layout);
  return [
    open('GET', '/drops/:slug/history', withSession(history.list)),
    open('GET', '/drops/:slug/compare', withSession(history.compare.show)),
    open('GET', '/drops/:slug/compare/diff', withSession(history.compare.download)),
    open('GET', '/drops/:slug/delete', withSession(history.removeDrop.ask)),
    open('POST', '/drops/:slug/delete', sessionForm('changes_per_minute', history.removeDrop.confirm)),
    open('GET', '/drops/:slug/v/:n', withSession(history.show)),
    open('GET', '/drops/:slug/v/:n/html', withSession(history.download)),
    open('GET', '/drops/:slug/v/:n/restore', withSession(history.restore.ask)),
    open('POST', '/drops/:slug/v/:n/restore', sessionForm('writes_per_minute', history.restore.confirm)),
    open('GET', '/drops/:slug/v/:n/delete', withSession(history.removeVersion.ask)),
    open(
      'POST',
      '/drops/:slug/v/:n/delete',
      sessionForm('changes_per_minute', history.removeVersion.confirm),
    ),
  ];
}

function accountRoutes({ services, sessions, layout }: RouteParts): readonly Route[] {
  const account = accountPageHandlers(services, sessions, layout);
  return [
    open('GET', accountPaths.account, account.show),
    open('POST', accountPaths.tokens, account.createToken),
    open('GET', accountPaths.token(':id'), account.showToken),
    open('POST', accountPaths.token(':id'), account.renameToken),
    open('POST', accountPaths.revoke(':id'), account.revokeToken),
    open('POST', '/account/sessions', sessionHandlers(services, sessions).endSessions),
    open('POST', accountPaths.export, exportHandler(services, sessions)),
    open('GET', accountPaths.remove, account.askRemoval),
    open('POST', accountPaths.remove, account.remove),
  ];
}
