import type { DetailChanges } from '../../shared/drops/drop.ts';
import type { Owner, TestService } from './service.ts';

/** Says who may read a drop. */
export async function restrict(
  { services }: TestService,
  { token }: Owner,
  slug: string,
  changes: Pick<DetailChanges, 'access' | 'people'>,
): Promise<void> {
  const caller = await services.tokens.authenticate(`Bearer ${token}`);
  await services.drops.change(caller, { slug, revs: null }, changes);
}

/** What a provider says of the account: a verified address, groups. */
export async function identify(
  { services, clock }: TestService,
  { userId, name }: Pick<Owner, 'userId' | 'name'>,
  { email = null, groups = [] }: { readonly email?: string | null; readonly groups?: readonly string[] },
): Promise<void> {
  const now = clock.now();
  const times = { checkedAt: now, createdAt: now };
  const key = { provider: 'oidc:https://id.example', subject: name };
  const claims = { name, email, groups: [...groups], refreshToken: null };
  await services.engine.identities.claim({ ...key, accountId: userId, ...claims, ...times });
}
