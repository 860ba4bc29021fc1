import type { Token } from '../../../shared/domain/token.ts';
import { copyButton } from '../../html/copy-button.ts';
import { fieldState, formError } from '../../html/error-page.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { timeTag } from '../../html/time.ts';
import { accountPaths } from './paths.ts';

/** How long a new token can be valid, in days; null: until it is revoked. */
export const tokenDays = [null, 1, 7, 30, 90, 365] as const;

/** The form for a new token as it was sent, with what is wrong. */
export interface RefusedToken {
  readonly label: string;
  readonly days: string;
  readonly message: string;
  readonly field: unknown;
}

function labelOf({ label }: Pick<Token, 'label'>): Html {
  return label === null || label === '' ? html`<span class="soft">No label</span>` : visible(label);
}

export function tokensSection(tokens: readonly Token[], formField: Html, refused: RefusedToken | null): Html {
  return html`<section class="panel" id="tokens" aria-labelledby="tokens-title">
<h2 id="tokens-title">Tokens</h2>
<p class="soft">A token lets a program publish and change everything in this account. Give each program and each machine a token of its own, so that you can revoke one without the others.</p>
${tokens.length === 0 ? html`<p>This account has no tokens.</p>` : table(tokens)}
<h3 id="new-token">Create a token</h3>
${formError(refused?.message)}
<form method="post" action="${accountPaths.tokens}" aria-labelledby="new-token">${formField}
<div class="fields-row">
<div><label for="label">Label</label>
<input id="label" name="label" value="${refused?.label ?? ''}" placeholder="Backup script" autocomplete="off"${fieldState(refused?.field === 'label')}></div>
<div><label for="days">Valid</label>
<select id="days" name="days"${fieldState(refused?.field === 'days')}>${tokenDays.map(
    (days) =>
      html`<option value="${days ?? ''}"${String(days ?? '') === refused?.days && html` selected`}>${validity(days)}</option>`,
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
  return html`<div class="table-wrap"><table class="table stacked">
<thead><tr><th scope="col">Label</th><th scope="col">Created</th><th scope="col">Last used</th><th scope="col">Ends</th><th scope="col"><span class="visually-hidden">Action</span></th></tr></thead>
<tbody>
${tokens.map(
  (token) => html`<tr>
<th scope="row"><span class="wrap-anywhere">${labelOf(token)}</span><br><code class="soft small">${token.id}</code></th>
<td data-label="Created">${timeTag(token.createdAt, { relative: true })}</td>
<td data-label="Last used">${token.lastUsedAt === null ? 'Never' : timeTag(token.lastUsedAt, { relative: true })}</td>
<td data-label="Ends">${token.expiresAt === null ? 'Never' : timeTag(token.expiresAt)}</td>
<td class="fit"><a class="button quiet small" href="${accountPaths.token(token.id)}">Rename or revoke<span class="visually-hidden"> ${token.label ?? token.id}</span></a></td>
</tr>
`,
)}</tbody>
</table></div>`;
}

export function crumbs(): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${accountPaths.account}">Account</a></nav>`;
}

/** The only page that ever contains the token. */
export function createdTokenPage(token: string, label: string | null, expiresAt: number | null): PageParts {
  return {
    title: 'New token',
    body: html`${crumbs()}
<section class="panel"><h1>Your new token</h1>
<p class="notice warn">Copy the token now. It is shown only once: if you lose it, revoke it and create another one.</p>
<p class="copyable"><code id="token">${token}</code>${copyButton(token)}</p>
<dl class="facts">
<div><dt>Label</dt><dd>${labelOf({ label })}</dd></div>
<div><dt>Ends</dt><dd>${expiresAt === null ? 'Never' : timeTag(expiresAt)}</dd></div>
<div><dt>How to use it</dt><dd>Programs send it as <code>Authorization: Bearer</code> and the token. The client <code>dropleaf</code> reads it from <code>DROPLEAF_TOKEN</code>. Anybody who has the token can publish in your name: do not put it into a page, a repository or an address.</dd></div>
</dl>
<div class="actions"><a class="button" href="${accountPaths.account}#tokens">Done</a></div>
</section>`,
  };
}

/** @param refused the label that was sent, and what is wrong with it */
export function tokenPage(
  token: Token,
  formField: Html,
  isReadOnly: boolean,
  refused: { readonly label: string; readonly message: string } | null = null,
): PageParts {
  const { id, createdAt, lastUsedAt, expiresAt, label } = token;
  return {
    title: 'Token',
    body: html`${crumbs()}
<div class="page-head"><div><h1>Token ${labelOf(token)}</h1></div></div>
<section class="panel">
<dl class="facts plain">
<div><dt>Id</dt><dd><code>${id}</code></dd></div>
<div><dt>Created</dt><dd>${timeTag(createdAt)}</dd></div>
<div><dt>Last used</dt><dd>${lastUsedAt === null ? 'Never' : timeTag(lastUsedAt, { relative: true })}</dd></div>
<div><dt>Ends</dt><dd>${expiresAt === null ? 'Never' : timeTag(expiresAt)}</dd></div>
</dl></section>
${
  !isReadOnly &&
  html`<section class="panel"><h2>Rename</h2>
${formError(refused?.message)}
<form method="post" action="${accountPaths.token(id)}">${formField}
<label for="label">Label</label>
<input id="label" name="label" value="${refused?.label ?? label ?? ''}" autocomplete="off"${fieldState(refused !== null)}>
<div class="actions"><button>Save</button></div></form></section>`
}
<section class="panel danger-zone"><h2>Revoke</h2>
<p>From then on the service refuses this token, and the program that uses it is signed out. Its drops stay. This cannot be undone.</p>
<form method="post" action="${accountPaths.revoke(id)}">${formField}
<div class="actions"><button class="danger">Revoke token</button><a class="button quiet" href="${accountPaths.account}#tokens">Cancel</a></div></form></section>`,
  };
}
