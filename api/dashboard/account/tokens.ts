import type { Request } from 'express';
import type { Token } from '../../../shared/credentials/token.ts';
import { DropError, notFound } from '../../../shared/domain/errors.ts';
import { dayMs } from '../../../shared/domain/windows.ts';
import { createLabelReader } from '../../account/account.ts';
import { fieldState, formError } from '../../html/forms.ts';
import { type Html, html } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { breadcrumb, copyButton, fact, labelOf, stackedTable, timeAgo, timeTag } from '../../html/parts.ts';
import { readTokenId } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import type { Session } from '../../http/session.ts';
import { type Form, orAgain } from '../../http/show.ts';
import { dashboardPages } from '../pages.ts';
import { accountPaths } from '../paths.ts';

/** For `noticeFor` of the account page. */
export const tokenNotices = {
  'token-renamed': 'The token has its new label.',
  'token-revoked': 'The token is revoked: the service refuses it from now on.',
} as const;

/**
 * The tokens of the account.
 * @param accountPage the account page, on which the form for a new token is
 */
export function tokenRoutes(
  parts: RouteParts,
  accountPage: (session: Session, invalid: InvalidToken) => Promise<PageParts>,
): readonly Route[] {
  const { tokens, clock, config } = parts.services;
  const { page, form } = dashboardPages(parts, 'account');
  const readLabel = createLabelReader(config);

  /** @throws DropError `not_found` */
  async function findToken(req: Request, { caller }: Session): Promise<Token> {
    const id = readTokenId(req);
    const token = (await tokens.list(caller)).find((each) => each.id === id);
    if (token === undefined) throw notFound('token');
    return token;
  }

  /** An empty field means no label. @throws DropError `invalid_arg` */
  function readLabelOf(sent: Form): string | null {
    return readLabel({ label: sent.get('label')?.trim() || null });
  }

  return [
    /** Answers with the token itself, not with a redirect: the token must never be in an address. */
    form(accountPaths.tokens, 'changes_per_minute', (req, _, session, sent) => {
      const save = async () => {
        const label = readLabelOf(sent);
        const days = readDays(sent.get('days'));
        const expiresAt = days === null ? null : clock.now() + days * dayMs;
        const token = await tokens.mint(session.caller.accountId, label, expiresAt);
        return createdTokenPage(token, label, expiresAt);
      };
      return orAgain(req, save, (error) =>
        accountPage(session, { label: sent.get('label') ?? '', days: sent.get('days') ?? '', error }),
      );
    }),

    page(accountPaths.token(':id'), async (req, _, session) =>
      tokenPage(await findToken(req, session), session),
    ),

    form(accountPaths.token(':id'), 'changes_per_minute', (req, _, session, sent) => {
      const save = async () => {
        await tokens.rename(session.caller, readTokenId(req), readLabelOf(sent));
        return `${accountPaths.account}?notice=token-renamed`;
      };
      return orAgain(req, save, async (error) =>
        tokenPage(await findToken(req, session), session, { label: sent.get('label') ?? '', error }),
      );
    }),

    form(
      accountPaths.revoke(':id'),
      'changes_per_minute',
      async (req, _, { caller }) => {
        await tokens.revoke(caller, readTokenId(req));
        return `${accountPaths.account}?notice=token-revoked`;
      },
      { allowsSuspended: true },
    ),
  ];
}

/** @throws DropError `invalid_arg` for a number of days that the form does not offer */
function readDays(text = ''): number | null {
  const days = tokenDays.find((each) => String(each ?? '') === text);
  if (days !== undefined) return days;
  throw new DropError('invalid_arg', 'Choose how long the token is valid', { field: 'days' });
}

/** How long a new token can be valid, in days; null: until it is revoked. */
const tokenDays = [null, 1, 7, 30, 90, 365] as const;

/** The form for a new token as it was sent, and what is wrong with it. */
export interface InvalidToken {
  readonly label: string;
  readonly days: string;
  readonly error: DropError;
}

export function tokensSection(
  tokens: readonly Token[],
  formField: Html,
  invalid: InvalidToken | undefined,
): Html {
  const isInvalid = (field: string) => invalid?.error.details?.field === field;
  return html`<section class="panel" id="tokens" aria-labelledby="tokens-title">
<h2 id="tokens-title">Tokens</h2>
<p class="soft">A token lets a program publish and change everything in this account. Give each program and each machine a token of its own, so that you can revoke one without the others.</p>
${tokens.length === 0 ? html`<p>This account has no tokens.</p>` : table(tokens)}
<h3 id="new-token">Create a token</h3>
${formError(invalid?.error)}
<form method="post" action="${accountPaths.tokens}" aria-labelledby="new-token">${formField}
<div class="fields-row">
<div><label for="label">Label</label>
<input id="label" name="label" value="${invalid?.label ?? ''}" placeholder="Backup script" autocomplete="off"${fieldState(isInvalid('label'))}></div>
<div><label for="days">Valid</label>
<select id="days" name="days"${fieldState(isInvalid('days'))}>${tokenDays.map(
    (days) =>
      html`<option value="${days ?? ''}"${String(days ?? '') === invalid?.days && html` selected`}>${validity(days)}</option>`,
  )}</select></div>
</div>
<div class="actions"><button>Create token</button></div>
</form>
</section>`;
}

