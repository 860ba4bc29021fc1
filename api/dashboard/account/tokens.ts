import type { Request } from 'express';
import type { CredentialPosition } from '../../../shared/credentials/credential-stores.ts';
import { publishScopeTexts } from '../../../shared/credentials/scopes.ts';
import {
  hashToken,
  isScope,
  type Scope,
  scopes,
  type Token,
  tokenIdOf,
} from '../../../shared/credentials/token.ts';
import type { TokenPage } from '../../../shared/credentials/tokens.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import { dayMs } from '../../../shared/domain/time-windows.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { createLabelReader, readTokenId } from '../../account/account.ts';
import { scopeNames } from '../../account/scope-names.ts';
import { tokenPagination } from '../../account/token-cursor.ts';
import {
  breadcrumb,
  copyButton,
  fact,
  labelOf,
  noticeFor,
  stackedTable,
  timeAgo,
  timeTag,
} from '../../html/elements.ts';
import { fieldState, formError } from '../../html/forms.ts';
import { type Html, html } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { createSealedCookie } from '../../http/sealed-cookie.ts';
import type { BrowserSession } from '../../http/session.ts';
import type { Form } from '../../http/show.ts';
import { dashboardPages, type RefusedForm } from '../pages.ts';
import { accountPaths } from '../paths.ts';

export const accountCrumbs = breadcrumb([accountPaths.account, 'Account']);

/** @param accountPage the account page, on which the form for a new token is */
export function tokenRoutes(
  parts: RouteParts,
  accountPage: (session: BrowserSession, refused: RefusedForm) => Promise<PageParts>,
): readonly Route[] {
  const { tokens, clock, config } = parts.services;
  const pages = dashboardPages(parts, 'account');
  const cookie = createSealedCookie<{ token: NewToken }>(parts.services, {
    name: 'dropleaf_new_token',
    path: accountPaths.tokens,
    purpose: 'new',
  });
  const readLabel = createLabelReader(config);

  /** An empty field means no label. @throws DropError `invalid_arg` */
  function readLabelOf(sent: Form): string | null {
    return readLabel({ label: sent.get('label')?.trim() || null });
  }

  /** @throws DropError `not_found` */
  const findToken = (req: Request, { caller }: BrowserSession) => tokens.find(caller, readTokenId(req));

  return [
    /** Leads to the token, which is in a sealed cookie until it is shown: it must never be in an address. */
    pages.form(
      accountPaths.tokens,
      limitTable.change,
      async (_, res, session, sent) => {
        const label = readLabelOf(sent);
        const days = readDays(sent.get('days'));
        const expiresAt = days === null ? null : clock.now() + days * dayMs;
        const token = await tokens.create(session.caller, {
          label,
          expiresAt,
          scope: readScope(sent.get('scope')),
        });
        const sealed = { token, sessionId: session.id, expiresAt: clock.now() + showMs };
        await cookie.write(res, 'token', sealed);
        return accountPaths.newToken(tokenIdOf(hashToken(token)));
      },
      { again: (_, session, attempt) => accountPage(session, attempt) },
    ),

    pages.page(accountPaths.newToken(':id'), async (req, res, session) => {
      const token = await findToken(req, session);
      const made = await cookie.read(req, 'token');
      const isShown = made?.sessionId === session.id && tokenIdOf(hashToken(made.token)) === token.id;
      if (!isShown) return `${accountPaths.token(token.id)}?notice=shown`;
      if (req.method !== 'HEAD') cookie.clear(res);
      return createdTokenPage(made.token, token);
    }),

    ...pages.confirmed(accountPaths.token(':id'), limitTable.change, {
      async ask(req, session, attempt) {
        const page = tokenPage(await findToken(req, session), session, attempt);
        return { ...page, body: html`${noticeFor(queryOf(req).notice, notices)}${page.body}` };
      },
      async perform(req, _, { caller }, sent) {
        await tokens.rename(caller, readTokenId(req), readLabelOf(sent));
        return `${accountPaths.account}?notice=token-renamed`;
      },
    }),

    pages.form(
      accountPaths.revoke(':id'),
      limitTable.change,
      async (req, _, { caller }) => {
        await tokens.revoke(caller, readTokenId(req));
        return `${accountPaths.account}?notice=token-revoked`;
      },
      { allowsSuspended: true },
    ),
  ];
}

