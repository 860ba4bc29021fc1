import type { Request, Response } from 'express';
import { type Config, isHttps } from '../../shared/config/config.ts';
import { type DropError, notFound, versionNotFound } from '../../shared/domain/errors.ts';
import { isPublic, isRestricted } from '../../shared/drops/access.ts';
import type { Page, PageWithVersion } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { askForm } from '../access-requests/ask.ts';
import { fieldState, formError } from '../html/forms.ts';
import { type Html, html, raw } from '../html/html.ts';
import type { Layout, PageParts } from '../html/layout.ts';
import { isNavigation } from '../http/answer-error.ts';
import { visitorOf } from '../http/client-address.ts';
import { setCookie } from '../http/cookies.ts';
import { isFromOtherSite, type ReadForm } from '../http/form.ts';
import { leadTo } from '../http/form-script.ts';
import { HttpError } from '../http/http-error.ts';
import { pagePath } from '../http/paths.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { allowIndexing, sendPage } from '../http/send.ts';
import type { BrowserSession, SessionAccess } from '../http/session.ts';
import { orAgain, show } from '../http/show.ts';
import { ContentHosts } from './content-hosts.ts';
import { frameUrl } from './frame.ts';
import { askGate, setPageCaching } from './gate.ts';
import { noRightPage } from './no-right-page.ts';
import {
  isGetByPerson,
  passCookie,
  readAddress,
  readSlugAndVersion,
  refuseTakenDown,
} from './public-page.ts';
import { lockedSocialTags } from './social-tags.ts';
import { madeByScripts, viewerPage } from './viewer-page.ts';

type ViewerDeps = Pick<RouteParts, 'services' | 'readForm' | 'sessions' | 'layout'>;

/** Reports go nowhere: no `Reporting-Endpoints` names that group. Without one Firefox and WebKit complain in the console. */
const leavingPolicy = `frame-src 'self' ${madeByScripts}; report-to none`;

/** GET and POST /p/{slug} (spec 4.5): the viewer, the passcode form of a locked drop, and the page for those who may not read it. */
export class ViewerPages {
  readonly #services: Services;
  readonly #readForm: ReadForm;
  readonly #sessions: SessionAccess;
  readonly #layout: Layout;
  readonly #contentHosts: ContentHosts | null;

  constructor({ services, readForm, sessions, layout }: ViewerDeps) {
    this.#services = services;
    this.#readForm = readForm;
    this.#sessions = sessions;
    this.#layout = layout;
    this.#contentHosts = ContentHosts.from(services.config.CONTENT_ORIGIN);
  }

