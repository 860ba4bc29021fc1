import { type Config, signInWays, splitList } from '../config/config.ts';
import type { Session } from '../credentials/session.ts';
import type { Clock } from '../domain/clock.ts';
import { wayOf } from './identities.ts';
import type { IdentityStore } from './identity-store.ts';
import { isStillSaid, saidMs } from './said.ts';

interface Deps {
  readonly identities: Pick<IdentityStore, 'listOfAccount'>;
  readonly clock: Clock;
  readonly config: Pick<Config, 'OIDC_ALLOWED_GROUPS' | 'SIGN_IN' | 'GITHUB_CLIENT_ID' | 'OIDC_ISSUER'>;
}

/** Whether the sign-in of a session says too little of the person, now, to count. */
export class SignInAge {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * A session ends with the way by which it was made; one of an earlier release, whose way is not known, where only some groups may use
   * the service. At an OpenID provider that gave no refresh token it ends 12 h after the account's last sign-in there. No read for
   * younger sessions, and those of other ways.
   */
  async isOver({ accountId, provider, createdAt }: Session): Promise<boolean> {
    const { identities, clock, config } = this.#deps;
    if (provider === null) return splitList(config.OIDC_ALLOWED_GROUPS).length > 0;
    const way = wayOf(provider);
    if (!signInWays(config).includes(way)) return true;
    const now = clock.now();
    if (way !== 'oidc' || createdAt > now - saidMs) return false;
    const known = await identities.listOfAccount(accountId);
    return !known.some((identity) => identity.provider === provider && isStillSaid(identity, now));
  }
}
