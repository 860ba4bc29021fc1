import type { AccessRequestStore } from '../access-requests/access-request-store.ts';
import type { Account, Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { isUnavailable } from '../domain/errors.ts';
import type { CommentStore, InboxCounts, StateCounts } from './comment-store.ts';

/** Threads of a state, and news, that are counted: so many, or more. */
export const inboxAtMost = 100;

/** What waits for an owner. */
export interface WaitingCounts extends InboxCounts {
  /** People who ask for access. */
  readonly asking: number;
}

interface Deps {
  readonly comments: Pick<CommentStore, 'countInbox' | 'countStates' | 'lastSeq'>;
  readonly accounts: Pick<AccountStore, 'noteCommentsSeen'>;
  readonly accessRequests: Pick<AccessRequestStore, 'countOpen'>;
}

/** What waits for an owner: people who ask for access, held threads, and what readers have changed since the owner's last look at all comments. */
export class Inbox {
  readonly #comments: Deps['comments'];
  readonly #accounts: Deps['accounts'];
  readonly #accessRequests: Deps['accessRequests'];

  constructor({ comments, accounts, accessRequests }: Deps) {
    this.#comments = comments;
    this.#accounts = accounts;
    this.#accessRequests = accessRequests;
  }

  async count({ id, commentsSeen }: Pick<Account, 'id' | 'commentsSeen'>): Promise<WaitingCounts> {
    const [counts, asking] = await Promise.all([
      this.#comments.countInbox(id, commentsSeen, inboxAtMost),
      this.#accessRequests.countOpen(id, inboxAtMost),
    ]);
    return { ...counts, asking };
  }

  /** How many threads of each state the owner has, each counted as what waits is. */
  countStates({ accountId }: Pick<Caller, 'accountId'>): Promise<StateCounts> {
    return this.#comments.countStates(accountId, inboxAtMost);
  }

  /**
   * Shows the owner's comments; then what was there before is no news any more. A look that cannot be stored is none, and what was
   * read is shown all the same. @throws what `read` throws
   */
  async look<T>({ accountId }: Pick<Caller, 'accountId'>, seen: number, read: () => Promise<T>): Promise<T> {
    const last = await this.#comments.lastSeq(accountId);
    const shown = await read();
    if (last > seen) await this.#accounts.noteCommentsSeen(accountId, last).catch(ignoreUnavailable);
    return shown;
  }
}

/** How many news there are on all drops; the latest `inboxAtMost` at most. */
export function newsOf({ news }: InboxCounts): number {
  return [...news.values()].reduce((sum, count) => sum + count, 0);
}

function ignoreUnavailable(error: unknown): void {
  if (!isUnavailable(error)) throw error;
}