function validity(days: number | null): string {
  if (days === null) return 'Until I revoke it';
  if (days === 365) return 'For 1 year';
  return days === 1 ? 'For 1 day' : `For ${days} days`;
}

function table(tokens: readonly Token[]): Html {
  const action = html`<th scope="col"><span class="visually-hidden">Action</span></th>`;
  return stackedTable(
    ['Label', 'Created', 'Last used', 'Ends', action],
    tokens.map(
      (token) => html`<tr>
${tokenCells(token)}
<td class="fit"><a class="button quiet small" href="${accountPaths.token(token.id)}">Rename or revoke<span class="visually-hidden"> ${token.label ?? token.id}</span></a></td>
</tr>
`,
    ),
  );
}

/** Label and id, and three times. */
export function tokenCells({ id, label, createdAt, lastUsedAt, expiresAt }: Token): Html {
  return html`<th scope="row"><span class="wrap-anywhere">${labelOf(label)}</span><br><code class="soft small">${id}</code></th>
<td data-label="Created">${timeAgo(createdAt)}</td>
<td data-label="Last used">${lastUsedAt === null ? 'Never' : timeAgo(lastUsedAt)}</td>
<td data-label="Ends">${expiresAt === null ? 'Never' : timeTag(expiresAt)}</td>`;
}

const crumbs = breadcrumb([accountPaths.account, 'Account']);

/** The only page that ever contains the token. */
function createdTokenPage(token: string, label: string | null, expiresAt: number | null): PageParts {
  return {
    title: 'New token',
    status: 201,
    body: html`${crumbs}
<section class="panel"><h1>Your new token</h1>
<p class="notice warn">Copy the token now. It is shown only once: if you lose it, revoke it and create another one.</p>
<p class="copyable"><code id="token">${token}</code>${copyButton(token)}</p>
<dl class="facts">
${fact('Label', labelOf(label))}
${fact('Ends', expiresAt === null ? 'Never' : timeTag(expiresAt))}
${fact('How to use it', html`Programs send it as <code>Authorization: Bearer</code> and the token. The client <code>dropleaf</code> reads it from <code>DROPLEAF_TOKEN</code>. Anybody who has the token can publish in your name: do not put it into a page, a repository or an address.`)}
</dl>
<div class="actions"><a class="button" href="${accountPaths.account}#tokens">Done</a></div>
</section>`,
  };
}

/** @param invalid the label that was sent, and what is wrong with it */
function tokenPage(
  token: Token,
  { formField, caller }: Session,
  invalid?: { readonly label: string; readonly error: DropError },
): PageParts {
  const { id, createdAt, lastUsedAt, expiresAt, label } = token;
  return {
    title: 'Token',
    error: invalid?.error,
    body: html`${crumbs}
<div class="page-head"><div><h1>Token ${labelOf(label)}</h1></div></div>
<section class="panel">
<dl class="facts plain">
${fact('Id', html`<code>${id}</code>`)}
${fact('Created', timeTag(createdAt))}
${fact('Last used', lastUsedAt === null ? 'Never' : timeAgo(lastUsedAt))}
${fact('Ends', expiresAt === null ? 'Never' : timeTag(expiresAt))}
</dl></section>
${
  !caller.isSuspended &&
  html`<section class="panel"><h2>Rename</h2>
${formError(invalid?.error)}
<form method="post" action="${accountPaths.token(id)}">${formField}
<label for="label">Label</label>
<input id="label" name="label" value="${invalid?.label ?? label ?? ''}" autocomplete="off"${fieldState(invalid !== undefined)}>
<div class="actions"><button>Save</button></div></form></section>`
}
<section class="panel danger-zone"><h2>Revoke</h2>
<p>From then on the service refuses this token, and the program that uses it is signed out. Its drops stay. This cannot be undone.</p>
<form method="post" action="${accountPaths.revoke(id)}">${formField}
<div class="actions"><button class="danger">Revoke token</button><a class="button quiet" href="${accountPaths.account}#tokens">Cancel</a></div></form></section>`,
  };
}
