import type { Request, Response } from 'express';
import { DropError, nullIfNotFound } from '../../shared/domain/errors.ts';
import { isRestricted } from '../../shared/drops/access.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { type ProviderPerson, withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import { formError } from '../html/forms.ts';
import { type Html, html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { keptField, keptFormBytes } from '../http/kept-forms.ts';
import {
  browserSignInPath,
  dashboardPaths,
  isFreshPath,
  isOperatorPath,
  otherField,
  signInPaths,
} from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { type Form, orAgain, type Shown } from '../http/show.ts';
import { LocalSignIn } from './local.ts';
import { type LocalForm, localPage } from './local-views.ts';
import { problem, type SignInPages } from './pages.ts';
import { keptInput } from './signed-out.ts';
import { readyPage } from './views.ts';
import { beginVisit, visitMs } from './visit.ts';
import { otherInput, readsText, readWay, type ShownWay, shownWays, wayButtons, wayInput } from './ways.ts';

/** Longer addresses are not kept: the cookie of the visit must stay below 4 KB. */
const nextMaxLength = 500;

/** GET and POST of the sign-in to the dashboard. */
export function browserRoutes(parts: RouteParts, pages: SignInPages): readonly Route[] {
  const { services, sessions: access } = parts;
  const { page, form } = pages;
  return [
    page(action, async (req) => {
      const next = dashboardPathIn(req.query.next, services.config.BASE_URL);
      const wantsOther = req.query[otherField] !== undefined;
      const session = await access.find(req);
      // Some pages send a person here whose session is too old for them.
      const isTooOld =
        (session?.isTooOldToOperate && isOperatorPath(next)) || (!session?.isFresh && isFreshPath(next));
      const isEnough = session !== null && !isTooOld;
      return isEnough && !wantsOther
        ? landingOf(services, next)
        : signInPage(services, { next, wantsOther, kept: '' });
    }),

    form(
      action,
      (req, res, sent) => {
        const asked = {
          next: dashboardPathIn(sent.get('next'), services.config.BASE_URL),
          wantsOther: sent.has(otherField),
          kept: sent.get(keptField) ?? '',
        };
        const answer = () => authenticate(parts, pages, { req, res, sent }, asked);
        return orAgain(req, answer, (error) => signInPage(services, asked, error));
      },
      keptFormBytes,
    ),

    page(signInPaths.ready, async (req) =>
      (await access.find(req)) === null ? browserSignInPath(signInPaths.ready) : readyPage,
    ),
  ];
}

/** What a person asks for with the form of the sign-in. */
interface Asked {
  readonly next: string;
  readonly wantsOther: boolean;
  /** Sealed text that waits for the sign-in; '' for none. */
  readonly kept: string;
}

interface Sent {
  readonly req: Request;
  readonly res: Response;
  readonly sent: Form;
}

/** Leads to the identity provider, or starts a session of the person who has entered the sign-in key. */
function authenticate(
  parts: RouteParts,
  pages: SignInPages,
  { req, res, sent }: Sent,
  asked: Asked,
): Promise<Shown> {
  const { services, sessions: access } = parts;
  const { next, wantsOther, kept } = asked;
  const way = readWay(services, sent);
  if (way !== 'local') {
    const target = { device: null, next, expiresAt: services.clock.now() + visitMs };
    return beginVisit(services, pages, { req, res }, way, target, wantsOther);
  }
  const form = localFormOf(shownWays(services), asked);
  return new LocalSignIn(services).answer(req, sent, form, async (identity) => {
    await startSession(parts, req, res, withoutClaims(identity));
    const waiting = await access.keptForms.open(kept);
    if (waiting === null) return landingOf(services, next);
    res.redirect(307, waiting.path); // sends the sealed text on
    return null;
  });
}

/** Starts the session of a person who has come back from the identity provider. @returns `next`, or a page with the error */
export async function finishBrowserSignIn(
  parts: RouteParts,
  req: Request,
  res: Response,
  next: string,
  person: ProviderPerson,
): Promise<Shown> {
  try {
    await startSession(parts, req, res, person);
    return await landingOf(parts.services, next);
  } catch (error) {
    if (!(error instanceof DropError)) throw error;
    const retry = { href: browserSignInPath(next), text: 'Try again' };
    return problem(req, { error, title: 'Not signed in', retry });
  }
}

/**
 * Starts a new session, and revokes the one that the browser had. Approving a device never starts one.
 * @throws DropError `rate_limited`
 */
async function startSession(
  { services: { signIns, limits, sessions }, sessions: access }: RouteParts,
  req: Request,
  res: Response,
  person: ProviderPerson,
): Promise<void> {
  const { id, countsAs } = await signIns.signInWith(person);
  res.locals.accountId = id; // for the log
  await limits.take(limitTable.signInOfAccount, countsAs);
  const before = await access.find(req);
  access.cookie.write(
    res,
    await sessions.start(id, browserName(req.headers['user-agent']), person.identity.provider),
  );
  if (before !== null) await sessions.revoke(before.caller, before.id);
}

const action = signInPaths.browser;

function signInPage(services: Services, asked: Asked, error?: DropError): PageParts {
  const ways = shownWays(services);
  if (ways.some(({ way }) => way === 'local')) return localPage(localFormOf(ways, asked), '', error);
  return {
    title: 'Sign in',
    error,
    body: html`<h1>Sign in</h1>
<p class="soft">See your pages, change them and take them down.</p>
${formError(error)}${providersForm(ways, asked)}`,
  };
}

/** With the other ways around it, in their order. */
function localFormOf(ways: readonly ShownWay[], asked: Asked): LocalForm {
  const at = ways.findIndex(({ way }) => way === 'local');
  const before = ways.slice(0, at);
  const after = ways.slice(at + 1);
  return {
    action,
    fields: html`${hiddenFields(asked)}${ways.length > 1 && wayInput('local')}`,
    above: before.length > 0 && html`${providersForm(before, asked)}${separator}`,
    below: after.length > 0 && html`${separator}${providersForm(after, asked, false)}`,
  };
}

/** @param isFirst whether it is the first form of the page */
function providersForm(ways: readonly ShownWay[], asked: Asked, isFirst = true): Html {
  return html`<form method="post" action="${action}">
${hiddenFields(asked)}
${wayButtons(ways, isFirst)}</form>
${readsText(ways)}`;
}

const separator = html`<p class="or"><span>or</span></p>
`;

function hiddenFields({ next, wantsOther, kept }: Asked): Html {
  return html`${nextInput(next)}${wantsOther && otherInput}${kept !== '' && keptInput(kept)}`;
}

function nextInput(next: string): Html {
  return html`<input type="hidden" name="next" value="${next}">`;
}

/**
 * Where a person goes after the sign-in: to the viewer page of a restricted drop, for which they had to sign in, and to no other
 * drop. It is looked up only for somebody who is signed in.
 */
async function landingOf({ pages }: Pick<Services, 'pages'>, next: string): Promise<string> {
  const slug = /^\/p\/([\w-]+)(?:\?|$)/.exec(next)?.[1];
  if (slug === undefined) return next;
  const page = await pages.find(slug, null).catch(nullIfNotFound);
  return page !== null && isRestricted(page) ? next : dashboardPaths.drops;
}

/**
 * A path of the dashboard, of a viewer page, or of the comments on a page, with its query; the first page of the dashboard for
 * anything else: nobody is sent to another site.
 */
function dashboardPathIn(next: unknown, baseUrl: string): string {
  if (typeof next !== 'string' || next.length > nextMaxLength) return dashboardPaths.drops;
  if (!URL.canParse(next, baseUrl)) return dashboardPaths.drops;
  const { origin, pathname, search } = new URL(next, baseUrl);
  const isOfDashboard =
    /^\/((drops|shared|comments|account|operators)(\/|$)|sign-in\/ready$|p\/[\w-]+(\/comments)?$)/.test(
      pathname,
    ) && origin === new URL(baseUrl).origin;
  return isOfDashboard ? pathname + search : dashboardPaths.drops;
}

/** The first that matches names the browser: most browsers claim to be others, too. */
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
];

const systems: typeof browsers = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** `Firefox on Windows`, made of our own words: any client chooses its header. */
function browserName(userAgent = ''): string {
  const find = (list: typeof browsers) => list.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = find(browsers);
  const system = find(systems);
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `Browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
