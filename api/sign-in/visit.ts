import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { isAllowed } from '../../shared/identities/allowed.ts';
import { callbackPaths, type ProviderWay } from '../../shared/sign-ins/callbacks.ts';
import type { IdentityProvider, ProviderPerson } from '../../shared/sign-ins/identity-provider.ts';
import type { PageParts } from '../html/layout.ts';
import { browserSignInPath, codePathWith, waysPath, withOther } from '../http/paths.ts';
import type { Steps } from './cookie.ts';
import { problem, type SignInPages } from './pages.ts';
import { providerPage } from './views.ts';

/** Time to come back from the identity provider. */
export const visitMs = 10 * 60_000;

type Target = Omit<Steps['visit'], 'visit' | 'way'>;

interface Visitor {
  readonly req: Request;
  readonly res: Response;
}

/** The page that leads to the identity provider. @param asksWho the person wants another account than the one they have there */
export async function beginVisit(
  services: Services,
  { cookie }: Pick<SignInPages, 'cookie'>,
  { req, res }: Visitor,
  way: ProviderWay,
  target: Target,
  asksWho: boolean,
): Promise<PageParts> {
  const provider = providerOf(services, way);
  try {
    const { url, visit } = await provider.begin(services.config.BASE_URL + callbackPaths[way], asksWho);
    await cookie.write(res, 'visit', { ...target, way, visit });
    const then = target.device === null ? '.' : ' to approve or deny the request.';
    return providerPage(provider.name, url, `You then return here${then}`);
  } catch (error) {
    return showFailure(services, { req, res }, provider, target, error);
  }
}

/** The person who returns from the provider of their visit, or a page that says why nobody has signed in. */
export async function endVisit(
  services: Services,
  visitor: Visitor,
  way: ProviderWay,
  { way: begunAt, visit, ...target }: Steps['visit'],
): Promise<ProviderPerson | PageParts> {
  const { req } = visitor;
  const { config, accessEnd } = services;
  const provider = providerOf(services, way);
  if (begunAt !== way) {
    const begunName = services[begunAt]?.name ?? 'another provider';
    const message = `This sign-in was begun at ${begunName}, and ${provider.name} has answered.`;
    return refusal(req, target, message);
  }
  const callbackUrl = config.BASE_URL + callbackPaths[way];
  const returnedTo = new URL(callbackUrl);
  returnedTo.search = new URL(req.url, config.BASE_URL).search;
  try {
    const person = await provider.finish(returnedTo, callbackUrl, visit);
    if (person === null) return refusal(req, target, whyNobody(provider, returnedTo));
    if (way !== 'oidc' || isAllowed(person, config)) return person;
    await accessEnd.endOf(person);
    return outsiderPage(req, target, provider, person);
  } catch (error) {
    return showFailure(services, visitor, provider, target, error);
  }
}

/** @throws Error: nobody signs in there */
function providerOf(services: Services, way: ProviderWay): IdentityProvider {
  const provider = services[way];
  if (provider === null) throw new Error(`nobody signs in by ${way}`);
  return provider;
}

function whyNobody({ name }: IdentityProvider, { searchParams }: URL): string {
  return searchParams.has('error')
    ? `You did not agree at ${name}, or you cancelled the sign-in there.`
    : `The answer of ${name} has expired, was used already, or belongs to another sign-in.`;
}

/** @throws what is no fault of the provider's */
function showFailure(
  { log }: Services,
  { req, res }: Visitor,
  { name }: IdentityProvider,
  target: Target,
  error: unknown,
): PageParts {
  if (!(error instanceof DropError)) throw error;
  if (error.code !== 'unavailable') return refusal(req, target, error.message);
  const id = res.getHeader('X-Request-Id');
  log.error({ id, provider: name, cause: error.cause }, 'the identity provider failed to identify a user');
  const message = `${error.message}${nothingDone(target)}`;
  const shown = new DropError('unavailable', message, error.details);
  return problem(req, { error: shown, title: `${name} is unavailable`, retry: again(target) });
}

function refusal(req: Request, target: Target, message: string): PageParts {
  const error = new DropError('forbidden', message + nothingDone(target));
  return problem(req, { error, title: 'Not signed in', retry: again(target) });
}

/** The provider knows the person, and the service is not for them. */
function outsiderPage(
  req: Request,
  target: Target,
  { name }: IdentityProvider,
  { identity }: ProviderPerson,
): PageParts {
  const message = `You are signed in at ${name} as ${identity.name}, and this account is in none of the groups that may use this service. Ask the people who run it, or use another account.`;
  const retry = { href: withOther(again(target).href), text: 'Try with another account' };
  return problem(req, { error: new DropError('forbidden', message), title: 'Not for this account', retry });
}

function nothingDone({ device }: Target): string {
  return device === null ? '' : ' Nothing was approved.';
}

function again({ device, link, next }: Target) {
  if (link !== undefined) return { href: waysPath, text: 'Try again' };
  const href = device === null ? browserSignInPath(next) : codePathWith(device.code);
  return { href, text: 'Try again' };
}
