import { type Config, splitList } from '../config/config.ts';
import type { IdentityStore } from './identity-store.ts';

interface Deps {
  readonly config: Pick<Config, 'OPERATORS' | 'OIDC_OPERATOR_GROUPS'>;
  readonly identities: Pick<IdentityStore, 'listOfAccount'>;
  /** Whether it is the OpenID provider of this service, whose groups count; null: there is none. */
  readonly oidc: { isOf(provider: string): boolean } | null;
}

/** Whose accounts may use the pages of operators: OPERATORS lists them, or they are in one of OIDC_OPERATOR_GROUPS. */
export class Operators {
  readonly #ids: ReadonlySet<string>;
  readonly #groups: ReadonlySet<string>;
  readonly #identities: Deps['identities'];
  readonly #oidc: Deps['oidc'];

  constructor({ config, identities, oidc }: Deps) {
    this.#ids = new Set(splitList(config.OPERATORS));
    this.#groups = new Set(splitList(config.OIDC_OPERATOR_GROUPS));
    this.#identities = identities;
    this.#oidc = oidc;
  }

  /** When it was known last that the account may, Unix ms; infinite for a listed one; null: it may not. At most one indexed read. */
  async knownAt(accountId: string): Promise<number | null> {
    if (this.#ids.has(accountId)) return Number.POSITIVE_INFINITY;
    if (this.#groups.size === 0 || this.#oidc === null) return null;
    let knownAt: number | null = null;
    for (const { provider, groups, checkedAt } of await this.#identities.listOfAccount(accountId)) {
      if (!this.#oidc.isOf(provider) || !groups.some((group) => this.#groups.has(group))) continue;
      knownAt = Math.max(knownAt ?? 0, checkedAt);
    }
    return knownAt;
  }
}