  async show(req: Request, res: Response): Promise<void> {
    const { pages, passcodes, views, config } = this.#services;
    const [slug, number] = readTarget(req);
    const isPinned = number !== null;
    const known = pages.getCached(slug, number);
    const context = known === null ? undefined : pages.getCachedContext(known);
    // A page from memory must be sent before anything is awaited, and a context may have to be read.
    if (known !== null && context !== undefined) {
      this.#send(res, known, { context, grant: null, isPinned });
      if (isGetByPerson(req)) views.count(known.dropId);
      return;
    }
    const page = await pages.find(slug, number);
    const proofs = { admitsSession: isAlone(req), takesToken: true };
    const passage = await askGate(this.#services, page, req, proofs);
    if (passage.gate === 'no right') return this.#refuse(req, res, slug);
    checkShown(page, number);
    setPageCaching(res, page);
    if (passage.gate === 'passcode') return show(res, passcodeForm(config, req, page), this.#layout.page);
    const shown = pages.requireVersion(page);
    const grant = await passcodes.issue('grant', shown, passage.reader);
    this.#send(res, shown, { context: await pages.context(shown), grant, isPinned });
    if (isGetByPerson(req)) views.count(page.dropId);
  }

  /** A person sees an error on the form again. A program gets the envelope. */
  async unlock(req: Request, res: Response): Promise<void> {
    const services = this.#services;
    const [slug, number] = readTarget(req);
    const page = await services.pages.find(slug, number);
    const { gate } = await askGate(services, page, req);
    if (gate === 'no right') return this.#refuse(req, res, slug);
    checkShown(page, number);
    setPageCaching(res, page);
    const form = await this.#readForm(req);
    const unlock = () => unlockPage(services, req, res, page, form.get('passcode') ?? '');
    const shown = await orAgain(req, unlock, (error) => passcodeForm(services.config, req, page, error));
    show(res, shown, this.#layout.page);
  }

  /** @throws DropError `not_found`, as for a slug that nothing has: the request is of a program */
  async #refuse(req: Request, res: Response, slug: string): Promise<void> {
    if (!isNavigation(req)) throw notFound('page');
    const session = isAlone(req) ? await this.#sessions.find(req) : null;
    // The page repeats the address beside a name: it is not compressed if another site led here (http/compression.ts).
    if (session !== null)
      Object.assign(res.locals, { accountId: session.caller.accountId, sessionId: session.id });
    const address = pagePath(slug) + new URL(req.url, 'http://service').search;
    const ask = session && (await this.#askForm(slug, session));
    show(res, noRightPage({ address, session, ask }), this.#layout.page);
  }

  /** null: the account is suspended, and can ask for nothing. */
  async #askForm(slug: string, { caller, formField }: BrowserSession): Promise<Html | null> {
    const { accessRequests, pages } = this.#services;
    if (caller.isSuspended) return null;
    const standing = await accessRequests.standingOf(await pages.find(slug, null), caller);
    return askForm({ slug, standing, formField });
  }

  /**
   * Makes the page in the same synchronous step, and sends it.
   * @param shown `context` as `pages.context` returns it; `grant` opens the frame of a drop that is not public; `isPinned`: the address
   *   names the version
   */
  #send(
    res: Response,
    page: PageWithVersion,
    { context, grant, isPinned }: { context: string | null; grant: string | null; isPinned: boolean },
  ): void {
    const { cards, config } = this.#services;
    const { title, description, slug, version, latestVersion, lock, access } = page;
    const dropOrigin = this.#contentHosts?.originOf(page.dropId) ?? null;
    const indexable = config.INDEXABLE && isPublic(page);
    const view = viewerPage({
      baseUrl: config.BASE_URL,
      slug,
      title,
      description,
      cardDigest: cards.digest(page),
      rawUrl: frameUrl(page, dropOrigin, grant),
      ...(dropOrigin !== null && { ownOrigin: dropOrigin }),
      version: version.number,
      versionId: version.id,
      createdAt: version.createdAt,
      latestVersion,
      isPinned,
      isLocked: lock !== null,
      access,
      context: context === null ? null : raw(context),
      indexable,
      comments: page.comments,
      commentsScript: this.#layout.urlOf('comments-panel.js'),
    });
    if (indexable) allowIndexing(res);
    // Tells the script where a link in the frame led. A drop on an origin of its own cannot lead anywhere else.
    if (dropOrigin === null) res.setHeader('Content-Security-Policy-Report-Only', leavingPolicy);
    setPageCaching(res, page);
    sendPage(res, 200, this.#layout.bare(view));
  }
}

/** @throws HttpError 410 for a takedown; DropError `version_not_found` */
function checkShown(page: Page, number: number | null): void {
  refuseTakenDown(page);
  // Also of a locked page: what no version can have as its number tells nothing about it.
  if (number === 0) throw versionNotFound();
}

/** Sets the cookie and redirects. @throws DropError `passcode_required` (403): wrong; `rate_limited`: too often */
async function unlockPage(
  { passcodes, config }: Services,
  req: Request,
  res: Response,
  page: Page,
  passcode: string,
): Promise<null> {
  if (!(await passcodes.check(page, passcode, visitorOf(req.ip)))) {
    throw new HttpError(403, 'passcode_required', 'The passcode is wrong.');
  }
  const pass = await passcodes.issue('pass', page);
  if (pass !== null) {
    setCookie(res, passCookie, pass, {
      path: pagePath(page.slug),
      seconds: config.UNLOCK_SECONDS,
      isSecure: isHttps(config),
    });
  }
  leadTo(res, req.url);
  return null;
}

function passcodeForm({ BASE_URL }: Config, { url }: Request, page: Page, error?: DropError): PageParts {
  return enterPasscodePage({ action: url, baseUrl: BASE_URL, page, error });
}

/** In a window of its own, which the opener policy of our pages parts from the site that opened it. */
function isAlone(req: Request): boolean {
  return !isFromOtherSite(req) || req.headers['sec-fetch-dest'] === 'document';
}

/** @throws DropError `not_found`, `invalid_slug` */
function readTarget(req: Request): ReturnType<typeof readSlugAndVersion> {
  const address = readAddress(req);
  if (address === null) throw notFound('page');
  return readSlugAndVersion(address);
}

/** It shows nothing of the drop: neither title nor description nor context. */
export function enterPasscodePage(parts: {
  /** The page's own path with its query. */
  readonly action: string;
  readonly baseUrl: string;
  readonly page: Pick<Page, 'slug' | 'access'>;
  /** Why the last attempt failed. */
  readonly error: DropError | undefined;
}): PageParts {
  const { action, baseUrl, page, error } = parts;
  return {
    title: 'Passcode',
    error,
    ...(!isRestricted(page) && { head: lockedSocialTags(baseUrl, page.slug) }),
    body: html`<h1>Enter the passcode</h1>
<p class="soft">The owner protected this page with a passcode.</p>
<form method="post" action="${action}">
${formError(error)}
<label for="passcode">Passcode</label>
<input id="passcode" name="passcode" type="password" required autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${error === undefined ? html` autofocus` : fieldState(true)}>
<button type="submit">Show page</button>
</form>`,
    policy: { 'frame-ancestors': "'self'" },
  };
}
