import type { Account, Identity } from '../accounts/account.ts';
import type { Identities } from '../identities/identities.ts';
import { withoutClaims } from '../sign-ins/identity-provider.ts';
import type { Audit } from './audit.ts';
import { nameOf, type Operator } from './moderation.ts';

/** What the log says of each outcome. */
const outcomes = { linked: 'done', own: 'no change', taken: 'refused: another account has it' } as const;

/** Adds a way to sign in to an account. `own`: it has it already; `taken`: another one has it, and nothing was changed. */
export async function linkIdentity(
  { identities, audit }: { readonly identities: Pick<Identities, 'list' | 'link'>; readonly audit: Audit },
  account: Account,
  identity: Identity,
  { by, reason }: Operator,
): Promise<keyof typeof outcomes> {
  const { provider, subject } = identity;
  const entry = { act: 'link', by, target: `${nameOf(account)} ${provider} ${subject}`, reason } as const;
  const known = await identities.list(account);
  const isOwn = known.some((each) => each.provider === provider && each.subject === subject);
  const link = async () => {
    if (isOwn) return 'own';
    return (await identities.link(account.id, withoutClaims(identity))) ? 'linked' : 'taken';
  };
  return audit.record(entry, link, (outcome) => outcomes[outcome]);
}
