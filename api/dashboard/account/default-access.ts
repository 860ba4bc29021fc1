import type { Config } from '../../../shared/config/config.ts';
import { type Access, accesses } from '../../../shared/drops/access.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { type Html, html } from '../../html/html.ts';
import type { Route } from '../../http/route.ts';
import { invalid, validationError } from '../../http/validate.ts';
import { accessNames, accessOptions } from '../drop/access-labels.ts';
import type { SessionPages } from '../pages.ts';
import { accountPaths } from '../paths.ts';

/** @param chosen null: as the service has it */
export function defaultAccessSection(
  chosen: Access | null,
  formField: Html,
  config: Pick<Config, 'DEFAULT_ACCESS'>,
): Html {
  const ofService = html`<option value=""${chosen === null && html` selected`}>As this service has it (${accessNames[config.DEFAULT_ACCESS]})</option>`;
  return html`<section class="panel" aria-labelledby="access-title"><h2 id="access-title">Sharing</h2>
<form method="post" action="${accountPaths.defaultAccess}">${formField}
<label for="access">New pages can be read by</label>
<select id="access" name="access" aria-describedby="access-hint">${ofService}${accessOptions(chosen ?? '')}</select>
<p class="hint" id="access-hint">Programs and the form for new drops begin with it. Pages that exist stay as they are.</p>
<div class="actions"><button class="quiet">Save</button></div></form></section>`;
}

export function defaultAccessRoute({ accounts }: Pick<Services, 'accounts'>, pages: SessionPages): Route {
  return pages.form(accountPaths.defaultAccess, limitTable.change, async (_req, _res, { caller }, sent) => {
    await accounts.setDefaultAccess(caller, readDefault(sent.get('access')));
    return `${accountPaths.account}?notice=default-access`;
  });
}

/** @throws DropError `invalid_arg` */
function readDefault(text: string | undefined): Access | null {
  if (text === '') return null;
  const access = accesses.find((one) => one === text);
  if (access !== undefined) return access;
  throw validationError([{ field: 'access', ...invalid('Choose who can read new pages') }]);
}
