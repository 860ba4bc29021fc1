import type { Request, Response } from 'express';
import type { Identity } from '../../shared/domain/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { html } from '../html/html.ts';
import { browserSignInPath, dashboardPaths, signInPaths } from '../http/paths.ts';
import type { SessionAccess } from '../http/session.ts';
import { browserName } from './browser-name.ts';
import type { SignInContext } from './context.ts';
import type { Steps } from './cookie.ts';
import { createLocalSignIn } from './local-key.ts';
import { localView, providerView, type View } from './views.ts';

/** Time to come back from the identity provider. */
const visitMs = 10 * 60_000;

/** Longer addresses are not kept: the cookie of the visit must stay below 4 KB. */
const nextMaxLength = 500;

/**
 * A person signs in to the dashboard. A session starts only here and when such a visit returns from the provider: approving a
 * device never starts one, and a session never approves a device.
 */
export function browserHandlers(context: SignInContext, access: SessionAccess) {
  const { services, cookie, readForm, show, redirect, refuse } = context;
  const { identityProvider, signInKey, config, clock } = services;
  const readLocal = createLocalSignIn(services);

  function view(next: string, name: string, error: Parameters<typeof localView>[0]['error']): View {
    const fields = html`<input type="hidden" name="next" value="${next}">`;
    const action = signInPaths.browser;
    return identityProvider === null
      ? localView({ action, name, error, fields })
      : beginView({ action, provider: identityProvider.name, fields });
  }

  async function begin(res: Response, provider: NonNullable<typeof identityProvider>, next: string) {
    const { url, visit } = await provider.begin(config.BASE_URL + signInPaths.callback);
    await cookie.write(res, 'browser', { visit, next, expiresAt: clock.now() + visitMs });
    show(res, providerView({ provider: provider.name, url, next: 'You then return here.' }));
  }

  /**
   * Starts a session of its own for each sign-in, and ends the one that the browser had.
   * @throws DropError `rate_limited`
   */
  async function startSession(req: Request, res: Response, identity: Identity, next: string): Promise<void> {
    const { signIns, limits, sessions } = services;
    const { id } = await signIns.signInWith(identity);
    res.locals.accountId = id; // for the log
    await limits.takeSignIn(id);
    const before = await access.find(req);
    access.cookie.write(res, await sessions.start(id, browserName(req.headers['user-agent'])));
    if (before !== null) await sessions.end(before.caller, before.id);
    redirect(res, next);
  }

  return {
    /** GET /sign-in/browser */
    async showBrowser(req: Request, res: Response): Promise<void> {
      const next = dashboardPathIn(req.query.next, config.BASE_URL);
      const session = await access.find(req);
      // A page of operators sends a person here whose session is too old for it.
      const isEnough = session !== null && !(session.isTooOldToOperate && isOperatorPath(next));
      if (isEnough) redirect(res, next);
      else show(res, view(next, '', null));
    },

    /** POST /sign-in/browser */
    async signInBrowser(req: Request, res: Response): Promise<void> {
      const form = await readForm(req);
      const next = dashboardPathIn(form.get('next'), config.BASE_URL);
      if (identityProvider !== null) return begin(res, identityProvider, next);
      const result = await readLocal(req, form, signInKey ?? '');
      if ('error' in result) refuse(req, res, result.error, view(next, form.get('name') ?? '', result));
      else await startSession(req, res, result, next);
    },

    /** The return from the identity provider, for `returnFromProvider` in authenticate.ts. */
    async finishBrowser(
      req: Request,
      res: Response,
      { next }: Steps['browser'],
      identity: Identity,
    ): Promise<void> {
      try {
        await startSession(req, res, identity, next);
      } catch (error) {
        if (!(error instanceof DropError)) throw error;
        context.showProblem(req, res, {
          error,
          title: 'Not signed in',
          retry: { href: browserSignInPath(next), text: 'Try again' },
        });
      }
    },

    /** POST /sign-out */
    signOut: access.sessionForm(
      null,
      async (_, res, { caller, id }) => {
        await services.sessions.end(caller, id);
        access.cookie.clear(res);
        redirect(res, '/');
      },
      { allowsSuspended: true },
    ),
  };
}

/**
 * Only pages of the dashboard: after a sign-in nobody is sent to another site, nor to a drop, which could ask for the key
 * again.
 * @returns a path with its query; the first page of the dashboard for anything else
 */
function dashboardPathIn(next: unknown, baseUrl: string): string {
  if (typeof next !== 'string' || next.length > nextMaxLength) return dashboardPaths.drops;
  if (!URL.canParse(next, baseUrl)) return dashboardPaths.drops;
  const { origin, pathname, search } = new URL(next, baseUrl);
  const isOfDashboard =
    /^\/(drops|account|operators)(\/|$)/.test(pathname) && origin === new URL(baseUrl).origin;
  return isOfDashboard ? pathname + search : dashboardPaths.drops;
}

function isOperatorPath(path: string): boolean {
  return /^\/operators(?![^/?])/.test(path);
}

/** Leads to the identity provider. */
function beginView({
  action,
  provider,
  fields,
}: {
  action: string;
  provider: string;
  fields: View['body'];
}): View {
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
<p class="soft">See your pages, change them and take them down.</p>
<form method="post" action="${action}">
${fields}
<button type="submit">Continue with ${provider}</button>
</form>
<p class="soft small after">Dropleaf reads only your public user name and user id from ${provider}.</p>`,
  };
}
