import { formTokensOf } from '../../api/http/form-tokens.ts';
import type { RouteTable } from '../../api/routes.ts';
import { signInWays } from '../../shared/config/config.ts';
import { routesOf } from './description.ts';
import type { Owner } from './owner.ts';
import { createPerson, type Person } from './person.ts';
import type { TestService } from './service.ts';

/** A person who is signed in, with a browser of their own. A form that is sent has the session's form token, unless its fields do. */
export interface Dashboard extends Person {
  /** The same account with a token. */
  readonly owner: Owner;
  readonly sessionId: string;
  /** The form token of the session. */
  readonly formToken: string;
}

/** Of the first way by which people sign in at the service: sessions of other ways have ended. */
function providerOf({ config }: TestService): string {
  const [way] = signInWays(config);
  if (way === 'github') return `github:${config.GITHUB_URL}`;
  return way === 'oidc' ? `oidc:${config.OIDC_ISSUER}` : 'local';
}

/** @param owner unset: a new account */
export async function openDashboard(service: TestService, owner?: Owner): Promise<Dashboard> {
  const own = owner ?? (await service.newOwner());
  const { sessions, sealer } = service.services;
  const secret = await sessions.start(own.userId, 'Test browser', providerOf(service));
  const sessionId = (await sessions.identify(secret))?.session.id ?? '';
  const [formToken] = formTokensOf(sealer, sessionId, own.userId);
  const person = createPerson(service);
  const { post, postParts } = person;
  person.cookie = `${sessionCookieName(service)}=${secret}`;
  const forms: Pick<Person, 'post' | 'postParts'> = {
    post: (path, fields, sent) => post(path, { form_token: formToken, ...fields }, sent),
    postParts: (path, fields, sent) => postParts(path, { form_token: formToken, ...fields }, sent),
  };
  return Object.assign(person, { owner: own, sessionId, formToken, ...forms });
}

/** Two new operators, each with a browser. Starts the service again, because it reads OPERATORS at start. */
export async function openOperators(service: TestService): Promise<[Dashboard, Dashboard]> {
  const owners = [await service.newOwner(), await service.newOwner()] as const;
  await service.restart({ OPERATORS: owners.map(({ userId }) => userId).join(', ') });
  return [await openDashboard(service, owners[0]), await openDashboard(service, owners[1])];
}

/** One of them. */
export async function openOperator(service: TestService): Promise<Dashboard> {
  const [operator] = await openOperators(service);
  return operator;
}

function sessionCookieName({ config }: TestService): string {
  return config.BASE_URL.startsWith('https:') ? '__Host-dropleaf_session' : 'dropleaf_session';
}

/** The routes of all pages or forms of the dashboard, in a table of the service or one without a service. */
export function dashboardRoutes({ routes }: RouteTable, method: 'GET' | 'POST'): string[] {
  const isOwn = (path: string) => /^\/(drops|shared|comments|account|operators|sign-out)(\/|$)/.test(path);
  return routes.filter((route) => route.method === method && isOwn(route.path)).map(({ path }) => path);
}

/** @param slug of a drop with a version 1 */
export function fillRoute(route: string, slug: string, tokenId = 'x'): string {
  return route.replace(':slug', slug).replace(':n', '1').replace(':id', tokenId);
}

/** The paths of all pages or forms of the dashboard. @param slug of a drop with a version 1 */
export function dashboardPathsOf(
  { services }: TestService,
  method: 'GET' | 'POST',
  slug: string,
  tokenId = 'x',
): string[] {
  return dashboardRoutes(routesOf(services), method).map((route) => fillRoute(route, slug, tokenId));
}
