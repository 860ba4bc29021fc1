import { createHash } from 'node:crypto';
import { localProvider } from '../../../shared/accounts/account.ts';
import { type SignInWay, signInWays } from '../../../shared/config/config.ts';
import { DropError, notFound } from '../../../shared/domain/errors.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import { type KnownIdentity, wayOf } from '../../../shared/identities/identities.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { withoutClaims } from '../../../shared/sign-ins/identity-provider.ts';
import { soft, stackedTable, timeTag } from '../../html/elements.ts';
import { fieldState, formError } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import type { BrowserSession, SessionAccess } from '../../http/session.ts';
import { createSignInCookie } from '../../sign-in/cookie.ts';
import { addWay } from '../../sign-in/linking.ts';
import { checkSignInKey, readName } from '../../sign-in/local.ts';
import { beginVisit, visitMs } from '../../sign-in/visit.ts';
import { providerName, type ShownWay, shownWays, wayButtons, wayInput } from '../../sign-in/ways.ts';
import { type RefusedForm, type SessionPage, SessionPages } from '../pages.ts';
import { accountPaths } from '../paths.ts';
import { accountCrumbs } from './tokens.ts';

/** What `?notice=` of the account page says. */
export const wayNotices = {
  'way-added': 'The account has another way to sign in.',
  'way-removed': 'The way to sign in is removed, and all other sessions have ended.',
} as const;

/** The pages that add and remove ways to sign in: only for a session that has just begun. */
export function wayRoutes(parts: RouteParts): readonly Route[] {
  const { services } = parts;
  const { identities, sessions, config, clock } = services;
  const cookie = createSignInCookie(services);
  const pages = freshPages(parts);

  /** @param error of the form, if it was refused @throws DropError `not_found` */
  async function find({ caller }: BrowserSession, id: unknown, error?: DropError): Promise<KnownIdentity> {
    const known = await identities.listOf(caller.accountId);
    const found = known.find((each) => wayIdOf(each) === id);
    if (found === undefined) throw error ?? notFound('way to sign in');
    return found;
  }

  return [
    ...pages.confirmed(accountPaths.ways, limitTable.change, {
      async ask(_, session, attempt) {
        const known = await identities.listOf(session.caller.accountId);
        return addingPage(offeredWays(services, known), session.formField, attempt);
      },
      async perform(req, res, session, sent) {
        const { accountId } = session.caller;
        const known = await identities.listOf(accountId);
        const way = offeredWays(services, known).find((each) => each.way === sent.get('way'))?.way;
        if (way === undefined)
          throw new DropError('invalid_arg', 'Choose a way to sign in', { field: 'way' });
        const next = `${accountPaths.account}?notice=way-added`;
        if (way === 'local') {
          const identity = readName(sent.get('name') ?? '');
          await checkSignInKey(services, req, (sent.get('key') ?? '').trim());
          await addWay(services, accountId, withoutClaims(identity));
          return next;
        }
        const link = { accountId, sessionId: session.id };
        const target = { device: null, next, link, expiresAt: clock.now() + visitMs };
        return beginVisit(services, { cookie }, { req, res }, way, target, true);
      },
    }),

    ...pages.confirmed(accountPaths.removeWay(':id'), limitTable.change, {
      async ask(req, session, attempt) {
        const { provider, name } = await find(session, req.params.id, attempt?.error);
        const signsIn = html`<strong>${providerName(services, provider)}</strong> as <strong class="wrap-anywhere">${visible(name)}</strong>`;
        return {
          crumbs: accountCrumbs,
          title: 'Remove this way to sign in?',
          body: html`<p>You can no longer sign in with ${signsIn}. All other sessions end; tokens stay. A person who signs in that way later gets a new, empty account.</p>`,
          button: 'Remove',
          isDangerous: true,
          back: `${accountPaths.account}#ways`,
        };
      },
      async perform(req, _, session) {
        const { caller } = session;
        const usable: readonly SignInWay[] = signInWays(config);
        const key = await find(session, req.params.id);
        await identities.unlink(caller.accountId, key, (way) => usable.includes(way));
        await sessions.revokeOthers(caller);
        return `${accountPaths.account}?notice=way-removed`;
      },
    }),
  ];
}

