import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { leadTo } from '../http/form-script.ts';
import { browserSignInPath, dashboardPaths, signInPaths } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { SignInPages } from './pages.ts';

/** The query of the page after a sign-out: the session was one of the OpenID provider. */
const fromField = 'from';

/** POST /sign-out, and the page that follows it, which signs nobody in again. */
export function signedOutRoutes(
  { services, sessions: access }: RouteParts,
  { page }: SignInPages,
): readonly Route[] {
  const send = access.sessionForm(
    null,
    async (_, res, __, ___, admit) => {
      const { caller, id } = await admit();
      await services.sessions.revoke(caller, id);
      access.cookie.clear(res);
      leadTo(res, signedOutPath(services, caller));
    },
    { allowsSuspended: true },
  );
  return [
    open('POST', dashboardPaths.signOut, send),

    page(signInPaths.out, async (req) => {
      if ((await access.find(req)) !== null) return dashboardPaths.drops;
      return req.query[fromField] === 'oidc' ? signedOutOfProvider(services) : signedOutPage(null);
    }),
  ];
}

/** Where a browser goes whose own session has ended. @param caller with that session */
export function signedOutPath(
  { oidc }: Pick<Services, 'oidc'>,
  { credential }: Parameters<Services['sessions']['list']>[0],
): string {
  const provider = credential.kind === 'session' ? credential.session.provider : null;
  return provider !== null && oidc?.isOf(provider) ? `${signInPaths.out}?${fromField}=oidc` : signInPaths.out;
}

async function signedOutOfProvider({ oidc, log }: Services): Promise<PageParts> {
  if (oidc === null) return signedOutPage(null);
  try {
    const href = await oidc.signOutUrl();
    return signedOutPage(href === null ? null : { href, name: oidc.name });
  } catch (error) {
    if (!(error instanceof DropError) || error.code !== 'unavailable') throw error;
    log.warn({ cause: error.cause }, 'the identity provider does not say where people sign out of it');
    return signedOutPage(null);
  }
}

function signedOutPage(provider: { readonly href: string; readonly name: string } | null): PageParts {
  return {
    title: 'Signed out',
    body: html`<h1>You are signed out</h1>
${
  provider === null
    ? html`<p>This browser has no access to your account any more.</p>`
    : html`<p>This browser has no access to your account any more, until somebody signs in again. ${provider.name} may still know you, and
would then sign you in without a question.</p>`
}
<div class="ways after">
${provider && html`<a class="button" href="${provider.href}" rel="noreferrer">Sign out of ${provider.name}, too</a>\n`}<a class="button quiet" href="${browserSignInPath('')}">Sign in</a>
</div>`,
  };
}
