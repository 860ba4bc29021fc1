import type { Account } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Comment } from '../comments/comment.ts';
import type { CommentStore } from '../comments/comment-store.ts';
import type { CredentialPosition, SessionStore, TokenStore } from '../credentials/credential-stores.ts';
import {
  hashToken,
  maskTokens,
  type Token,
  tokenIdOf,
  tokenIdPattern,
  tokenIn,
} from '../credentials/token.ts';
import { tokensCounted } from '../credentials/tokens.ts';
import type { Clock } from '../domain/clock.ts';
import { notFound } from '../domain/errors.ts';
import { slugPattern } from '../domain/ids.ts';
import type { Drop, OwnedVersion } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { EdgeResult, FollowUps } from '../jobs/follow-ups.ts';
import type { SignInStore } from '../sign-ins/sign-in-store.ts';
import { inParts } from '../util/parts.ts';
import type { Audit } from './audit.ts';
import type { ModerationStore } from './moderation-store.ts';

/** Number of an account's drops that are returned at once. */
export const dropsAtOnce = 20;
const tokensAtOnce = 20;
const revokedAtOnce = 50;

/** The operator and the reason for an act. */
export interface Operator {
  readonly by: string;
  /** null: not given. */
  readonly reason: string | null;
}

/** The result of a takedown or a restore. */
export interface ChangedPage {
  readonly drop: Drop;
  /** Before the act. */
  readonly before: Drop;
  readonly edge: EdgeResult;
}

/** An account with its tokens and drops. */
export interface AccountSummary {
  readonly account: Account;
  /** At most `tokensAtOnce`, newest first. */
  readonly tokens: readonly Token[];
  /** Where the next ones begin; null: there are none. */
  readonly nextTokens: CredentialPosition | null;
  /** Active ones; `tokensCounted`: as many or more. */
  readonly tokenCount: number;
  /** At most `dropsAtOnce`, newest first. */
  readonly drops: readonly Drop[];
  readonly dropCount: number;
}

/** A page with the account that owns it; null: its record is gone. */
export interface OwnedPage {
  readonly drop: Drop;
  readonly owner: Account | null;
}

/** Result of `find`. The account of a drop or token is null if its record is gone. */
export interface Findings {
  readonly drop: OwnedPage | null;
  readonly token: { readonly token: Token; readonly account: Account | null } | null;
  readonly accounts: readonly AccountSummary[];
}

export type Moderation = ReturnType<typeof createModeration>;

