import { type Config, splitList } from '../config/config.ts';
import type { Session } from '../credentials/session.ts';
import type { Clock } from '../domain/clock.ts';
import type { DropStore } from '../drops/drop-store.ts';
import { entriesOf } from '../drops/people.ts';
import { wayOf } from './identities.ts';
import type { IdentityStore } from './identity-store.ts';
import { isStillSaid, saidMs } from './said.ts';

interface Deps {
  readonly identities: Pick<IdentityStore, 'listOfAccount'>;
  readonly drops: Pick<DropStore, 'listShared'>;
  readonly clock: Clock;
  readonly config: Pick<Config, 'OIDC_ALLOWED_GROUPS'>;
}

/** Whether the sign-in of a session is too long ago to say that the person still belongs here. */
export class SignInAge {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Of a session at an OpenID provider that gave no refresh token: 12 h after the account's last sign-in there, if only some groups may
   * use the service, or a drop names the account. No read for younger sessions, and those of other providers.
   */
  async isOver({ accountId, provider, createdAt }: Session): Promise<boolean> {
    const { identities, clock, config } = this.#deps;
    const now = clock.now();
    if (provider === null || wayOf(provider) !== 'oidc' || createdAt > now - saidMs) return false;
    const known = await identities.listOfAccount(accountId);
    const own = known.filter((identity) => identity.provider === provider);
    if (own.some((identity) => isStillSaid(identity, now))) return false;
    return (
      splitList(config.OIDC_ALLOWED_GROUPS).length > 0 || this.#isNamed(accountId, [...entriesOf(known)])
    );
  }

  async #isNamed(exceptOwner: string, people: readonly string[]): Promise<boolean> {
    if (people.length === 0) return false;
    const found = await this.#deps.drops.listShared(people, { exceptOwner, after: null, limit: 1 });
    return found.length > 0;
  }
}
