import type { AccountStore } from '../accounts/account-store.ts';
import type { Page } from '../drops/drop.ts';
import { limitTable } from '../limits/limit-table.ts';
import type { Limits } from '../limits/limits.ts';
import type { Visitor } from '../limits/visitor.ts';
import type { Author } from './comment.ts';

interface Deps {
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly limits: Pick<Limits, 'attempts' | 'take' | 'quotaOf' | 'quotasOf'>;
}

/** How much may be written: by an account, and by readers on the pages of others. */
export class CommentRateLimits {
  readonly #accounts: Deps['accounts'];
  readonly #limits: Deps['limits'];

  constructor({ accounts, limits }: Deps) {
    this.#accounts = accounts;
    this.#limits = limits;
  }

  /** Counts what an account writes; of guests nothing. @throws DropError `rate_limited` */
  async take({ accountId }: Author): Promise<void> {
    if (accountId === null) return;
    const countsAs = await this.#countsAsOf(accountId);
    await this.#limits.take(limitTable.commentOfMinute, countsAs);
    await this.#limits.take(limitTable.commentOfDay, countsAs);
  }

  /** Does what a reader asks for, and counts it; of the owner nothing. @throws DropError `rate_limited` */
  async run<T>(page: Page, author: Author, visitor: Visitor, act: () => Promise<T>): Promise<T> {
    if (author.role === 'owner') return act();
    const quotas = [
      ...(await this.#quotasOfAuthor(author, visitor)),
      this.#limits.quotaOf(limitTable.commentOnDrop, page.dropId),
      this.#limits.quotaOf(limitTable.commentForOwner, page.ownerId),
    ];
    return this.#limits.attempts.comment.run({ visitor, quotas, act, counts: () => true });
  }

  async #quotasOfAuthor({ accountId }: Author, visitor: Visitor) {
    if (accountId === null) return this.#limits.quotasOf(limitTable.commentOfGuest, visitor);
    return [this.#limits.quotaOf(limitTable.commentOfMember, await this.#countsAsOf(accountId))];
  }

  /** See `Account.countsAs`. */
  async #countsAsOf(accountId: string): Promise<string> {
    return (await this.#accounts.find(accountId))?.countsAs ?? accountId;
  }
}