/** Of the account page. */
export function waysSection(services: Services, known: readonly KnownIdentity[]): Html {
  const rows = known.map((each) => {
    const provider = providerName(services, each.provider);
    const label = `Remove ${provider}, ${each.name}`;
    return html`<tr>
<th scope="row"><span class="wrap-anywhere">${each.provider === localProvider ? 'Sign-in key' : provider}</span></th>
<td data-label="Name"><span class="wrap-anywhere">${visible(each.name)}</span></td>
<td data-label="E-mail">${each.email === null ? soft('None') : html`<span class="wrap-anywhere">${visible(each.email)}</span>`}</td>
<td data-label="Since">${timeTag(each.createdAt)}</td>
<td class="fit">${known.length > 1 && html`<a class="button quiet small" href="${accountPaths.removeWay(wayIdOf(each))}" aria-label="${label}">Remove…</a>`}</td>
</tr>
`;
  });
  const canAdd = offeredWays(services, known).length > 0;
  return html`<section class="panel" id="ways" aria-labelledby="ways-title"><h2 id="ways-title">Ways to sign in</h2>
<p class="soft">Each of them leads to this account. Dropleaf never joins accounts because they have the same e-mail address.</p>
${stackedTable(['With', 'Name', 'E-mail', 'Since', html`<th scope="col"><span class="visually-hidden">Action</span></th>`], rows)}
${canAdd && html`<div class="actions"><a class="button quiet" href="${accountPaths.ways}">Add another way…</a></div>`}
</section>`;
}

/** Those of the service that the account does not have. */
function offeredWays(services: Services, known: readonly KnownIdentity[]): readonly ShownWay[] {
  const isKnown = (way: SignInWay) =>
    known.some(
      ({ provider }) => wayOf(provider) === way && (way !== 'oidc' || services.oidc?.isOf(provider)),
    );
  return shownWays(services).filter(({ way }) => !isKnown(way));
}

/** A short name for a form: providers and subjects can be long. */
function wayIdOf({ provider, subject }: KnownIdentity): string {
  return createHash('sha256').update(`${provider}\0${subject}`).digest('hex').slice(0, 20);
}

function addingPage(offered: readonly ShownWay[], formField: Html, attempt?: RefusedForm): SessionPage {
  const providers = offered.filter(({ way }) => way !== 'local');
  const hasKey = offered.length > providers.length;
  const body =
    offered.length === 0
      ? html`<p>Your account has every way to sign in that this service offers.</p>`
      : html`<p>Sign in once in the other way: from then on both lead to this account.</p>
${formError(attempt?.error)}
${providers.length > 0 && html`<form method="post" action="${accountPaths.ways}">${formField}${wayButtons(providers)}</form>`}
${hasKey && localForm(formField, attempt)}`;
  return {
    title: 'Add a way to sign in',
    error: attempt?.error,
    styles: ['sign-in'],
    body: html`${accountCrumbs}
<section class="panel reading"><h1>Add a way to sign in</h1>
${body}
</section>`,
  };
}

function localForm(formField: Html, attempt?: RefusedForm): Html {
  const state = (field: string) => fieldState(attempt?.error.details?.field === field, `${field}-hint`);
  return html`<form method="post" action="${accountPaths.ways}">${formField}${wayInput('local')}
<label for="name">Name</label>
<input id="name" name="name" value="${attempt?.form.get('name')}" maxlength="60" required autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false"${state('name')}>
<p class="hint" id="name-hint">A name that no account has.</p>
<label for="key">Sign-in key</label>
<input id="key" name="key" type="password" maxlength="200" required autocomplete="off"${state('key')}>
<p class="hint" id="key-hint">Anybody who has the key can sign in with this name, too. The operator prints it with <code>bin/dropleaf.js sign-in-key</code>.</p>
<div class="actions"><button class="quiet">Add this name</button></div>
</form>`;
}

/** A stolen cookie must not give somebody a way of their own into the account. */
function freshPages({ sessions, layout }: RouteParts): SessionPages {
  const isAdmitted = (session: BrowserSession) => session.isFresh;
  const access: Pick<SessionAccess, 'withSession' | 'sessionForm'> = {
    withSession: (handler) => sessions.withSession(handler, isAdmitted),
    sessionForm: (limit, handler, rules) => sessions.sessionForm(limit, handler, { ...rules, isAdmitted }),
  };
  const why = () => html`<p><a class="button quiet" href="${accountPaths.account}">Your account</a></p>`;
  return new SessionPages(access, (session, page) => layout.dashboard(session, 'account', page), why);
}