/** What `?notice=` of a token's page says. */
const notices = {
  shown:
    'This token was shown once, after it was created. If you did not copy it, revoke it and create another one.',
} as const;

/** A token that was created and not shown yet, which only its session sees. */
interface NewToken {
  readonly token: string;
  readonly sessionId: string;
  readonly expiresAt: number;
}

/** How long the cookie keeps a new token for the page that shows it. */
const showMs = 60_000;

/** @throws DropError `invalid_arg` for a number of days that the form does not offer */
function readDays(text = ''): number | null {
  const days = tokenDays.find((each) => String(each ?? '') === text);
  if (days !== undefined) return days;
  throw new DropError('invalid_arg', 'Choose how long the token is valid', { field: 'days' });
}

/** Absent: from a page of an earlier release. @throws DropError `invalid_arg` for what the form does not offer */
function readScope(text = 'all'): Scope {
  if (isScope(text)) return text;
  throw new DropError('invalid_arg', 'Choose what the token may do', { field: 'scope' });
}

/** How long a new token can be valid, in days; null: until it is revoked. */
const tokenDays = [null, 1, 7, 30, 90, 365] as const;

function validity(days: number | null): string {
  if (days === null) return 'Until I revoke it';
  if (days === 365) return 'For 1 year';
  return days === 1 ? 'For 1 day' : `For ${days} days`;
}

/** A part of the tokens of an account, and where it begins (null: with the newest). */
export interface ShownTokens extends TokenPage {
  readonly after: CredentialPosition | null;
}

/** @param refused the form for a new token after an error */
export function tokensSection(
  { tokens, after, next }: ShownTokens,
  formField: Html,
  { form, error }: Partial<RefusedForm> = {},
): Html {
  const state = (field: string) => fieldState(error?.details?.field === field);
  const options = tokenDays.map(
    (days) =>
      html`<option value="${days ?? ''}"${String(days ?? '') === form?.get('days') && html` selected`}>${validity(days)}</option>`,
  );
  const scopeOptions = scopes.map(
    (scope) =>
      html`<option value="${scope}"${scope === form?.get('scope') && html` selected`}>${scopeNames[scope]}</option>`,
  );
  return html`<section class="panel" id="tokens" aria-labelledby="tokens-title">
<h2 id="tokens-title">Tokens</h2>
<p class="soft">A token lets a program act for this account. Give each program and each machine a token of its own, so that you can revoke one without the others.</p>
${tokens.length === 0 ? html`<p>This account has no ${after !== null && 'older '}tokens.</p>` : table(tokens)}
${tokenPagination(accountPaths.account, after, next)}
<h3 id="new-token">Create a token</h3>
${formError(error)}
<form method="post" action="${accountPaths.tokens}" aria-labelledby="new-token">${formField}
<div class="fields-row">
<div><label for="label">Label</label>
<input id="label" name="label" value="${form?.get('label')}" placeholder="Backup script" autocomplete="off"${state('label')}></div>
<div><label for="days">Valid</label>
<select id="days" name="days"${state('days')}>${options}</select></div>
<div><label for="scope">Access</label>
<select id="scope" name="scope" aria-describedby="scope-hint"${state('scope')}>${scopeOptions}</select></div>
</div>
<p class="hint" id="scope-hint">${scopeNames.publish}: the program can ${publishScopeTexts.may}. It cannot ${publishScopeTexts.mayNot}.</p>
<div class="actions"><button>Create token</button></div>
</form>
</section>`;
}

