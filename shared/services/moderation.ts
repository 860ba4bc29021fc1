import type { Account } from '../domain/account.ts';
import type { Drop } from '../domain/drop.ts';
import { notFound } from '../domain/errors.ts';
import { slugPattern } from '../domain/ids.ts';
import { hashToken, isWellFormedToken, type Token, tokenIdOf, tokenIdPattern } from '../domain/token.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { ModerationStore } from '../ports/moderation-store.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import type { TokenStore } from '../ports/token-store.ts';
import type { Audit } from './audit.ts';
import type { EdgeResult, FollowUps } from './follow-ups.ts';

/** Of an account's drops, the newest are told of. */
const dropsTold = 20;

/** Who acts, and why. */
export interface Operator {
  readonly by: string;
  /** null: none was given. */
  readonly reason: string | null;
}

/** A page was taken down or restored. */
export interface ChangedPage {
  readonly drop: Drop;
  /** As it stood before the act. */
  readonly before: Drop;
  readonly edge: EdgeResult;
}

/** An account with what an operator wants to know of it. */
export interface AccountReport {
  readonly account: Account;
  /** Newest first. */
  readonly tokens: readonly Token[];
  /** Its newest drops, newest first. */
  readonly drops: readonly Drop[];
  readonly dropCount: number;
}

/** What was found under some words; the account of a drop or token is null where its record is gone. */
export interface Findings {
  readonly drop: { readonly drop: Drop; readonly owner: Account | null } | null;
  readonly token: { readonly token: Token; readonly account: Account | null } | null;
  readonly accounts: readonly AccountReport[];
}

export type Moderation = ReturnType<typeof createModeration>;

/** What operators do about abuse. Each act is in the log before it is done, and may be repeated. */
export function createModeration(deps: {
  moderation: ModerationStore;
  drops: Pick<DropStore, 'list'>;
  accounts: AccountStore;
  tokens: TokenStore;
  signIns: Pick<SignInStore, 'endOf'>;
  audit: Audit;
  followUps: FollowUps;
  /** Told of each slug whose page is hidden, before the answer. */
  forgetPage: (slug: string) => void;
  clock: Clock;
}) {
  const { moderation, drops, accounts, tokens, signIns, audit, followUps, forgetPage, clock } = deps;

  /** @param change null: deleted in this moment */
  async function changePage(before: Drop, change: () => Promise<Drop | null>): Promise<ChangedPage> {
    const drop = await change().finally(() => forgetPage(before.slug));
    if (drop === null) throw notFound('page');
    return { drop, before, edge: await followUps.hiddenByOperator(drop.id) };
  }

  async function findPage(slug: string): Promise<Drop> {
    const drop = await moderation.findDrop(slug);
    if (drop === null) throw notFound('page');
    return drop;
  }

  async function report(account: Account): Promise<AccountReport> {
    const newest = { page: 1, pageSize: dropsTold, sortBy: 'created_at', sortOrder: 'desc' } as const;
    const [ofAccount, listed] = await Promise.all([
      tokens.list(account.id),
      drops.list(account.id, { ...newest, metadata: [] }),
    ]);
    return { account, tokens: ofAccount, drops: listed.drops, dropCount: listed.total };
  }

  async function findAccounts(user: string): Promise<Account[]> {
    const byId = await accounts.find(user);
    return byId === null ? accounts.findByName(user) : [byId];
  }

  async function findDropOf(what: string): Promise<Findings['drop']> {
    const drop = slugPattern.test(what) ? await moderation.findDrop(what) : null;
    return drop === null ? null : { drop, owner: await accounts.find(drop.ownerId) };
  }

  async function findTokenOf(what: string): Promise<Findings['token']> {
    const token = tokenIdPattern.test(what) ? await tokens.find(what) : null;
    return token === null ? null : { token, account: await accounts.find(token.accountId) };
  }

  async function setSuspended(account: Account, at: number | null): Promise<{ isNew: boolean }> {
    const wasSuspended = account.suspendedAt !== null;
    if ((await accounts.setSuspended(account.id, at)) === null) throw notFound('account');
    return { isNew: wasSuspended !== (at !== null) };
  }

  return {
    /**
     * Shows the page to nobody any more. Of one that is taken down already the reason is replaced, and the edge told
     * again.
     * @throws DropError `not_found`
     */
    async takeDown(slug: string, { by, reason }: Operator & { readonly reason: string }) {
      const before = await findPage(slug);
      const entry = { act: 'takedown', by, target: slug, reason } as const;
      const takedown = { at: clock.now(), reason };
      const change = () => moderation.takeDown(slug, takedown, followUps.ofOperator);
      return audit.record(entry, () => changePage(before, change), tellPage);
    },

    /** Shows it again; the edge is told in any case. @throws DropError `not_found` */
    async restore(slug: string, { by, reason }: Operator) {
      const before = await findPage(slug);
      const entry = { act: 'restore', by, target: slug, reason } as const;
      const change = () => moderation.restore(slug, clock.now(), followUps.ofOperator);
      return audit.record(entry, () => changePage(before, change), tellPage);
    },

    /** The accounts of that id or name: more than one where two providers know the name. */
    findAccounts,

    /** Makes the account read-only, with every token it has or will have. */
    suspend: (account: Account, { by, reason }: Operator) =>
      audit.record(
        { act: 'suspend', by, target: nameOf(account), reason },
        () => setSuspended(account, clock.now()),
        tellAccount,
      ),

    unsuspend: (account: Account, { by, reason }: Operator) =>
      audit.record(
        { act: 'unsuspend', by, target: nameOf(account), reason },
        () => setSuspended(account, null),
        tellAccount,
      ),

    /**
     * Revokes every token of the account. First its approved sign-ins end: a poll that has claimed one reveals its
     * token only while the sign-in stands (sign-ins.ts), and a token that was stored before is among those removed.
     * @returns how many tokens there were, and how many sign-ins that had none yet
     */
    revokeTokens: (account: Account, { by, reason }: Operator) =>
      audit.record(
        { act: 'revoke-tokens', by, target: nameOf(account), reason },
        async () => {
          const ended = await signIns.endOf(account.id);
          return { signIns: ended, tokens: await tokens.revokeAll(account.id) };
        },
        (done) => `done: tokens ${done.tokens}, sign-ins ${done.signIns}`,
      ),

    /**
     * Everything that has this slug, account id, name or token id; also what a whole token stands for, which is not
     * kept anywhere.
     */
    find(text: string, { by }: Pick<Operator, 'by'>): Promise<Findings> {
      const what = isWellFormedToken(text) ? tokenIdOf(hashToken(text)) : text;
      return audit.record(
        { act: 'find', by, target: what, reason: null },
        async () => ({
          drop: await findDropOf(what),
          token: await findTokenOf(what),
          accounts: await Promise.all((await findAccounts(what)).map(report)),
        }),
        ({ drop, token, accounts: found }) =>
          `found: pages ${Number(drop !== null)}, tokens ${Number(token !== null)}, accounts ${found.length}`,
      );
    },
  };
}

function nameOf({ id, identity }: Account): string {
  return `${id} ${identity.name}`;
}

function tellPage({ drop, before, edge }: ChangedPage): string {
  const isNew = (drop.takedown === null) !== (before.takedown === null);
  const what = isNew ? 'done' : 'as it was';
  return edge === 'not confirmed' ? `${what}; the edge did not confirm` : what;
}

function tellAccount({ isNew }: { isNew: boolean }): string {
  return isNew ? 'done' : 'as it was';
}
