import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Caller } from '../../shared/accounts/account.ts';
import { isHttps } from '../../shared/config/config.ts';
import { scopeOf } from '../../shared/credentials/scopes.ts';
import { DropError, notFound } from '../../shared/domain/errors.ts';
import { isPublic, isRestricted } from '../../shared/drops/access.ts';
import type { Page, PageWithVersion } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { isNavigation } from '../http/answer-error.ts';
import { cookieName, readCookies } from '../http/cookies.ts';
import { isFromOtherSite } from '../http/form.ts';
import { HttpError, NoRight } from '../http/http-error.ts';
import { readSlug } from '../http/parameters.ts';
import { pagePath, pageUrl } from '../http/paths.ts';
import type { Handler } from '../http/route.ts';
import { sessionCookieName } from '../http/session-cookie.ts';
import { passCookie, readVersion, refuseTakenDown } from './public-page.ts';

/** What the gate of a page says to a request. `no right`: the request shows no account that may read a restricted page. */
export type Passage =
  | {
      readonly gate: 'open';
      /** The account that may read a restricted page; null: none is needed, or the address has a grant. */
      readonly reader: string | null;
    }
  | { readonly gate: 'passcode' }
  | { readonly gate: 'no right' };

type Head = Pick<IncomingMessage, 'headers'>;

/** By what a request may pass, besides the cookie that proves the passcode. */
interface Proofs {
  /**
   * Whether a session counts. Default: unless another site led the browser here, which could then tell what the visitor may read.
   */
  readonly admitsSession?: boolean;
  /** Whether a bearer token counts at a restricted page. */
  readonly takesToken?: boolean;
  /** Of the address: the viewer's frame sends no cookie. */
  readonly grant?: string | null;
  /** On the hosts of drops the drops themselves can set cookies: only the grant counts there. */
  readonly isGrantAlone?: boolean;
}

/**
 * The one decision about who may read a page, for every path of it. First whether the request shows an account that may read a
 * restricted page, then whether it proves the passcode; the owner needs none. An account is looked up only if the request has a credential.
 */
export async function askGate(
  services: Services,
  page: Page,
  req: Head,
  proofs: Proofs = {},
): Promise<Passage> {
  if (isPublic(page)) return { gate: 'open', reader: null };
  const { grant = null, isGrantAlone = false } = proofs;
  if (grant !== null && (await services.passcodes.admits('grant', page, grant)))
    return { gate: 'open', reader: null };
  if (!isRestricted(page))
    return isGrantAlone ? { gate: 'passcode' } : askForPasscode(services, page, req, proofs);
  const reader = isGrantAlone
    ? null
    : await findReader(services, page, await callersOf(services, page, req, proofs));
  if (reader === null) return { gate: 'no right' };
  const isOpen = page.lock === null || reader === page.ownerId || (await hasPass(services, page, req));
  return isOpen ? { gate: 'open', reader } : { gate: 'passcode' };
}

async function askForPasscode(services: Services, page: Page, req: Head, proofs: Proofs): Promise<Passage> {
  const isOpen =
    (await hasPass(services, page, req)) ||
    (await sessionsOf(services, req, proofs)).some(({ accountId }) => accountId === page.ownerId);
  return isOpen ? { gate: 'open', reader: null } : { gate: 'passcode' };
}

async function hasPass({ passcodes, config }: Services, page: Page, { headers }: Head): Promise<boolean> {
  const name = cookieName(passCookie, { path: pagePath(page.slug), isSecure: isHttps(config) });
  for (const pass of readCookies(headers.cookie, name)) {
    if (await passcodes.admits('pass', page, pass)) return true;
  }
  return false;
}

/** Whose the request is, the owner of the page first, who needs no passcode. */
async function callersOf(services: Services, page: Page, req: Head, proofs: Proofs): Promise<Caller[]> {
  const ofSessions = await sessionsOf(services, req, proofs);
  const holder = proofs.takesToken === true ? await tokenHolderOf(services, page, req) : null;
  const callers = holder === null ? ofSessions : [...ofSessions, holder];
  const isOwner = ({ accountId }: Caller) => Number(accountId === page.ownerId);
  return callers.sort((one, other) => isOwner(other) - isOwner(one));
}

/** Those of the cookie that are not suspended. */
async function sessionsOf({ sessions, config }: Services, req: Head, proofs: Proofs): Promise<Caller[]> {
  const { admitsSession = !isFromOtherSite(req) } = proofs;
  if (!admitsSession) return [];
  const callers: Caller[] = [];
  for (const secret of readCookies(req.headers.cookie, sessionCookieName(isHttps(config)))) {
    const caller = (await sessions.identify(secret))?.caller;
    if (caller !== undefined && !caller.isSuspended) callers.push(caller);
  }
  return callers;
}

