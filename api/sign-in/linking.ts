import type { Request } from 'express';
import { localProvider } from '../../shared/accounts/account.ts';
import { invalidSession } from '../../shared/credentials/sessions.ts';
import { DropError, suspended } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import type { ProviderPerson } from '../../shared/sign-ins/identity-provider.ts';
import { waysPath } from '../http/paths.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { Shown } from '../http/show.ts';
import type { Link } from './cookie.ts';
import { problem } from './pages.ts';
import { providerName } from './ways.ts';

/** The person has come back from the provider that they add to their account. @returns `next`, or a page with the error */
export async function finishLink(
  { services, sessions }: RouteParts,
  req: Request,
  { accountId, sessionId }: Link,
  next: string,
  person: ProviderPerson,
): Promise<Shown> {
  try {
    const session = await sessions.find(req);
    if (session?.id !== sessionId || session.caller.accountId !== accountId) throw invalidSession();
    if (session.caller.isSuspended) throw suspended();
    await addWay(services, accountId, person);
    return next;
  } catch (error) {
    if (!(error instanceof DropError)) throw error;
    const retry = { href: waysPath, text: 'Back to your ways to sign in' };
    return problem(req, { error, title: 'Not added', retry });
  }
}

/** @throws DropError `forbidden`: the identity has an account, or the account has another identity of this provider */
export async function addWay(services: Services, accountId: string, person: ProviderPerson): Promise<void> {
  const { identities } = services;
  const { provider, subject, name } = person.identity;
  const isLocal = provider === localProvider;
  const known = await identities.listOf(accountId);
  if (known.some((each) => each.provider === provider && each.subject !== subject)) {
    const message = `Your account signs in with ${providerName(services, provider)} already. Nothing was changed: remove that way first.`;
    throw new DropError('forbidden', message);
  }
  if (await identities.link(accountId, person)) return;
  const whose = isLocal ? `The name ${name}` : `${name} at ${providerName(services, provider)}`;
  const message = `${whose} has an account of its own here. Nothing was changed. If it is yours and you do not need it, sign in to it and delete it first.`;
  throw new DropError('forbidden', message, isLocal ? { field: 'name' } : {});
}