/** Acts of operators against abuse. Each act is in the audit log before it is done, and may be repeated. */
export function createModeration(deps: {
  moderation: ModerationStore;
  drops: Pick<DropStore, 'list' | 'listVersions'>;
  comments: Pick<CommentStore, 'find' | 'remove'>;
  accounts: AccountStore;
  tokens: TokenStore;
  sessions: Pick<SessionStore, 'revokeSome'>;
  signIns: Pick<SignInStore, 'expireByAccount'>;
  audit: Audit;
  followUps: FollowUps;
  clock: Clock;
}) {
  const { moderation, drops, comments, accounts, tokens, sessions, signIns, audit, followUps, clock } = deps;

  /** @param change returns null if the drop was deleted meanwhile */
  async function changePage(before: Drop, change: () => Promise<Drop | null>): Promise<ChangedPage> {
    const drop = await change();
    if (drop === null) throw notFound('page');
    return { drop, before, edge: await followUps.afterOperatorChange(drop) };
  }

  async function findPage(slug: string): Promise<Drop> {
    const drop = await moderation.findDrop(slug);
    if (drop === null) throw notFound('page');
    return drop;
  }

  /** @param page of its drops, from 1 @param after where its tokens begin; null: with the newest */
  async function summarize(
    account: Account,
    page = 1,
    after: CredentialPosition | null = null,
  ): Promise<AccountSummary> {
    const newest = { page, pageSize: dropsAtOnce, sortBy: 'created_at', sortOrder: 'desc' } as const;
    const [found, tokenCount, listed] = await Promise.all([
      tokens.list(account.id, tokensAtOnce + 1, after),
      tokens.countActive(account.id, clock.now(), tokensCounted),
      drops.list(account.id, { ...newest, metadata: [] }),
    ]);
    const shown = found.slice(0, tokensAtOnce);
    const nextTokens = found.length > shown.length ? (shown.at(-1) ?? null) : null;
    const ofTokens = { tokens: shown, nextTokens, tokenCount };
    return { account, ...ofTokens, drops: listed.drops, dropCount: listed.total };
  }

  async function findAccounts(user: string): Promise<Account[]> {
    const byId = await accounts.find(user);
    return byId === null ? accounts.findByName(user) : [byId];
  }

  async function findOwnedPage(slug: string): Promise<OwnedPage | null> {
    const drop = slugPattern.test(slug) ? await moderation.findDrop(slug) : null;
    return drop === null ? null : { drop, owner: await accounts.find(drop.ownerId) };
  }

  async function findTokenById(what: string): Promise<Findings['token']> {
    const token = tokenIdPattern.test(what) ? await tokens.find(what) : null;
    return token === null ? null : { token, account: await accounts.find(token.accountId) };
  }

  async function setSuspended(account: Account, at: number | null): Promise<{ isNew: boolean }> {
    const wasSuspended = account.suspendedAt !== null;
    if ((await accounts.setSuspended(account.id, at)) === null) throw notFound('account');
    return { isNew: wasSuspended !== (at !== null) };
  }

  return {
    /** If the page is offline, its reason is replaced and the edge is purged again. @throws DropError `not_found` */
    async takeDown(slug: string, { by, reason }: Operator & { readonly reason: string }) {
      const before = await findPage(slug);
      const entry = { act: 'takedown', by, target: slug, reason } as const;
      const takedown = { at: clock.now(), reason };
      const change = () => moderation.takeDown(slug, takedown, followUps.tasksOfOperator);
      return audit.record(entry, () => changePage(before, change), pageOutcome);
    },

    /** Puts the page online again and purges the edge. @throws DropError `not_found` */
    async restore(slug: string, { by, reason }: Operator) {
      const before = await findPage(slug);
      const entry = { act: 'restore', by, target: slug, reason } as const;
      const change = () => moderation.restore(slug, clock.now(), followUps.tasksOfOperator);
      return audit.record(entry, () => changePage(before, change), pageOutcome);
    },

    /** Not logged. null: no such comment. */
    findComment: (id: string): Promise<Comment | null> => comments.find(id),

    /** With its replies. @returns false: it was deleted already */
    deleteComment: ({ id, slug }: Comment, { by, reason }: Operator): Promise<boolean> =>
      audit.record(
        { act: 'delete-comment', by, target: `${slug} ${id}`, reason },
        () => comments.remove(id),
        (isDone) => (isDone ? 'deleted' : 'it was deleted already'),
      ),

    /** The accounts with that id or name: several if two providers have the name. */
    findAccounts,

    /** Makes the account read-only, with every token it has or will have. */
    suspend: (account: Account, { by, reason }: Operator) =>
      audit.record(
        { act: 'suspend', by, target: nameOf(account), reason },
        () => setSuspended(account, clock.now()),
        accountOutcome,
      ),

    unsuspend: (account: Account, { by, reason }: Operator) =>
      audit.record(
        { act: 'unsuspend', by, target: nameOf(account), reason },
        () => setSuspended(account, null),
        accountOutcome,
      ),

    /** Revokes sign-ins before tokens: see the poll in sign-ins.ts. @returns counts; of sign-ins those without a token */
    revokeTokens: (account: Account, { by, reason }: Operator) =>
      audit.record(
        { act: 'revoke-tokens', by, target: nameOf(account), reason },
        async () => {
          const expired = await signIns.expireByAccount(account.id);
          const revokeAll = (store: Pick<SessionStore, 'revokeSome'>) =>
            inParts(revokedAtOnce, (limit) => store.revokeSome(account.id, limit));
          const revoked = await revokeAll(tokens);
          return { signIns: expired, tokens: revoked, sessions: await revokeAll(sessions) };
        },
        (done) => `done: tokens ${done.tokens}, sessions ${done.sessions}, sign-ins ${done.signIns}`,
      ),

    /** The page with its owner. Not logged. null: no such page. */
    describePage: findOwnedPage,

    /** Newest first. Not logged. @throws DropError `not_found` */
    async listVersions({ ownerId, slug }: Drop): Promise<OwnedVersion[]> {
      const versions = await drops.listVersions(ownerId, slug);
      if (versions === null) throw notFound('page');
      return versions;
    },

    /** Not logged. null: no such account. */
    findAccount: (id: string): Promise<Account | null> => accounts.find(id),

    /** Not logged. null: no such account. @param page of its drops, from 1 @param after where its tokens begin */
    async describeAccount(
      id: string,
      page: number,
      after: CredentialPosition | null,
    ): Promise<AccountSummary | null> {
      const account = await accounts.find(id);
      return account === null ? null : summarize(account, page, after);
    },

    /** Logs that the operator is about to see a version of the page. @throws DropError `not_found` */
    inspect: (slug: string, version: number, { by }: Pick<Operator, 'by'>): Promise<Drop> =>
      audit.record(
        { act: 'look', by, target: `${slug} version ${version}`, reason: null },
        () => findPage(slug),
        () => 'shown',
      ),

    /** Finds by slug, account id, name, token id or token; a token is logged by its id. @param text may be a whole header */
    find(text: string, { by }: Pick<Operator, 'by'>): Promise<Findings> {
      const token = tokenIn(text);
      const what = token === null ? text : tokenIdOf(hashToken(token));
      return audit.record(
        { act: 'find', by, target: maskTokens(what), reason: null },
        async () => ({
          drop: await findOwnedPage(what),
          token: await findTokenById(what),
          accounts: await Promise.all((await findAccounts(what)).map((account) => summarize(account))),
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

function pageOutcome({ drop, before, edge }: ChangedPage): string {
  const isNew = (drop.takedown === null) !== (before.takedown === null);
  const what = isNew ? 'done' : 'no change';
  return edge === 'not confirmed' ? `${what}; the edge did not confirm` : what;
}

function accountOutcome({ isNew }: { isNew: boolean }): string {
  return isNew ? 'done' : 'no change';
}