/** null: no token, or one that opens nothing here. Of the scope `publish` it opens what its own account has published. */
async function tokenHolderOf({ tokens }: Services, page: Page, { headers }: Head): Promise<Caller | null> {
  if (headers.authorization === undefined) return null;
  const caller = await tokens.authenticate(headers.authorization).catch(nullIfRefused);
  if (caller === null || caller.isSuspended) return null;
  return scopeOf(caller) === 'publish' && caller.accountId !== page.ownerId ? null : caller;
}

function nullIfRefused(error: unknown): null {
  const isRefused =
    error instanceof DropError && (error.code === 'unauthorized' || error.code === 'invalid_token');
  if (isRefused) return null;
  throw error;
}

/** The first of the accounts that may read the page. */
async function findReader(
  { readers }: Services,
  page: Page,
  callers: readonly Caller[],
): Promise<string | null> {
  for (const caller of callers) {
    if (await readers.admits(page, caller)) return caller.accountId;
  }
  return null;
}

/**
 * Asks the gate, and refuses what it does not let pass. @returns the reader, as `Passage`
 * @throws DropError `not_found` as for a slug that nothing has, for a program without right; HttpError 403 for a person without
 *   right, 410 for a takedown, 403 `passcode_required`
 */
export async function passGate(
  services: Services,
  page: Page,
  req: IncomingMessage,
  proofs: Proofs = {},
): Promise<string | null> {
  const { BASE_URL } = services.config;
  const passage = await askGate(services, page, req, proofs);
  // Before all else: nobody without right learns that a restricted page was taken down.
  if (passage.gate === 'no right') throw refusalOf(req, pageUrl(BASE_URL, page.slug));
  refuseTakenDown(page);
  if (passage.gate === 'passcode') throw passcodeRequired(BASE_URL, page.slug);
  return passage.reader;
}

/** For a page of ours that needs no passcode, such as the form of a report. @throws DropError as `passGate` for a page without right */
export async function requireRight(services: Services, page: Page, req: IncomingMessage): Promise<void> {
  if (!isRestricted(page)) return;
  const { gate } = await askGate(services, page, req);
  if (gate === 'no right') throw refusalOf(req, pageUrl(services.config.BASE_URL, page.slug));
}

/** What those without right get who ask as programs do, and what people get. */
function refusalOf(req: IncomingMessage, url: string): DropError {
  return isNavigation(req) ? new NoRight(url) : notFound('page');
}

/**
 * Finds the page of the request and sets Cache-Control. What belongs to a viewer page, such as its versions, is for everybody
 * who may see the page. @param number the version; null for the latest. Default: the one that `v` names
 * @throws DropError `invalid_slug`, `not_found`, `version_not_found`; those of `passGate`
 */
export async function openPage(
  services: Services,
  req: Request,
  res: Response,
  { number = readPageVersion(req), ...proofs }: Proofs & { readonly number?: number | null } = {},
): Promise<PageWithVersion> {
  const page = await services.pages.find(readSlug(req), number);
  await passGate(services, page, req, proofs);
  setPageCaching(res, page);
  return services.pages.requireVersion(page);
}

/** From `v` of the request, as `readVersion` reads it. */
export function readPageVersion(req: Request): number | null {
  return readVersion(new URLSearchParams(req.url.split('?')[1]));
}

/** A person who may not read the page is sent to the viewer page, which says so. @param isAlso other errors that lead there */
export function orToViewer(handler: Handler, isAlso: (error: DropError) => boolean = () => false): Handler {
  return async (req, res) => {
    try {
      await handler(req, res);
    } catch (error) {
      const leads = error instanceof NoRight || (error instanceof DropError && isAlso(error));
      if (!leads || !isNavigation(req)) throw error;
      res.setHeader('Cache-Control', 'private, no-store');
      res.redirect(303, pagePath(readSlug(req)) + new URL(req.url, 'http://service').search);
    }
  };
}

function passcodeRequired(baseUrl: string, slug: string): HttpError {
  const url = pageUrl(baseUrl, slug);
  return new HttpError(403, 'passcode_required', `This page needs a passcode: enter it at ${url}`, { url });
}

/** For every answer about a page that changes with it. */
export function setPageCaching(res: Response, page: Page): void {
  res.setHeader('Cache-Control', isPublic(page) ? 'private, no-cache' : 'private, no-store');
}
