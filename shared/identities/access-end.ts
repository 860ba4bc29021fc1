import type { AccountStore } from '../accounts/account-store.ts';
import type { SessionStore, TokenStore } from '../credentials/credential-stores.ts';
import type { Clock } from '../domain/clock.ts';
import type { ProviderPerson } from '../sign-ins/identity-provider.ts';
import type { SignInStore } from '../sign-ins/sign-in-store.ts';
import { inParts } from '../util/in-parts.ts';
import type { IdentityStore } from './identity-store.ts';

const removedAtOnce = 50;

interface Deps {
  readonly accounts: Pick<AccountStore, 'findByIdentity'>;
  readonly identities: Pick<IdentityStore, 'find' | 'note'>;
  readonly signIns: Pick<SignInStore, 'expireByAccount'>;
  readonly tokens: Pick<TokenStore, 'revokeSome'>;
  readonly sessions: Pick<SessionStore, 'revokeSome'>;
  readonly clock: Clock;
}

/** Ends what somebody can still do who may not use the service any more. Their account and drops stay as they are. */
export class AccessEnd {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Revokes every session and token of the account, and the sign-ins that would become tokens. May be repeated. */
  async end(accountId: string): Promise<void> {
    const { signIns, tokens, sessions } = this.#deps;
    await signIns.expireByAccount(accountId); // first: see the poll in sign-ins.ts
    for (const store of [tokens, sessions])
      await inParts(removedAtOnce, (limit) => store.revokeSome(accountId, limit));
  }

  /** As `end`, for the account to which the person would have signed in, if there is one; what the provider says of them is kept. */
  async endOf({ identity, email, groups }: ProviderPerson): Promise<void> {
    const { accounts, identities, clock } = this.#deps;
    const { provider, subject, name } = identity;
    const stored = await identities.find({ provider, subject });
    const accountId = stored?.accountId ?? (await accounts.findByIdentity(identity))?.id;
    if (accountId === undefined) return;
    await this.end(accountId);
    const claims = { name, email, groups, refreshToken: null, checkedAt: clock.now() };
    await identities.note({ provider, subject, accountId }, claims);
  }
}