function table(tokens: readonly Token[]): Html {
  const action = html`<th scope="col"><span class="visually-hidden">Action</span></th>`;
  const rows = tokens.map(
    (token) => html`<tr>
${tokenCells(token)}
<td class="fit"><a class="button quiet small" href="${accountPaths.token(token.id)}">Rename or revoke<span class="visually-hidden"> ${token.label ?? token.id}</span></a></td>
</tr>
`,
  );
  return stackedTable(['Label', 'Created', 'Last used', 'Ends', action], rows);
}

const lastUse = ({ lastUsedAt }: Token) => (lastUsedAt === null ? 'Never' : timeAgo(lastUsedAt));
const endOf = ({ expiresAt }: Pick<Token, 'expiresAt'>) =>
  expiresAt === null ? 'Never' : timeTag(expiresAt);

const scopeBadge = ({ scope }: Token) =>
  scope !== 'all' && html` <span class="badge">${scopeNames[scope]}</span>`;

/** Label, scope and id, and three times. */
export function tokenCells(token: Token): Html {
  return html`<th scope="row"><span class="wrap-anywhere">${labelOf(token.label)}</span>${scopeBadge(token)}<br><code class="soft small">${token.id}</code></th>
<td data-label="Created">${timeAgo(token.createdAt)}</td>
<td data-label="Last used">${lastUse(token)}</td>
<td data-label="Ends">${endOf(token)}</td>`;
}

/** The only page that ever contains the token. */
function createdTokenPage(token: string, { label, scope, expiresAt }: Token): PageParts {
  return {
    title: 'New token',
    body: html`${accountCrumbs}
<section class="panel"><h1>Your new token</h1>
<p class="notice warn">Copy the token now. It is shown only once: if you lose it, revoke it and create another one.</p>
<p class="copyable"><code id="token">${token}</code>${copyButton(token)}</p>
<dl class="facts">
${fact('Label', labelOf(label))}
${fact('Access', scopeNames[scope])}
${fact('Ends', endOf({ expiresAt }))}
${fact('How to use it', html`Programs send it as <code>Authorization: Bearer</code> and the token. The client <code>dropleaf</code> reads it from <code>DROPLEAF_TOKEN</code>. Anybody who has the token can publish in your name: do not put it into a page, a repository or an address.`)}
</dl>
<div class="actions"><a class="button" href="${accountPaths.account}#tokens">Done</a></div>
</section>`,
  };
}

/** @param refused the label that was sent, and what is wrong with it */
function tokenPage(token: Token, { formField, caller }: BrowserSession, refused?: RefusedForm): PageParts {
  const label = refused ? refused.form.get('label') : token.label;
  return {
    title: 'Token',
    error: refused?.error,
    body: html`${accountCrumbs}
<div class="page-head"><div><h1>Token ${labelOf(token.label)}</h1></div></div>
<section class="panel">
<dl class="facts plain">
${fact('Id', html`<code>${token.id}</code>`)}
${fact('Access', scopeNames[token.scope])}
${fact('Created', timeTag(token.createdAt))}
${fact('Last used', lastUse(token))}
${fact('Ends', endOf(token))}
</dl></section>
${
  !caller.isSuspended &&
  html`<section class="panel"><h2>Rename</h2>
${formError(refused?.error)}
<form method="post" action="${accountPaths.token(token.id)}">${formField}
<label for="label">Label</label>
<input id="label" name="label" value="${label}" autocomplete="off"${fieldState(refused !== undefined)}>
<div class="actions"><button>Save</button></div></form></section>`
}
<section class="panel danger-zone"><h2>Revoke</h2>
<p>From then on the service refuses this token, and the program that uses it is signed out. Its drops stay. This cannot be undone.</p>
<form method="post" action="${accountPaths.revoke(token.id)}">${formField}
<div class="actions"><button class="danger">Revoke token</button><a class="button quiet" href="${accountPaths.account}#tokens">Cancel</a></div></form></section>`,
  };
}
